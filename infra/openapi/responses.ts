import { ERRORS, type ErrorCode } from "../../src/contract/errors.ts";
import { EVERY_RESPONSE } from "../../src/http/headers.ts";
import { examplesOf, SUCCESSES } from "./examples.ts";
import { CHARGED, HEADERS, type HeaderName } from "./headers.ts";
import { RETRIES } from "./retry.ts";
import { schemaRef } from "./schemas.ts";

const EVERY = ["X-Request-Id", ...Object.keys(EVERY_RESPONSE)];
/** Of a request whose key was accepted. */
const ADMITTED = ["RateLimit", "RateLimit-Policy", "X-Api-Key-Expires"] as const;
const CREDITS = ["X-Credits-Charged", "X-Credits-Available"] as const;

/** A status: its meaning, and its headers beside those of every response. */
interface Answer {
  readonly description: string;
  /** Headers that it always has. */
  readonly always?: readonly HeaderName[];
  readonly maybe?: readonly HeaderName[];
}

type ErrorStatus = (typeof ERRORS)[ErrorCode]["status"];

const SUCCESS: Answer = {
  description: "The media were found, and the returned items were charged.",
  maybe: [...ADMITTED, "X-Credits-Available", "Idempotent-Replayed"],
};

const UPSTREAM: Pick<Answer, "maybe"> = { maybe: [...ADMITTED, ...CREDITS, "Retry-After"] };

const REFUSALS: Readonly<Record<ErrorStatus, Answer>> = {
  400: { description: "The request is not valid.", maybe: [...ADMITTED, ...CREDITS] },
  401: { description: "The API key is not accepted.", always: ["WWW-Authenticate"] },
  402: {
    description: "The account cannot hold max_results times the service's credits per item.",
    always: CREDITS,
    maybe: ADMITTED,
  },
  404: { description: "Another path than the endpoint's, for example after a wrong base URL." },
  405: { description: "Another method than POST.", always: ["Allow"] },
  422: {
    description: "The URL is valid, but gave no supported public media.",
    maybe: [...ADMITTED, ...CREDITS],
  },
  429: {
    description:
      "Too many requests: of the key, of its account at once, of one Idempotency-Key, or of the " +
      "client's address with keys that are not known.",
    always: ["Retry-After"],
    maybe: [...ADMITTED, ...CREDITS],
  },
  502: { description: "The platform or the service failed.", ...UPSTREAM },
  504: { description: "The platform did not answer within the window.", ...UPSTREAM },
};

/** The operation's responses by status. */
export function makeResponses() {
  const success = {
    description: SUCCESS.description,
    headers: { ...headersOf(SUCCESS), "X-Credits-Charged": CHARGED },
    content: json({ $ref: schemaRef("ResolveResponse") }, SUCCESSES),
  };
  const refusals = Object.entries(REFUSALS).map(
    ([status, answer]) => [status, refusal(Number(status), answer)] as const,
  );
  return { 200: success, ...Object.fromEntries(refusals) };
}

function refusal(status: number, answer: Answer) {
  const codes = Object.keys(ERRORS)
    .filter(isCode)
    .filter((code) => ERRORS[code].status === status);
  const advice = codes.map((code) => `- \`${code}\`: ${RETRIES[code].advice}`);
  const code = { type: "string", enum: codes };
  const schema = {
    allOf: [
      { $ref: schemaRef("Error") },
      { type: "object", required: ["code"], properties: { code } },
    ],
  };
  return {
    description: [`${answer.description} It costs nothing.`, "", ...advice].join("\n"),
    headers: headersOf(answer),
    content: json(
      schema,
      Object.fromEntries(codes.flatMap((name) => Object.entries(examplesOf(name)))),
    ),
    "x-retry": Object.fromEntries(codes.map((name) => [name, RETRIES[name]])),
  };
}

function isCode(name: string): name is ErrorCode {
  return name in ERRORS;
}

function json(schema: object, examples: object) {
  return { "application/json": { schema, examples } };
}

/**
 * A header that every one of these answers has, but not those of another status, is written out: a
 * reference cannot say so.
 */
function headersOf({ always = [], maybe = [] }: Answer) {
  const isReferred = (name: HeaderName) => "required" in HEADERS[name];
  const referred = [...EVERY, ...always.filter(isReferred), ...maybe];
  const written = always.filter((name) => !isReferred(name));
  return Object.fromEntries<object>([
    ...referred.map((name) => [name, { $ref: headerRef(name) }] as const),
    ...written.map((name) => [name, { ...HEADERS[name], required: true }] as const),
  ]);
}

function headerRef(name: string): string {
  return `#/components/headers/${name}`;
}
