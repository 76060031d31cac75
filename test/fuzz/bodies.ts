import fc from "fast-check";
import { inject } from "vitest";
import { ERRORS } from "../../src/contract/errors.ts";
import { errorSchema, resolveResponseSchema, SERVICES } from "../../src/contract/schemas.ts";
import { balancesOf, startService } from "../support/service.ts";
import { sampled } from "../support/source-replies.ts";
import { createTally, type Fuzz, pasteable } from "./fuzz.ts";

/** An account's credits last for a few successes: then there is 402 as well. */
const REQUESTS_AN_ACCOUNT = 30;
const CREDITS = 20;

/** One HTTP request of a client, or of somebody else. */
interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const VISIBLE = fc.stringMatching(/^[!-~]{0,40}$/);
const JSON_TYPE = "application/json";

/** A request as the contract has it, of any post of the samples, or nearly so. */
function requests(): fc.Arbitrary<string> {
  const posts = inject("samples").flatMap(({ service, sourceUrl: url }) =>
    url === null ? [] : [{ service, url }],
  );
  const count = fc.oneof(fc.integer({ min: 1, max: 20 }), fc.double(), fc.constantFrom(0, 21, "5"));
  const exact = fc
    .tuple(fc.constantFrom(...posts), fc.integer({ min: 1, max: 12 }))
    .map(([post, max_results]) => JSON.stringify({ ...post, max_results }));
  const fields = fc.record(
    {
      service: fc.oneof(fc.constantFrom<unknown>(...SERVICES), fc.jsonValue()),
      url: fc.oneof(fc.constantFrom(...posts.map(({ url }) => url)), fc.webUrl(), fc.jsonValue()),
      max_results: fc.oneof(count, fc.jsonValue()),
      extra: fc.jsonValue(),
    },
    { requiredKeys: ["service", "url"] },
  );
  const near = fields.map((value) => JSON.stringify(value));
  const cut = fc.tuple(exact, fc.nat({ max: 200 })).map(([text, at]) => text.slice(0, at));
  const long = fc.nat({ max: 20_000 }).map((size) => `{"url":"${"x".repeat(size)}"}`);
  const depth = fc.nat({ max: 5_000 }).map((size) => "[".repeat(size));
  return fc.oneof(
    { weight: 6, arbitrary: exact },
    { weight: 3, arbitrary: near },
    ...[cut, long, depth, fc.json(), fc.string({ unit: "binary" })].map((arbitrary) => {
      return { weight: 1, arbitrary };
    }),
  );
}

/** `KEY` in a header stands for the account's key. */
function sendings(): fc.Arbitrary<Sent> {
  const authorization = fc.oneof(
    { weight: 8, arbitrary: fc.constant("Bearer KEY") },
    { weight: 1, arbitrary: fc.constantFrom("bearer  KEY", "Basic KEY", "KEY", "Bearer KEYx") },
    { weight: 1, arbitrary: VISIBLE.map((text) => `Bearer svc_live_${text}`) },
  );
  const type = fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom(JSON_TYPE, `${JSON_TYPE}; charset=utf-8`) },
    { weight: 1, arbitrary: fc.constantFrom("text/plain", "", "application/json5", ";") },
    { weight: 1, arbitrary: VISIBLE },
  );
  const headers = fc.record(
    {
      authorization,
      "content-type": type,
      "x-request-id": VISIBLE,
      "idempotency-key": VISIBLE,
      "content-encoding": VISIBLE,
      accept: VISIBLE,
    },
    { requiredKeys: ["authorization", "content-type"] },
  );
  const path = fc.oneof(
    { weight: 12, arbitrary: fc.constantFrom("/v1/resolve", "/v1/resolve?x=1") },
    { weight: 1, arbitrary: fc.constantFrom("/", "/v1/resolve/", "/V1/resolve", "//v1/resolve") },
    { weight: 1, arbitrary: fc.webPath() },
  );
  const method = fc.oneof(
    { weight: 12, arbitrary: fc.constant("POST") },
    { weight: 1, arbitrary: fc.constantFrom("GET", "PUT", "DELETE", "OPTIONS", "PATCH") },
  );
  return fc.record({ method, path, headers, body: requests() });
}

async function openAccount() {
  const fetch: typeof globalThis.fetch = async (input, init) =>
    sampled(new Request(input, init)) ?? new Response(null, { status: 404 });
  return startService({ fetch });
}
type Service = Awaited<ReturnType<typeof openAccount>>;

async function send({ send, key }: Service, { method, path, headers, body }: Sent) {
  const named = Object.entries(headers).map(([name, value]): [string, string] => {
    return [name, value.replace("KEY", key)];
  });
  return send(path, { method, headers: named, ...(method !== "GET" && { body }) });
}

/**
 * Returns the outcome's name.
 * @throws Error for an answer that is not documented, or whose credits are not the account's
 */
async function judge(service: Service, sent: Sent): Promise<string> {
  const before = balancesOf(service.engine);
  const response = await send(service, sent);
  const after = balancesOf(service.engine);
  const told = await readAnswer(response);
  const isReplayed = response.headers.get("Idempotent-Replayed") === "true";
  const charge = isReplayed ? 0 : told.charge;
  demand(after.charged - before.charged === charge, `charged ${after.charged - before.charged}`);
  demand(after.available === before.available - charge, `available ${after.available}`);
  demand(after.available + after.charged === CREDITS, "credits are not conserved");
  demand(after.held === 0 && after.holds === 0, `held ${after.held}`);
  const exception = service.logs.find(({ cause }) => String(cause).includes("exception"));
  demand(exception === undefined, `an exception: ${JSON.stringify(exception)}`);
  return `${response.status} ${told.code}`;
}

async function readAnswer(response: Response) {
  const id = response.headers.get("x-request-id");
  demand(response.headers.get("cache-control") === "no-store", "it may be cached");
  const body: unknown = await response.json();
  if (response.status === 200) {
    const found = resolveResponseSchema.parse(body);
    demand(found.request_id === id, "another request id in the body");
    demand(found.items.length === found.item_count, "another number of items");
    return { code: "OK", charge: found.credits_used };
  }
  const { code, request_id } = errorSchema.parse(body);
  const known = Object.entries(ERRORS).find(([name]) => name === code);
  demand(known?.[1].status === response.status, `${code} with status ${response.status}`);
  demand(request_id === id, "another request id in the body");
  return { code, charge: 0 };
}

function demand(holds: boolean, broken: string): void {
  if (!holds) throw new Error(broken);
}

/** Requests of every sort: a documented answer, and not a credit lost or made. */
export const fuzzBodies: Fuzz = async (seed, cases) => {
  const tally = createTally();
  const lengths = { minLength: 1, maxLength: REQUESTS_AN_ACCOUNT, size: "max" } as const;
  const arbitrary = fc.array(sendings(), lengths);
  const property = fc.asyncProperty(arbitrary, async (list) => {
    const service = await openAccount();
    for (const sent of list) tally.add(await judge(service, sent));
  });
  const numRuns = Math.ceil(cases / (REQUESTS_AN_ACCOUNT / 2));
  const report = await fc.check(property, { seed, numRuns });
  return tally.findings(pasteable(report, ([list]) => testOf(list)));
};

function testOf(list: readonly Sent[]): string {
  const lines = list.map(({ method, path, headers, body }) => {
    const init = JSON.stringify({ method, headers, body });
    return `  await send(${JSON.stringify(path)}, ${init}); // KEY is the account's`;
  });
  const start = "  const { send, engine, key } = await startService();";
  return [`it("is answered as documented", async () => {`, start, ...lines, "});"].join("\n");
}
