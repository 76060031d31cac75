import * as z from "zod/mini";

// zod/mini ships no messages; every issue would read "Invalid input". Its English ones are 1 KB (gzip).
z.config({ customError: describeIssue });

/** What is expected, by the kind of issue; never the value that came. */
function describeIssue(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return issue.input === undefined ? "is missing" : `expected ${issue.expected}`;
    case "invalid_value":
      return `expected one of ${issue.values.map(String).join(", ")}`;
    case "invalid_format":
      return `expected ${issue.format}`;
    case "too_small":
      return `expected at least ${issue.minimum}`;
    case "too_big":
      return `expected at most ${issue.maximum}`;
    default:
      return "Invalid input";
  }
}
