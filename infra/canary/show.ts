import { render } from "../terminal/output.ts";
import { describeAllMedia } from "./media-text.ts";
import type { CanaryOptions } from "./options.ts";
import type { Row } from "./report.ts";
import type { Findings, Verdict } from "./verdict.ts";
import { describeStanding, describeWrong } from "./wrong-lines.ts";

/** What the canary prints. */
export function show(findings: Findings, { json, threshold }: CanaryOptions): string {
  const { rows, fallen, services, verdicts } = findings;
  if (json === true) {
    return render({ rows, threshold, fallen, services, lines: verdicts.map(inJson) }, true);
  }
  const wrong = describeWrong(verdicts);
  const files = describeAllMedia(verdicts);
  return [
    ...(wrong === "" ? [] : [`Wrong lines\n${wrong}`]),
    ...(files === "" ? [] : [`Media\n${files}`]),
    render(rows.map(plain), false),
    conclude(findings, threshold),
  ].join("\n\n");
}

function conclude({ fallen, services }: Findings, threshold: number): string {
  const low = fallen.length === 0 ? "No service is" : `${fallen.join(", ")}:`;
  const since = services
    .filter(({ right }) => !right)
    .map((standing) => `${standing.name}: ${describeStanding(standing)}.`);
  return [`${low} under ${threshold * 100} % right.`, ...since].join("\n");
}

/** For example `MEDIA_NOT_FOUND 2, OK 1`. `OK` means a wrong number of items. */
function plain({ source, wrong, ...row }: Row): object {
  const counts = Object.entries(wrong).map(([code, times]) => `${code} ${times}`);
  const { service, tried, right, median_ms, max_ms } = row;
  return { service, source, tried, right, wrong: counts.join(", "), median_ms, max_ms };
}

/** One line of the list. The URLs of its media are not repeated. */
function inJson({ line, answer, isRight, standing, media }: Verdict): object {
  const { media: _, durationMs, ...whole } = answer.whole;
  const sources = answer.sources.map(({ durationMs, ...source }) => ({
    ...source,
    duration_ms: durationMs,
  }));
  return {
    ...line,
    right: isRight,
    got: { ...whole, duration_ms: durationMs },
    sources,
    since: standing?.since ?? null,
    last_right: standing?.last_right ?? null,
    media,
  };
}
