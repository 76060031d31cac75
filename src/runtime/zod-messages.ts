import * as z from "zod/mini";

// zod/mini ships no messages; every issue would read "Invalid input". Its English ones are 1 KB (gzip).
z.config({ customError: describeIssue });

/** What is expected; never the value that came. */
function describeIssue(issue: z.core.$ZodRawIssue): string {
  if (issue.input === undefined) return "is missing";
  if (issue.code === "invalid_type") return `expected ${issue.expected}`;
  if (issue.code === "invalid_format") return `expected ${issue.format}`;
  return `is not accepted (${issue.code})`;
}
