import type { ErrorCode } from "../../src/contract/errors.ts";
import type { Standing } from "./history.ts";
import type { Line } from "./list.ts";
import type { Answer } from "./messages.ts";
import type { Verdict } from "./verdict.ts";

/** Each line that is not right, with what and why, by service. */
export function describeWrong(verdicts: readonly Verdict[]): string {
  const wrong = verdicts.filter(({ isRight }) => !isRight);
  const byService = Map.groupBy(wrong, ({ line }) => line.service);
  return [...byService.values()]
    .flat()
    .map((verdict) => {
      const { number, service, url } = verdict.line;
      const head = `Line ${number}: ${service} ${url}`;
      return [head, ...explain(verdict).map((said) => `  ${said}`)].join("\n");
    })
    .join("\n");
}

/** What was expected and what came; what each source said; what has changed; since when. */
export function explain({ line, answer, standing }: Verdict): readonly string[] {
  const { whole, sources } = answer;
  const said = sources
    .filter(({ code }) => code !== "OK")
    .map(({ source, code, cause }) => `${source}: ${code}${cause === null ? "" : `, ${cause}`}`);
  // Without a source there is only the cause of the whole.
  const causes = said.length === 0 && whole.cause !== null ? [whole.cause] : said;
  const drifted = sources.filter(({ drift }) => drift !== null);
  // What the search refuses has drifted in no source alone.
  const changed = drifted.length === 0 ? [{ ...whole, source: line.service }] : drifted;
  const drifts = changed.flatMap(({ source, drift }) =>
    drift === null ? [] : [`drift in ${source}: field ${drift.field}: ${drift.excerpt}`],
  );
  return [
    `expected ${describeExpected(line)}, got ${describeGot(answer)}`,
    ...causes,
    ...drifts,
    ...(standing === null ? [] : [describeStanding(standing)]),
  ];
}

function describeExpected({ expected }: Line): string {
  if (expected === null) return "media";
  return typeof expected === "number" ? counted(expected) : expected;
}

function describeGot({ whole }: Answer): string {
  const { code, items, source, message } = whole;
  if (code === "OK") return `${counted(items)} from ${source ?? "an unknown source"}`;
  return `${code satisfies ErrorCode}: ${message ?? ""}`;
}

function counted(items: number): string {
  return `${items} item${items === 1 ? "" : "s"}`;
}

/** Since when, and when it was last right. */
export function describeStanding({ since, last_right }: Standing): string {
  const before = last_right === null ? "never seen right" : `last right ${minutes(last_right)}`;
  return `wrong since ${minutes(since)}, ${before}`;
}

function minutes(time: string): string {
  return `${time.slice(0, 10)} ${time.slice(11, 16)} UTC`;
}
