import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { render } from "../../infra/terminal/output.ts";
import type { Findings } from "./bench.ts";
import type { Part } from "./options.ts";

const FILE = fileURLToPath(new URL("../../.local/bench.json", import.meta.url));

/** The bounds of the figures. Figures without a bound are for comparison. */
const AT_MOST: Readonly<Record<string, number>> = {
  cpu_ratio: 2,
  cpu_ratio_400: 2,
  round_trips_on_path: 3,
  added_ms_at_5ms_p50: 20,
  subrequests: 6,
  subrequests_400: 2,
  subrequests_401: 0,
  bundle_gzip_bytes: 125_000,
  startup_cpu_ms: 30,
  write_units: 3,
  read_units: 1,
  parse_ratio_max: 3,
  hostile_ratio_max: 3,
  memory_mb_max: 40,
  tail_calls_ratio: 1.01,
  tail_more_paid_calls: 0,
  tail_p999_over_delay: 2,
  p99_over_p50_at_32: 3,
};

/** Prints a part's figures and lines as a table. */
export function print(part: Part, { figures, lines }: Findings): void {
  const numbers = Object.entries(figures).map(([name, value]) => {
    const limit = AT_MOST[name];
    const verdict = limit === undefined ? "" : value <= limit ? `≤ ${limit}` : `above ${limit}`;
    return { what: name, value: String(value), verdict };
  });
  const rest = lines.map(([what, value]) => ({ what, value, verdict: "" }));
  console.log(`\n${part}\n${render([...numbers, ...rest], false)}`);
}

/** Writes all figures and their raw values to `.local/bench.json`. */
export async function save(found: ReadonlyMap<Part, Findings>): Promise<void> {
  const figures = Object.fromEntries(
    [...found.values()].flatMap((part) => Object.entries(part.figures)),
  );
  const raw = Object.fromEntries([...found].map(([part, findings]) => [part, findings.raw]));
  const tail = raw["tail"] === undefined ? {} : { tail: raw["tail"] };
  await mkdir(dirname(FILE), { recursive: true });
  await writeFile(FILE, `${JSON.stringify({ ...figures, ...tail, raw }, null, 2)}\n`);
}
