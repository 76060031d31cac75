import { type Day, type Report, unexplained } from "./collect.ts";
import { type Html, html } from "./html.ts";
import { whole } from "./numbers.ts";
import { table } from "./table.ts";

/** From the opening balance to the closing balance, and then to what the export shows. */
export function statement(report: Report): Html {
  const { totals, month } = report;
  const difference = unexplained(report);
  const lines: (readonly [string, number, boolean?])[] = [
    [month === null ? "Before everything" : `Balance when ${month} began`, totals.opening, true],
    ["+ granted", totals.granted],
    ["+ purchased", totals.purchased],
    ["+ adjusted", totals.adjusted],
    ["− charged", totals.charged],
    [
      month === null ? "Balance at the export" : `Balance when ${month} ended`,
      totals.closing,
      true,
    ],
    ["+ moved since then", totals.moved_later],
    ...(difference === 0 ? [] : [["+ not explained by the ledger", difference] as const]),
    ["Available and held at the export", totals.available_at_export + totals.held_at_export, true],
  ];
  const flight = totals.usage_charged - totals.charged;
  return html`<section id="statement"><h2>From opening to closing balance</h2>
<table class="statement"><caption>All accounts together</caption>
<thead><tr><th scope="col">Movement</th><th scope="col" class="figure">Credits</th></tr></thead>
<tbody>${lines.map(
    ([
      name,
      value,
      isSum,
    ]) => html`<tr${isSum ? html` class="sum"` : html``}><th scope="row">${name}</th>
<td class="figure">${whole(value)}</td></tr>`,
  )}</tbody></table>
${
  flight === 0
    ? html``
    : html`<p>${whole(flight)} more credits are charged in the ledger by requests
whose hold was still open at the export: the next one shows them on the accounts.</p>`
}</section>`;
}

/** One line a day, one column a service. */
export function daysTable(days: readonly Day[]): Html {
  const charging = days.filter(({ charged }) => charged !== 0);
  const services = [...new Set(charging.map(({ service }) => service))].sort();
  const byDay = new Map<string, Map<string, number>>();
  for (const { day, service, charged } of days) {
    const row = byDay.get(day) ?? new Map<string, number>();
    byDay.set(day, row.set(service, charged));
  }
  const sum = (row: ReadonlyMap<string, number>) => [...row.values()].reduce((a, b) => a + b, 0);
  return table(
    "Credits charged per day and service",
    [
      ["Day", ([day]) => day],
      ...services.map((name) => [name, column(name)] as const),
      ["All", ([, row]) => sum(row)],
    ],
    [...byDay],
  );
}

function column(service: string) {
  return ([, row]: readonly [string, ReadonlyMap<string, number>]) => row.get(service) ?? 0;
}

/** What ran under an Idempotency-Key. A page of a month without any says so. */
export function keys({ keys: rows, totals }: Report): Html {
  return html`<section id="keys"><h2>Requests with Idempotency-Key</h2>
<p>${whole(totals.keyed)} of ${whole(totals.requests)} requests. A failure under a key may be run again.
A success is never charged twice within 24 hours; its repetitions leave no record, only a line with
replayed in the log.</p>
${table(
  "Keys by the number of their attempts",
  [
    ["Attempts", ({ attempts }) => (attempts < 10 ? String(attempts) : "10 or more")],
    ["Keys", ({ keys: value }) => value],
    ["Successes", ({ succeeded }) => succeeded],
    ["Credits charged", ({ charged }) => charged],
  ],
  rows,
)}</section>`;
}

export function discrepancies({ checks, findings, discrepancies: all }: Report): Html {
  return html`<section id="discrepancies"><h2>Checks and discrepancies</h2>
${table(
  "What was checked",
  [
    ["Check", ({ check }) => check],
    ["What must hold", ({ claim }) => claim],
    ["Discrepancies", ({ findings: count }) => count],
  ],
  checks,
)}
${
  all === 0
    ? html`<p>No discrepancy was found.</p>`
    : table(
        `Discrepancies, ${whole(findings.length)} of ${whole(all)}; discrepancies.csv has all`,
        [
          ["Discrepancy", ({ name }) => name],
          ["Account", ({ account }) => account],
          ["Request or top-up", ({ request }) => request ?? ""],
          ["What is wrong", ({ sentence }) => sentence],
          ["Check", ({ check }) => check],
        ],
        findings,
      )
}</section>`;
}

/** What the exports did not allow to compare. */
export function notCompared({ notCompared: sentences }: Report): Html {
  if (sentences.length === 0) return html``;
  return html`<section id="not-compared"><h2>Not compared</h2>
<ul>${sentences.map((sentence) => html`<li>${sentence}</li>`)}</ul></section>`;
}

export function sources({ sources: rows }: Report): Html {
  return html`<section id="sources"><h2>Exports</h2>
<p>Manifests, number of items and checksum of every data file were verified.</p>
${table(
  "Exports that were reconciled",
  [
    ["Table", ({ table: name }) => name],
    ["Shows", ({ shows }) => shows],
    ["Items", ({ items }) => items],
  ],
  rows,
)}</section>`;
}
