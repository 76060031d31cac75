-- Open holds by how far they are from their expiry, at which the sweep may end them.
SELECT age.label AS age, count(h.account) AS holds, coalesce(sum(h.credits), 0) AS credits
FROM (
  VALUES
    (1, 'over 2 min before expiry', -1e18, -120),
    (2, 'up to 2 min before expiry', -120, 0),
    (3, 'up to 2 min after expiry', 0, 120),
    (4, 'overdue', 120, 1e18)
) AS age (position, label, above_seconds, upto_seconds)
CROSS JOIN export_time t
LEFT JOIN holds h
  ON (t.exported_ms - h.expires_ms) / 1000 > age.above_seconds
  AND (t.exported_ms - h.expires_ms) / 1000 <= age.upto_seconds
GROUP BY age.position, age.label
ORDER BY age.position
