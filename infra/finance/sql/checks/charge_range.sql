-- No charge is below zero or above what was reserved.
-- Name: Charge outside of the reservation.
-- Says: Request {request} of account {account} has the {found}. Allowed is a {expected}.
SELECT account, CAST(request AS varchar) AS request,
  'charge from 0 to the reserved ' || CAST(reserved AS varchar) AS expected,
  'charge ' || CAST(charge AS varchar) AS found
FROM usage
WHERE charge < 0 OR charge > reserved
