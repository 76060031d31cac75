import { readFileSync } from "node:fs";
import { addDecimals } from "../money/decimals.ts";
import { figure, type Html, html, trusted } from "../report/html.ts";
import { monthName } from "../report/numbers.ts";
import { amountOf, type Column, table } from "../report/table.ts";
import { drawDays } from "./chart.ts";
import type { Movement, Statement, Usage } from "./collect.ts";
import { typeOf } from "./csv.ts";

const CSS = readFileSync(new URL("../report/page.css", import.meta.url), "utf8");

/** What one customer is told, on a page that prints on A4 and needs no other file. */
export function statementPage(statement: Statement): string {
  const { account, email, month } = statement;
  const title = `Credits ${month === null ? "so far" : `in ${monthName(month)}`}`;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}: ${account}</title>
<link rel="icon" href="data:,">
<style>${trusted(CSS)}</style>
</head>
<body>
<header>
<h1>${title}</h1>
<p>Statement for ${email === null ? html`` : html`${email}, `}account <span class="id">${account}</span>.</p>
<p class="quiet">Public Media Resolution Service. All days are of UTC.</p>
</header>
<main>
${balance(statement)}
${movements(statement)}
${usage(statement)}
</main>
</body>
</html>
`.html;
}

function balance(statement: Statement): Html {
  const lines: (readonly [string, number])[] = [
    ["Balance at the beginning", statement.opening],
    ["+ bought", statement.purchased],
    ["+ granted", statement.granted],
    ["+ adjusted and refunded", statement.adjusted],
    ["− used", -statement.charged],
    ["Balance at the end", statement.closing],
  ];
  return html`<section id="balance"><h2>Balance</h2>
${table(
  "From the beginning to the end, in credits",
  [
    ["Movement", ([name]) => name],
    ["Credits", ([, credits]) => credits],
  ],
  lines,
)}</section>`;
}

function movements({ movements: rows }: Statement): Html {
  if (rows.length === 0) {
    return html`<section id="movements"><h2>Bought and adjusted</h2><p>Nothing was bought or adjusted.</p></section>`;
  }
  const paid = rows.some(({ currency }) => currency !== null);
  const amounts: Column<Movement>[] = [
    ["Net", ({ net }) => amountOf(net)],
    ["Tax", ({ tax }) => amountOf(tax)],
    ["Gross", ({ gross }) => amountOf(gross)],
    ["Currency", ({ currency }) => currency ?? ""],
  ];
  return html`<section id="movements"><h2>Bought and adjusted</h2>
${table(
  "Purchases, grants, refunds and adjustments",
  [
    ["Day", ({ day }) => day],
    ["What", typeOf],
    [
      "Reference",
      ({ reference, refunds }) => (refunds === null ? reference : `${reference} for ${refunds}`),
    ],
    ["Credits", ({ credits }) => credits],
    ...(paid ? amounts : []),
  ],
  rows,
)}
${paid ? totals(rows) : html``}</section>`;
}

function totals(rows: readonly Movement[]): Html {
  const byCurrency = Map.groupBy(
    rows.filter(({ currency }) => currency !== null),
    ({ currency }) => currency ?? "",
  );
  const sum = (some: readonly Movement[], name: "net" | "tax" | "gross") =>
    amountOf(addDecimals(some.map((row) => row[name] ?? "0")));
  return table(
    "Together, for each currency",
    [
      ["Currency", ([currency]) => currency],
      ["Net", ([, some]) => sum(some, "net")],
      ["Tax", ([, some]) => sum(some, "tax")],
      ["Gross", ([, some]) => sum(some, "gross")],
    ],
    [...byCurrency],
  );
}

function usage({ usage: rows }: Statement): Html {
  if (rows.length === 0) {
    return html`<section id="usage"><h2>Used</h2><p>Nothing was used.</p></section>`;
  }
  const services = [...Map.groupBy(rows, ({ service }) => service)].sort(([a], [b]) =>
    a < b ? -1 : 1,
  );
  const days = [...Map.groupBy(rows, ({ day }) => day)];
  const credits = (some: readonly Usage[]) => some.reduce((sum, row) => sum + row.credits, 0);
  const charging = services.filter(([, some]) => credits(some) > 0);
  return html`<section id="usage"><h2>Used</h2>
${figure(
  "Credits used per day",
  trusted(drawDays(everyDay(days.map(([day, some]) => ({ day, credits: credits(some) }))))),
)}
${table(
  "Credits used by day and service",
  [
    ["Day", ([day]) => day],
    ...charging.map(
      ([name]): Column<(typeof days)[number]> => [
        name,
        ([, some]) => credits(some.filter(({ service }) => service === name)),
      ],
    ),
    ["All", ([, some]) => credits(some)],
  ],
  days,
)}
${table(
  "Requests, items and credits by service",
  [
    ["Service", ([name]) => name],
    ["Requests", ([, some]) => some.reduce((sum, { requests }) => sum + requests, 0)],
    ["Items", ([, some]) => some.reduce((sum, { items }) => sum + items, 0)],
    ["Credits", ([, some]) => credits(some)],
  ],
  services,
)}</section>`;
}

const DAY_MS = 86_400_000;

/** The same with the days between, on which nothing was used. */
function everyDay(days: readonly { readonly day: string; readonly credits: number }[]) {
  const creditsOf = new Map(days.map(({ day, credits }) => [day, credits]));
  const [firstMs, lastMs] = [days[0], days.at(-1)].map((one) => Date.parse(one?.day ?? ""));
  const all: { day: string; credits: number }[] = [];
  for (let ms = firstMs ?? 0; ms <= (lastMs ?? 0); ms += DAY_MS) {
    const day = new Date(ms).toISOString().slice(0, 10);
    all.push({ day, credits: creditsOf.get(day) ?? 0 });
  }
  return all;
}
