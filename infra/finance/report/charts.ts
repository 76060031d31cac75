import * as echarts from "echarts";
import type { Aging, Revenue } from "../money/collect.ts";
import type { Balance, Day, Report } from "./collect.ts";
import { whole } from "./numbers.ts";

/**
 * Charts, drawn in advance as SVG, so the page needs no script and no network. A table with the
 * same numbers stands beside each, so a screen reader treats the drawing as one image. Each is drawn
 * twice, wide and for a phone; the page shows one. Text and lines take the page's colour.
 */

/** Okabe and Ito's colours, which people with any kind of colour vision can tell apart. */
const COLORS = [
  "#0072b2",
  "#e69f00",
  "#009e73",
  "#cc79a7",
  "#56b4e9",
  "#d55e00",
  "#f0e442",
  "#777777",
];
const TEXT = { color: "currentColor", fontFamily: "system-ui, sans-serif", fontSize: 13 };
const AXIS_LINE = { lineStyle: { color: "currentColor", opacity: 0.5 } };
const SPLIT_LINE = { lineStyle: { color: "currentColor", opacity: 0.15 } };

/** A width to draw for, and the room that the legend needs there. */
interface Form {
  readonly name: "wide" | "narrow";
  readonly width: number;
  readonly legendGap: number;
  readonly legendHeight: number;
}

const FORMS: readonly Form[] = [
  // Wide gaps, because the width of the reader's font is not known in advance.
  { name: "wide", width: 960, legendGap: 32, legendHeight: 72 },
  { name: "narrow", width: 400, legendGap: 26, legendHeight: 150 },
];

/** Credits per day, one bar a day, stacked by service. */
export function drawDays(days: readonly Day[]): string {
  return drawStacks(
    days.map(({ day, service, charged }) => ({ day, name: service, value: charged })),
  );
}

/** Revenue of one currency per day, stacked by service. Only the drawing rounds. */
export function drawRevenue(rows: readonly Revenue[]): string {
  return drawStacks(
    rows.map(({ day, service, net }) => ({ day, name: service, value: Number(net) })),
  );
}

/** Unused credits by age, stacked by where they come from. */
export function drawAging(rows: readonly Aging[]): string {
  return drawStacks(
    rows.map(({ age, class: name, credits }) => ({ day: age, name, value: credits })),
    (age) => age,
  );
}

interface Stacked {
  readonly day: string;
  readonly name: string;
  readonly value: number;
}

function drawStacks(rows: readonly Stacked[], label = (date: string) => date.slice(5)): string {
  const dates = [...new Set(rows.map(({ day }) => day))];
  const names = [...new Set(rows.map(({ name }) => name))];
  const sums = new Map<string, number>();
  for (const { day, name, value } of rows) {
    sums.set(`${day} ${name}`, (sums.get(`${day} ${name}`) ?? 0) + value);
  }
  return draw(360, (form) => ({
    legend: legend(form),
    grid: { left: 8, right: 8, top: form.legendHeight, bottom: 8, containLabel: true },
    xAxis: category(dates, label),
    yAxis: amounts(),
    series: names.map((name) => ({
      name,
      type: "bar",
      stack: "all",
      barCategoryGap: "25%",
      barMaxWidth: 90,
      data: dates.map((date) => sums.get(`${date} ${name}`) ?? 0),
    })),
  }));
}

/** One horizontal bar for each, the first on top, with its number at its end. */
export function drawBars(
  bars: readonly { readonly name: string; readonly value: number }[],
): string {
  return draw(40 + bars.length * 30, () => ({
    grid: { left: 8, right: 72, top: 8, bottom: 8, containLabel: true },
    xAxis: amounts(),
    yAxis: { ...category(bars.map(({ name }) => name)), inverse: true },
    series: [
      {
        type: "bar",
        barWidth: 18,
        data: bars.map(({ value }) => value),
        label: {
          ...TEXT,
          show: true,
          position: "right",
          formatter: ({ value }: { value: unknown }) => whole(Number(value)),
        },
      },
    ],
  }));
}

export function drawOutcomes({ outcomes }: Report): string {
  return drawBars(outcomes.map(({ outcome, requests }) => ({ name: outcome, value: requests })));
}

const ACCOUNTS_DRAWN = 15;

/** The balances of the accounts that used most. */
export function drawBalances(balances: readonly Balance[]): string {
  const drawn = balances.slice(0, ACCOUNTS_DRAWN);
  return draw(70 + drawn.length * 30, (form) => ({
    legend: legend(form),
    grid: { left: 40, right: 24, top: 32, bottom: 8, containLabel: true },
    xAxis: amounts(),
    yAxis: { ...category(drawn.map(({ account }) => account)), inverse: true },
    series: [
      { name: "charged", type: "bar", stack: "all", data: drawn.map(({ charged }) => charged) },
      {
        name: "closing balance",
        type: "bar",
        stack: "all",
        data: drawn.map(({ closing }) => closing),
      },
    ],
  }));
}

function legend({ legendGap }: Form) {
  return { top: 0, left: 0, textStyle: TEXT, itemWidth: 14, itemHeight: 14, itemGap: legendGap };
}

function category(data: readonly string[], formatter = (name: string) => name) {
  const axisLabel = { ...TEXT, formatter };
  return {
    type: "category" as const,
    data: [...data],
    axisLabel,
    axisLine: AXIS_LINE,
    axisTick: { show: false },
  };
}

function amounts() {
  const axisLabel = { ...TEXT, hideOverlap: true };
  return { type: "value" as const, axisLabel, splitLine: SPLIT_LINE, minInterval: 1 };
}

function draw(height: number, optionFor: (form: Form) => echarts.EChartsCoreOption): string {
  return FORMS.map((form) => {
    const { name, width } = form;
    const chart = echarts.init(null, null, { renderer: "svg", ssr: true, width, height });
    chart.setOption({ animation: false, color: COLORS, textStyle: TEXT, ...optionFor(form) });
    const svg = chart.renderToSVGString();
    chart.dispose();
    return `<div class="${name}">${svg}</div>`;
  }).join("");
}
