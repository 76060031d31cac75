import { follow, type History, type Run, type Standing } from "./history.ts";
import { isRight, type Line } from "./list.ts";
import type { MediaReport } from "./media.ts";
import { fallen, type Row, report, type Try } from "./report.ts";

/** One line of the list, resolved and judged. */
export interface Verdict extends Try {
  readonly isRight: boolean;
  /** Null without a history. */
  readonly standing: Standing | null;
  readonly media: readonly MediaReport[];
}

/** What a run has found out. */
export interface Findings {
  readonly verdicts: readonly Verdict[];
  readonly rows: readonly Row[];
  /** The services under the threshold. */
  readonly fallen: readonly string[];
  /** Of each service; empty without a history. */
  readonly services: readonly Standing[];
  /** To be added to the history. */
  readonly run: Run;
}

export interface Looked extends Try {
  readonly media: readonly MediaReport[];
}

interface Judging {
  readonly threshold: number;
  readonly history: History | null;
  readonly at: Date;
}

/** Judges each line and each service, and says since when they are as they are. */
export function judge(looked: readonly Looked[], { threshold, history, at }: Judging): Findings {
  const rows = report(looked);
  const low = fallen(rows, threshold);
  const lines = looked.map(({ line, answer }) => ({
    name: nameOf(line),
    right: isRight(answer.whole, line),
  }));
  const services = rows
    .filter(({ source }) => source === "")
    .map(({ service }) => ({ name: service, right: !low.includes(service) }));
  const run = follow(history?.runs ?? [], [...lines, ...services], at.toISOString());
  const standings = new Map(history === null ? [] : run.standings.map((one) => [one.name, one]));
  return {
    verdicts: looked.map((one) => ({
      ...one,
      isRight: isRight(one.answer.whole, one.line),
      standing: standings.get(nameOf(one.line)) ?? null,
    })),
    rows,
    fallen: low,
    services: services.flatMap(({ name }) => standings.get(name) ?? []),
    run,
  };
}

/** The same in every run as long as the line asks for the same. */
function nameOf({ service, url, expected }: Line): string {
  return [service, url, ...(expected === null ? [] : [expected])].join(" ");
}
