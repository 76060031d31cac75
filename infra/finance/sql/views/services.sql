-- Credits per returned item, from section 1 of the interface specification. Written here again on
-- purpose: a check that read the service's own table would not notice a change of it.
SELECT service, multiplier
FROM (
  VALUES
    ('photo-feed', 1),
    ('photo-feed-story', 2),
    ('photo-feed-highlight', 2),
    ('short-video', 1),
    ('microblog', 1),
    ('pinboard', 1),
    ('messenger-channel', 2)
) AS s (service, multiplier)
