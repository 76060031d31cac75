import { describe, expect, it } from "vitest";
import { errorSchema } from "../../../src/contract/schemas.ts";
import { fingerprint, formatApiKey } from "../../../src/keys/api-key.ts";
import { LIMIT_REQUESTS, type Limiter } from "../../../src/limiter/limiter.ts";
import {
  ACCOUNTS,
  ALLOWED,
  addAccount,
  addKey,
  balancesOf,
  createClock,
  createTestEngine,
  KEYS,
  LEDGER,
  startService,
} from "../../support/service.ts";
import { sampled } from "../../support/source-replies.ts";

const VALID = { service: "microblog", url: "https://x.com/someone/status/1", max_results: 1 };
const SAMPLE = { ...VALID, url: "https://x.com/sample_account/status/1900000000000000102" };
/** The clock of the tests stands at 12:00:00 of this day. */
const ENDS_AT = "2026-10-31T12:30:00.000Z";
const ENDS_HTTP = "Sat, 31 Oct 2026 12:30:00 GMT";
const GRACE_MS = 30 * 60_000;

/** The service with one account, whose key ends at a time. */
async function start(expiresAt: string | null, limiter?: Limiter) {
  const engine = createTestEngine();
  const clock = createClock();
  let reads = 0;
  let isBroken = false;
  const read: typeof engine.dynamo.read = async (address) => {
    if (isBroken) return { outcome: "unknown", cause: "down" };
    if (address.TableName === KEYS) reads += 1;
    return engine.dynamo.read(address);
  };
  await addAccount(engine.dynamo);
  const key = await addKey(engine.dynamo, "acct_test");
  const change = async (attributes: Readonly<Record<string, string>>) => {
    for (const [name, value] of Object.entries(attributes)) {
      await engine.dynamo.update({
        TableName: KEYS,
        Key: { key_id: { S: (await fingerprint(key)).keyId } },
        UpdateExpression: "SET #name = :value",
        ConditionExpression: "attribute_exists(key_id)",
        ExpressionAttributeNames: { "#name": name },
        ExpressionAttributeValues: { ":value": { S: value } },
      });
    }
  };
  if (expiresAt !== null) await change({ expires_at: expiresAt });
  const dynamo = { ...engine.dynamo, read };
  const fetch: typeof globalThis.fetch = async (input, init) =>
    sampled(new Request(input, init)) ?? new Response(null, { status: 404 });
  const overrides = limiter === undefined ? {} : { limiter };
  const service = await startService({ dynamo, now: clock.now, fetch, ...overrides });
  const ask = (body: unknown = VALID) => service.resolve(body, { authorization: `Bearer ${key}` });
  const breakStore = () => {
    isBroken = true;
  };
  return { ...service, ask, engine, clock, change, breakStore, readsOfKeys: () => reads };
}

const endOf = ({ headers }: Response) => headers.get("x-api-key-expires");

/** All that a client sees of an answer but the request's own id. */
async function seen(response: Response) {
  const { request_id: _, ...body } = errorSchema.parse(await response.json());
  const { "x-request-id": id, ...headers } = Object.fromEntries(response.headers);
  return { status: response.status, body, headers, hasId: id !== undefined };
}

