import type { Service } from "../../src/contract/schemas.ts";
import { isRight, type Line } from "./list.ts";
import type { Answer, Outcome } from "./messages.ts";

/** One line of the list, resolved. */
export interface Try {
  readonly line: Line;
  readonly answer: Answer;
}

/** The result of a service, or of one of its sources, over the whole list. */
export interface Row {
  readonly service: Service;
  /** Empty for the service as a whole, which is what a customer sees. */
  readonly source: string;
  readonly tried: number;
  readonly right: number;
  /** How often each wrong code came; `OK` counts a wrong number of items. */
  readonly wrong: Readonly<Record<string, number>>;
  readonly median_ms: number;
  readonly max_ms: number;
}

/** One row for each service, followed by one for each of its sources that was asked. */
export function report(tries: readonly Try[]): readonly Row[] {
  const services = new Set(tries.map(({ line }) => line.service));
  return [...services].flatMap((service) => {
    const own = tries.filter(({ line }) => line.service === service);
    const asked = own.flatMap(({ line, answer }) =>
      answer.sources.map((outcome) => ({ line, outcome })),
    );
    const whole = own.map(({ line, answer }) => ({ line, outcome: answer.whole }));
    const names = new Set(asked.map(({ outcome }) => outcome.source));
    const rowOf = (source: string) =>
      sum(
        { service, source },
        asked.filter(({ outcome }) => outcome.source === source),
      );
    return [sum({ service, source: "" }, whole), ...[...names].map(rowOf)];
  });
}

function sum(
  about: Pick<Row, "service" | "source">,
  tries: readonly { readonly line: Line; readonly outcome: Outcome }[],
): Row {
  const wrong = tries.filter(({ line, outcome }) => !isRight(outcome, line));
  const times = tries.map(({ outcome }) => outcome.durationMs).toSorted((a, b) => a - b);
  return {
    ...about,
    tried: tries.length,
    right: tries.length - wrong.length,
    wrong: count(wrong.map(({ outcome }) => outcome.code)),
    median_ms: times[Math.floor((times.length - 1) / 2)] ?? 0,
    max_ms: times.at(-1) ?? 0,
  };
}

function count(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

/** The services whose share of right outcomes is below the threshold. */
export function fallen(rows: readonly Row[], threshold: number): readonly Service[] {
  const services = rows.filter(({ source }) => source === "");
  return services
    .filter(({ tried, right }) => right / tried < threshold)
    .map(({ service }) => service);
}
