-- Lines of journal.csv.
SELECT p.entry, p.day AS date, coalesce(o.number, a.number) AS ledger_account,
  coalesce(o.name, a.name) AS ledger_account_name,
  CASE WHEN p.amount > 0 THEN decimal_text(p.amount, p.places) END AS debit,
  CASE WHEN p.amount < 0 THEN decimal_text(-p.amount, p.places) END AS credit,
  p.currency, p.text, guard(p.reference) AS reference,
  nullif(p.account, '') AS customer
FROM money_postings p
JOIN money_ledger_accounts a ON a.role = p.role AND a.service = ''
LEFT JOIN money_ledger_accounts o ON o.role = p.role AND o.service = p.service AND p.service <> ''
ORDER BY p.entry, debit IS NULL, ledger_account