describe("a key in its grace", () => {
  it("works, and every answer says when it ends", async () => {
    const { ask } = await start(ENDS_AT);
    for (const [body, status] of [
      [SAMPLE, 200],
      [VALID, 422],
      ["not json", 400],
      ["x".repeat(20_000), 400],
      [{ ...VALID, service: "nothing" }, 400],
      [
        { ...VALID, max_results: 20, service: "messenger-channel", url: "https://t.me/telegram/1" },
        402,
      ],
    ] as const) {
      const response = await ask(body);
      expect([response.status, endOf(response)]).toEqual([status, ENDS_HTTP]);
    }
  });

  it("says so when it is over its limit, also where it is not looked up any more", async () => {
    const over = { ...ALLOWED, allowed: false, remaining: 0 };
    let isSpent = false;
    const { ask, readsOfKeys } = await start(ENDS_AT, {
      refusal: () => (isSpent ? over : null),
      count: async () => over,
    });
    for (isSpent of [false, true]) {
      const response = await ask();
      expect([response.status, endOf(response)]).toEqual([429, ENDS_HTTP]);
    }
    expect(readsOfKeys()).toBe(1);
  });

  it("says so when the store cannot be asked, if it was looked up before", async () => {
    const { ask, breakStore } = await start(ENDS_AT);
    expect((await ask("{}")).status).toBe(400);
    breakStore();
    const response = await ask();
    expect([response.status, endOf(response)]).toEqual([502, ENDS_HTTP]);
  });

  it("is read once a request, as any other", async () => {
    const { ask, readsOfKeys } = await start(ENDS_AT);
    for (let requests = 1; requests <= 3; requests++) {
      await ask("{}");
      expect(readsOfKeys()).toBe(requests);
    }
  });

  it("works to the last millisecond, and no longer", async () => {
    const { ask, clock, engine } = await start(ENDS_AT);
    clock.pass(GRACE_MS - 1);
    expect((await ask("{}")).status).toBe(400);
    clock.pass(1);
    const response = await ask();
    expect([response.status, endOf(response)]).toEqual([401, null]);
    expect(engine.scan(LEDGER)).toEqual([]);
    expect(balancesOf(engine)).toMatchObject({ available: 20, held: 0 });
  });

  it("gets a 401 without its end when the reserve refuses its account", async () => {
    const { ask, engine } = await start(ENDS_AT);
    await engine.dynamo.update({
      TableName: ACCOUNTS,
      Key: { account: { S: "acct_test" } },
      UpdateExpression: "SET email_verified = :no",
      ConditionExpression: "attribute_exists(account)",
      ExpressionAttributeValues: { ":no": { BOOL: false } },
    });
    const response = await ask();
    expect([response.status, endOf(response)]).toEqual([401, null]);
  });

  it("ends at once when what is stored of its end cannot be read", async () => {
    const { ask } = await start("tomorrow");
    expect((await ask("{}")).status).toBe(401);
  });
});

describe("a key without an end", () => {
  it("has no such header", async () => {
    const { ask } = await start(null);
    const response = await ask("{}");
    expect([response.status, endOf(response)]).toEqual([400, null]);
  });
});

describe("a key that is not accepted", () => {
  const STATES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    revoked: { status: "revoked" },
    inactive: { status: "inactive" },
    expired: { expires_at: "2026-10-31T12:00:00.000Z" },
    "revoked in its grace": { status: "revoked", expires_at: ENDS_AT },
    "of a suspended account": { account_state: "suspended" },
    "of an unverified account in its grace": { account_state: "unverified", expires_at: ENDS_AT },
  };

  it.each(Object.keys(STATES))("gets the answer of an unknown key: %s", async (state) => {
    const { ask, change, resolve } = await start(null);
    const unknown = formatApiKey(new Uint8Array(32).fill(9));
    const expected = await seen(await resolve(VALID, { authorization: `Bearer ${unknown}` }));
    expect(expected).toMatchObject({ status: 401, hasId: true });
    await change(STATES[state] ?? {});
    for (const body of [VALID, "not json"]) expect(await seen(await ask(body))).toEqual(expected);
  });

  it("and has expired is read no more often than a revoked one, and never counted", async () => {
    const count = () => Promise.reject(new Error("counted"));
    const { ask, readsOfKeys } = await start("2026-10-31T12:00:00.000Z", {
      refusal: () => null,
      count,
    });
    for (let at = 0; at < LIMIT_REQUESTS + 30; at++) expect((await ask("{}")).status).toBe(401);
    expect(readsOfKeys()).toBe(LIMIT_REQUESTS);
  });
});
