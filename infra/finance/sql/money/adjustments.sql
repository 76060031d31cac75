-- The period's other adjustments: what they added, what they took away, and the value of that. What a refund took
-- beyond what was unused of its purchase counts here too.
SELECT
  coalesce((SELECT sum(credits) FROM money_moved WHERE phase = 1 AND kind = 'adjustment' AND credits > 0), 0)
    AS added_credits,
  coalesce((SELECT sum(credits) FROM money_draws WHERE phase = 1 AND record IS NOT NULL), 0) AS taken_credits
