import { readFile } from "node:fs/promises";
import { drawBalances, drawBars, drawDays, drawOutcomes } from "./charts.ts";
import type { Balance, Report } from "./collect.ts";
import { figure, type Html, html, trusted } from "./html.ts";
import { moneySections, servicesSection } from "./money.ts";
import { monthName, whole } from "./numbers.ts";
import { daysTable, discrepancies, keys, notCompared, sources, statement } from "./sections.ts";
import { table } from "./table.ts";
import { verdictOf } from "./verdict.ts";

/** One page that needs no other file: no script, no font, no network. */
export async function renderPage(report: Report): Promise<string> {
  const css = await readFile(new URL("page.css", import.meta.url), "utf8");
  const title = `Credits ${report.month === null ? "so far" : `in ${monthName(report.month)}`}`;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${trusted(css)}</style>
</head>
<body>
<header>
<h1>${title}</h1>
<p class="quiet">Public Media Resolution Service, from the ledger's export of ${time(report)}.
All times are UTC${report.money === null ? ", all amounts are credits" : ""}.</p>
</header>
<main>
${verdict(report)}
${notCompared(report)}
${totals(report)}
${statement(report)}
${moneySections(report)}
${servicesSection(report)}
${days(report)}
${outcomes(report)}
${keys(report)}
${balances(report)}
${holds(report)}
${discrepancies(report)}
${sources(report)}
</main>
</body>
</html>
`.html;
}

function time({ exportedAt }: Report): string {
  return exportedAt.slice(0, 19).replace("T", " ");
}

function verdict(report: Report): Html {
  const { heading, detail } = verdictOf(report);
  const tone =
    report.discrepancies > 0
      ? "unbalanced"
      : report.isFinal && !report.lacksOpening
        ? "balanced"
        : "open";
  const link = report.discrepancies > 0 ? html` <a href="#discrepancies">See them</a>` : html``;
  return html`<p class="verdict ${tone}" role="status"><strong>${heading}</strong><br>${detail}${link}</p>`;
}

function totals({ totals: sums }: Report): Html {
  const tiles: [string, number][] = [
    ["Requests", sums.requests],
    ["Successful", sums.succeeded],
    ["Items returned", sums.items],
    ["Credits charged", sums.usage_charged],
    ["Credits topped up", sums.topups_credits],
    ["Accounts", sums.accounts],
  ];
  return html`<dl class="totals">${tiles.map(
    ([name, value]) => html`<div><dt>${name}</dt><dd>${whole(value)}</dd></div>`,
  )}</dl>`;
}

function days(report: Report): Html {
  return html`<section id="days"><h2>Credits per day and service</h2>
${figure("Credits charged per day, stacked by service", trusted(drawDays(report.days.filter(({ charged }) => charged !== 0))))}
${daysTable(report.days)}</section>`;
}

function outcomes(report: Report): Html {
  return html`<section id="outcomes"><h2>Outcomes</h2>
<p>How the requests ended. Only OK is charged; the sweep ends a request that died as ABANDONED.</p>
${figure("Requests by outcome", trusted(drawOutcomes(report)))}
${table(
  "Requests by outcome",
  [
    ["Outcome", ({ outcome }) => outcome],
    ["Requests", ({ requests }) => requests],
    ["Credits charged", ({ charged }) => charged],
  ],
  report.outcomes,
)}</section>`;
}

const EMAIL = ["Email", ({ email }: Balance) => email ?? ""] as const;

function balances(report: Report): Html {
  const shown = report.balances.length;
  return html`<section id="balances"><h2>Balances by account</h2>
<p>The ${whole(shown)} of ${whole(report.totals.accounts)} accounts that were charged most;
balances.csv has all.</p>
${figure("Charged, and what is left, on the accounts that were charged most", trusted(drawBalances(report.balances)))}
${table(
  "Movements by account",
  [
    ["Account", ({ account }) => account],
    ...(report.balances.some(({ email }) => email !== null) ? [EMAIL] : []),
    ["Opening", ({ opening }) => opening],
    ["Granted", ({ granted }) => granted],
    ["Purchased", ({ purchased }) => purchased],
    ["Adjusted", ({ adjusted }) => adjusted],
    ["Charged", ({ charged }) => charged],
    ["Closing", ({ closing }) => closing],
  ],
  report.balances,
)}</section>`;
}

function holds(report: Report): Html {
  const bars = report.holds.map(({ age, holds: value }) => ({ name: age, value }));
  return html`<section id="holds"><h2>Open holds by age</h2>
<p>Credits that running requests had reserved when the export was taken. A hold that is overdue is a
discrepancy.</p>
${figure("Open holds by age", trusted(drawBars(bars)))}
${table(
  "Open holds by age",
  [
    ["Age", ({ age }) => age],
    ["Holds", ({ holds: value }) => value],
    ["Credits", ({ credits }) => credits],
  ],
  report.holds,
)}</section>`;
}
