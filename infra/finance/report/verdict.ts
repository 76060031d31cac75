import type { Report } from "./collect.ts";
import { whole } from "./numbers.ts";

/** The result, in a few words and in one sentence. */
export interface Verdict {
  readonly heading: string;
  readonly detail: string;
}

export function verdictOf(report: Report): Verdict {
  const { discrepancies, checks, isFinal, month, totals, lacksOpening } = report;
  if (discrepancies > 0) {
    const failed = checks.filter(({ findings }) => findings > 0).length;
    return {
      heading: `NOT BALANCED: ${discrepancies === 1 ? "1 discrepancy" : `${whole(discrepancies)} discrepancies`}`,
      detail: `${failed} of ${checks.length} checks found what does not add up; each is listed.`,
    };
  }
  const proof = lacksOpening
    ? `By this export alone ${checks.length} checks found nothing.`
    : `Every credit is accounted for: ${checks.length} checks found nothing.`;
  if (month === null || isFinal) {
    const heading = lacksOpening ? "BALANCED, but not compared with an opening" : "BALANCED";
    return { heading, detail: proof };
  }
  const waiting =
    totals.unfinished > 0
      ? `${whole(totals.unfinished)} of its requests were still open`
      : "it had not ended";
  return {
    heading: `BALANCED, but ${month} is not final`,
    detail: `${proof} When the export was taken, ${waiting}: close with a later export.`,
  };
}
