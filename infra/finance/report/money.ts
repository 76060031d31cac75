import type { Aging, Money, Revenue, Rollforward } from "../money/collect.ts";
import { addDecimals } from "../money/decimals.ts";
import { drawAging, drawRevenue } from "./charts.ts";
import type { Report } from "./collect.ts";
import { figure, type Html, html, trusted } from "./html.ts";
import { whole } from "./numbers.ts";
import { amountOf, type Column, table } from "./table.ts";

/** The month in currency: where the page has prices. */
export function moneySections({ money }: Report): Html {
  if (money === null) return html``;
  return html`${deferred(money)}
${sales(money)}
${refunds(money)}
${currencies(money).map((currency) => revenue(currency, money.revenue))}
${aging(money)}
${reconciled(money)}`;
}

function currencies({ rollforward }: Money): string[] {
  return [...new Set(rollforward.map(({ currency }) => currency))].filter((one) => one !== "");
}

function deferred({ rollforward, usedFirst, prices }: Money): Html {
  const name = ({ class: kind, currency }: Rollforward) =>
    currency === "" ? kind : `${kind}, ${currency}`;
  return html`<section id="deferred"><h2>Deferred revenue</h2>
<p>Net, at the prices of ${prices}. Credits are used first in, first out on each account, ${usedFirst} ones
first. Credits that were not paid for have no value.</p>
${table(
  "From the opening to the closing deferred revenue",
  [
    ["Credits", name],
    ["Opening", ({ opening_net }) => amountOf(opening_net)],
    ["+ sales", ({ sold_net }) => amountOf(sold_net)],
    ["− revenue", ({ used_net }) => amountOf(used_net)],
    ["− adjusted", ({ adjusted_net }) => amountOf(adjusted_net)],
    ["− refunded", ({ refunded_net }) => amountOf(refunded_net)],
    ["Closing", ({ closing_net }) => amountOf(closing_net)],
  ],
  rollforward,
)}
${table(
  "The same in credits",
  [
    ["Credits", name],
    ["Opening", ({ opening_credits }) => opening_credits],
    ["+ bought or granted", ({ added_credits }) => added_credits],
    ["+ adjusted up", ({ raised_credits }) => raised_credits],
    ["− used", ({ used_credits }) => used_credits],
    ["− adjusted down", ({ adjusted_credits }) => adjusted_credits],
    ["− refunded", ({ refunded_credits }) => refunded_credits],
    ["Closing", ({ closing_credits }) => closing_credits],
  ],
  rollforward,
)}</section>`;
}

function sales({ sales: rows }: Money): Html {
  return html`<section id="sales"><h2>Purchases</h2>
${table(
  "Purchases by pack",
  [
    ["Pack", ({ pack }) => pack],
    ["Purchases", ({ purchases }) => purchases],
    ["Credits", ({ credits }) => credits],
    ["Net", ({ net }) => amountOf(net)],
    ["Tax", ({ tax }) => amountOf(tax)],
    ["Gross", ({ gross }) => amountOf(gross)],
    ["Currency", ({ currency }) => currency],
  ],
  rows,
)}</section>`;
}

function refunds({ refunds: rows, adjustments }: Money): Html {
  const { added_credits: added, taken_credits: taken } = adjustments;
  return html`<section id="refunds"><h2>Refunds and adjustments</h2>
<p>Other adjustments added ${whole(added)} credits and took ${whole(taken)} away:
${whole(added - taken)} credits net.</p>
${
  rows.length === 0
    ? html`<p>Nothing was refunded.</p>`
    : table(
        "Refunds and chargebacks; the loss is what went back for credits that were used",
        [
          ["Reason", ({ reason }) => reason],
          ["Number", ({ refunds: number }) => number],
          ["Credits taken back", ({ credits }) => credits],
          ["Net", ({ net }) => amountOf(net)],
          ["Tax", ({ tax }) => amountOf(tax)],
          ["Gross", ({ gross }) => amountOf(gross)],
          ["Deferred", ({ deferred_net }) => amountOf(deferred_net)],
          ["Loss", ({ loss }) => amountOf(loss)],
          ["Currency", ({ currency }) => currency],
        ],
        rows,
      )
}</section>`;
}

