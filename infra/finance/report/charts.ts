import * as echarts from "echarts";
import type { Balance, Day, Report } from "./collect.ts";
import { whole } from "./numbers.ts";

/**
 * Charts, drawn in advance as SVG, so the page needs no script and no network. A table with the
 * same numbers stands beside each, so a screen reader treats the drawing as one image.
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
const WIDTH = 960;
const TEXT = { color: "#222222", fontFamily: "system-ui, sans-serif", fontSize: 13 };
// Wide gaps, because the width of the reader's font is not known in advance.
const LEGEND = { top: 0, left: 0, textStyle: TEXT, itemWidth: 14, itemHeight: 14, itemGap: 32 };
const AXIS_LINE = { lineStyle: { color: "#999999" } };
const SPLIT_LINE = { lineStyle: { color: "#e4e4e4" } };

/** Credits per day, one bar a day, stacked by service. */
export function drawDays(days: readonly Day[]): string {
  const dates = [...new Set(days.map(({ day }) => day))];
  const services = [...new Set(days.map(({ service }) => service))];
  const chargeOf = new Map(days.map(({ day, service, charged }) => [`${day} ${service}`, charged]));
  return draw(360, {
    legend: LEGEND,
    grid: { left: 8, right: 8, top: 72, bottom: 8, containLabel: true },
    xAxis: category(dates, (date) => date.slice(5)),
    yAxis: amounts(),
    series: services.map((name) => ({
      name,
      type: "bar",
      stack: "all",
      barCategoryGap: "25%",
      data: dates.map((date) => chargeOf.get(`${date} ${name}`) ?? 0),
    })),
  });
}

/** One horizontal bar for each, the first on top, with its number at its end. */
export function drawBars(
  bars: readonly { readonly name: string; readonly value: number }[],
): string {
  return draw(40 + bars.length * 30, {
    grid: { left: 32, right: 96, top: 8, bottom: 8, containLabel: true },
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
  });
}

export function drawOutcomes({ outcomes }: Report): string {
  return drawBars(outcomes.map(({ outcome, requests }) => ({ name: outcome, value: requests })));
}

const ACCOUNTS_DRAWN = 15;

/** The balances of the accounts that used most. */
export function drawBalances(balances: readonly Balance[]): string {
  const drawn = balances.slice(0, ACCOUNTS_DRAWN);
  return draw(70 + drawn.length * 30, {
    legend: LEGEND,
    grid: { left: 40, right: 40, top: 32, bottom: 8, containLabel: true },
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
  });
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
  return { type: "value" as const, axisLabel: TEXT, splitLine: SPLIT_LINE, minInterval: 1 };
}

function draw(height: number, option: echarts.EChartsCoreOption): string {
  const chart = echarts.init(null, null, { renderer: "svg", ssr: true, width: WIDTH, height });
  chart.setOption({ animation: false, color: COLORS, textStyle: TEXT, ...option });
  const svg = chart.renderToSVGString();
  chart.dispose();
  return svg;
}
