import type { Validator } from "@cfworker/json-schema";
import { type DocumentedHeader, type DocumentedResponse, RESPONSES } from "./document.ts";

/** A response as a client has it. */
export interface Answer {
  readonly method: string;
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

/** What an HTTP server adds to every response. */
const TRANSPORT = new Set(
  "connection content-encoding content-length date keep-alive transfer-encoding".split(" "),
);

/** How a response differs from what the API's document says. */
export function problemsOf(answer: Answer): readonly string[] {
  const documented = RESPONSES.get(String(answer.status));
  if (documented === undefined) return [`the status ${answer.status} is not documented`];
  const problems = [
    ...typeProblems(answer.headers),
    ...headerProblems(answer.headers, documented),
    ...bodyProblems(answer, documented),
  ];
  return problems.map((problem) => `${answer.status}: ${problem}`);
}

function typeProblems(headers: Headers): readonly string[] {
  const type = headers.get("content-type");
  return type === "application/json" ? [] : [`the content type is ${type}`];
}

function headerProblems(headers: Headers, documented: DocumentedResponse): readonly string[] {
  const missing = [...documented.headers]
    .filter(([name, { isRequired }]) => isRequired && !headers.has(name))
    .map(([name]) => `the header ${name} is missing`);
  const wrong = [...headers].flatMap(([name, value]) => {
    if (name === "content-type" || TRANSPORT.has(name)) return [];
    const header = documented.headers.get(name);
    return header === undefined
      ? [`the header ${name} is not documented`]
      : complaints(header.value, typed(header, value)).map((text) => `the header ${name}: ${text}`);
  });
  return [...missing, ...wrong];
}

function typed({ isInteger }: DocumentedHeader, text: string): string | number {
  return isInteger && /^\d+$/.test(text) ? Number(text) : text;
}

/** The answer to HEAD has the headers of its body, and no body. */
function bodyProblems({ method, body }: Answer, documented: DocumentedResponse): readonly string[] {
  if (method === "HEAD") return body === "" ? [] : ["the answer to HEAD has a body"];
  try {
    const value: unknown = JSON.parse(body);
    return complaints(documented.body, value).map((text) => `the body: ${text}`);
  } catch {
    return ["the body is not JSON"];
  }
}

/** The messages of a validator; the innermost one says most. */
function complaints(validator: Validator, value: unknown): readonly string[] {
  const { valid, errors } = validator.validate(value);
  return valid
    ? []
    : errors.slice(-1).map(({ instanceLocation, error }) => `${instanceLocation} ${error}`);
}