/** The revenue in one currency: one line a day, one column a service. */
function revenue(currency: string, all: readonly Revenue[]): Html {
  const rows = all.filter((row) => row.currency === currency);
  const services = [...new Set(rows.map(({ service }) => service))].sort();
  const days = [...Map.groupBy(rows, ({ day }) => day)];
  const sum = (some: readonly Revenue[]) => amountOf(addDecimals(some.map(({ net }) => net)));
  const column = (service: string): Column<(typeof days)[number]> => [
    service,
    ([, some]) => sum(some.filter((row) => row.service === service)),
  ];
  return html`<section id="revenue-${currency}"><h2>Revenue in ${currency} per day and service</h2>
${figure(`Net revenue in ${currency} per day, stacked by service`, trusted(drawRevenue(rows)))}
${table(
  `Net revenue in ${currency} per day and service`,
  [["Day", ([day]) => day], ...services.map(column), ["All", ([, some]) => sum(some)]],
  days,
)}
${table(
  `Net revenue in ${currency} by service`,
  [
    ["Service", ([service]) => service],
    ["Credits used", ([, some]) => some.reduce((total, { credits }) => total + credits, 0)],
    ["Net revenue", ([, some]) => sum(some)],
  ],
  [...Map.groupBy(rows, ({ service }) => service)].sort(([a], [b]) => (a < b ? -1 : 1)),
)}</section>`;
}

function aging({ aging: rows }: Money): Html {
  const kind = ({ class: name, currency }: Aging) =>
    currency === "" ? name : `${name}, ${currency}`;
  return html`<section id="aging"><h2>Unused credits by age</h2>
${figure("Unused credits by the age of their top-up", trusted(drawAging(rows)))}
${table(
  "Unused credits by the age of their top-up",
  [
    ["Age", ({ age }) => age],
    ["Credits are", kind],
    ["Credits", ({ credits }) => credits],
    ["Deferred revenue", ({ net }) => amountOf(net)],
  ],
  rows,
)}</section>`;
}

function reconciled({ reconciled: rows }: Money): Html {
  const same = rows.every(({ valued, ledger }) => valued === ledger);
  const words = same
    ? "Each amount above stands for credits, and these are the ledger's."
    : "The credits behind the amounts are not those of the ledger: see the discrepancies.";
  return html`<section id="reconciled"><h2>Amounts and credits</h2><p>${words}</p>
${table(
  "Credits behind the amounts, and in the ledger",
  [
    ["Credits", ({ what }) => what],
    ["Valued", ({ valued }) => valued],
    ["In the ledger", ({ ledger }) => ledger],
    ["Difference", ({ valued, ledger }) => valued - ledger],
  ],
  rows,
)}</section>`;
}

/** Totals by month and service, with the revenue where there are prices. */
export function servicesSection({ services, money }: Report): Html {
  const names = money === null ? [] : currencies(money);
  const revenueOf = (month: string, service: string, currency: string) =>
    (money?.revenue ?? []).filter(
      (row) => row.service === service && row.currency === currency && row.day.startsWith(month),
    );
  const amounts = names.map(
    (currency): Column<Report["services"][number]> => [
      `Revenue, ${currency}`,
      ({ month, service }) =>
        amountOf(addDecimals(revenueOf(month, service, currency).map(({ net }) => net))),
    ],
  );
  return html`<section id="services"><h2>Totals by service and month</h2>
${table(
  "Requests, items, credits and revenue by service and month",
  [
    ["Service", ({ service }) => service],
    ["Month", ({ month }) => month],
    ["Requests", ({ requests }) => requests],
    ["Successful", ({ succeeded }) => succeeded],
    ["Items", ({ items }) => items],
    ["Credits charged", ({ charged }) => charged],
    ...amounts,
  ],
  services,
)}</section>`;
}
