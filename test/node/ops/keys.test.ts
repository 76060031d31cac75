import { afterAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { changeAccount, createAccount } from "../../../infra/ops/accounts.ts";
import { type RotatedKey, rotateKey } from "../../../infra/ops/key-rotation.ts";
import { findKey } from "../../../infra/ops/key-search.ts";
import { changeKey, createKey, listKeys } from "../../../infra/ops/keys.ts";
import { grace } from "../../../infra/ops/options.ts";
import type { Tables } from "../../../infra/tables/tables.ts";
import { type Answer, take } from "../../../infra/terminal/answer.ts";
import { fingerprint, formatApiKey } from "../../../src/keys/api-key.ts";
import { lookUpKey } from "../../../src/keys/lookup.ts";
import { runOps } from "./command.ts";
import { losing, startTables } from "./engine.ts";

const DAY_MS = 86_400_000;
const STRANGER = formatApiKey(new Uint8Array(32).fill(9));

const { connection, tables, stop } = await startTables();
afterAll(stop);

/** A verified account with one key. */
async function holder() {
  const email = `${crypto.randomUUID()}@example.com`;
  const account = take(await createAccount(tables, email)).account_id;
  take(await changeAccount(tables, account, { email_verified: true }));
  const { key, key_id } = take(await createKey(tables, { account, label: "web shop" }));
  return { account, email, key, keyId: key_id };
}

/** What the worker makes of a key at a time. */
async function lookUp(key: string, nowMs = Date.now()) {
  const print = await fingerprint(key);
  return lookUpKey(tables.dynamo, tables.apiKeys, print, () => nowMs);
}

async function setEnd(keyId: string, end: Date): Promise<void> {
  await tables.dynamo.update({
    TableName: tables.apiKeys,
    Key: { key_id: { S: keyId } },
    UpdateExpression: "SET expires_at = :end",
    ConditionExpression: "attribute_exists(key_id)",
    ExpressionAttributeValues: { ":end": { S: end.toISOString() } },
  });
}

const keysOf = async (account: string) => take(await listKeys(tables, account));

/** The keys of an account that still work. */
async function workingKeys(account: string): Promise<string[]> {
  const working = (await keysOf(account)).filter(({ status }) => status === "active");
  return working.map(({ key_id }) => key_id);
}

describe("the rotation of a key", () => {
  it("makes a key of the same account and label, and ends the old one after its grace", async () => {
    const { account, key, keyId } = await holder();
    const beforeMs = Date.now();
    const rotated = take(await rotateKey(tables, { keyId, graceMs: DAY_MS }));
    const endsMs = Date.parse(rotated.old_key_ends_at);
    expect(rotated).toMatchObject({ account_id: account, old_key_id: keyId });
    expect(endsMs % 1000).toBe(0);
    expect(endsMs - beforeMs).toBeGreaterThanOrEqual(DAY_MS);
    expect(endsMs - Date.now()).toBeLessThanOrEqual(DAY_MS + 1000);
    expect(await lookUp(key)).toMatchObject({ outcome: "active", key: { expiresMs: endsMs } });
    expect(await lookUp(key, endsMs - 1)).toMatchObject({ outcome: "active" });
    expect(await lookUp(key, endsMs)).toMatchObject({ outcome: "refused" });
    const late = await lookUp(rotated.key, endsMs + 1000 * DAY_MS);
    expect(late).toMatchObject({ outcome: "active", key: { account, expiresMs: null } });
    const [old, fresh] = await Promise.all(
      [keyId, rotated.key_id].map(async (id) =>
        (await keysOf(account)).find(({ key_id }) => key_id === id),
      ),
    );
    expect(old).toMatchObject({ status: "active", expires_at: rotated.old_key_ends_at });
    expect(fresh).toMatchObject({ status: "active", expires_at: "", label: "web shop" });
  });

  it("without a grace revokes the old key at once, whatever the clocks say", async () => {
    const { account, key, keyId } = await holder();
    const rotated = take(await rotateKey(tables, { keyId, graceMs: 0 }));
    expect(await lookUp(key, 0)).toMatchObject({ outcome: "refused", cause: "the key is revoked" });
    expect(await lookUp(rotated.key)).toMatchObject({ outcome: "active" });
    expect(await workingKeys(account)).toEqual([rotated.key_id]);
  });

  it("can be repeated on the new key, and again", async () => {
    const { account, keyId } = await holder();
    const second = take(await rotateKey(tables, { keyId, graceMs: DAY_MS }));
    const third = take(await rotateKey(tables, { keyId: second.key_id, graceMs: DAY_MS }));
    expect((await workingKeys(account)).sort()).toEqual(
      [keyId, second.key_id, third.key_id].sort(),
    );
  });

  it("of a key that was rotated already makes nothing, and says which key replaces it", async () => {
    const { account, keyId } = await holder();
    const first = take(await rotateKey(tables, { keyId, graceMs: DAY_MS }));
    expect(await rotateKey(tables, { keyId, graceMs: 0 })).toEqual({
      ok: false,
      problem:
        `The key ${keyId} was rotated already: ${first.key_id} replaces it, and ${keyId} ends at ` +
        `${first.old_key_ends_at}. Nothing was changed. If nobody has seen the new key, run key ` +
        `revoke for ${first.key_id}, then key rotate again.`,
    });
    expect(await workingKeys(account)).toHaveLength(2);
    take(await changeKey(tables, first.key_id, "revoked"));
    const again = take(await rotateKey(tables, { keyId, graceMs: 2 * DAY_MS }));
    expect(Date.parse(again.old_key_ends_at)).toBeGreaterThan(Date.parse(first.old_key_ends_at));
    expect((await workingKeys(account)).sort()).toEqual([keyId, again.key_id].sort());
  });

  it.each([
    ["inactive", "key activate", (keyId: string) => changeKey(tables, keyId, "inactive")],
    ["revoked", "key create", (keyId: string) => changeKey(tables, keyId, "revoked")],
    ["expired", "key create", (keyId: string) => setEnd(keyId, new Date(Date.now() - 1))],
  ])("is refused for a key that is %s, and says what to do: %s", async (state, advice, change) => {
    const { account, keyId } = await holder();
    await change(keyId);
    const refused = await rotateKey(tables, { keyId, graceMs: DAY_MS });
    expect(refused).toMatchObject({ ok: false, problem: expect.stringContaining(advice) });
    expect(refused).toMatchObject({ problem: expect.stringContaining(`is ${state}`) });
    expect(await keysOf(account)).toHaveLength(1);
  });

  it("is refused for an account that is not active, and for no key at all", async () => {
    const { account, key, keyId } = await holder();
    take(await changeAccount(tables, account, { status: "suspended" }));
    const rotation = { keyId, graceMs: DAY_MS };
    expect(await rotateKey(tables, rotation)).toMatchObject({
      problem: expect.stringContaining("account activate"),
    });
    expect(await rotateKey(tables, { ...rotation, keyId: "key_x" })).toMatchObject({
      problem: expect.stringContaining("There is no key key_x"),
    });
    take(await changeAccount(tables, account, { status: "active" }));
    expect(await keysOf(account)).toHaveLength(1);
    expect(await lookUp(key, Date.now() + 1000 * DAY_MS)).toMatchObject({ outcome: "active" });
  });

  /** Does what the sentence of a rotation that broke says, until one is through. */
  async function follow(keyId: string, broken: Answer<RotatedKey>, steps = 2): Promise<RotatedKey> {
    if (broken.ok || steps === 0) return take(broken);
    const unseen = /run key revoke for (key_\w+)/i.exec(broken.problem)?.[1];
    if (unseen !== undefined) {
      await changeKey(tables, unseen, "revoked");
    }
    return follow(keyId, await rotateKey(tables, { keyId, graceMs: DAY_MS }), steps - 1);
  }

  // The announcement, the new key, the old key's end.
  const losses = [1, 2, 3].flatMap((nth) =>
    (["request", "answer"] as const).map((loss) => ({ nth, loss })),
  );

  it.each(losses)("leaves one key more when the $loss of write $nth is lost", async (lost) => {
    const { account, key, keyId } = await holder();
    const broken = await rotateKey(losing(tables, lost.nth, lost.loss), { keyId, graceMs: DAY_MS });
    expect(broken).toMatchObject({ ok: false, problem: expect.stringContaining("no answer") });
    expect(await lookUp(key)).toMatchObject({ outcome: "active" });
    const rotated = await follow(keyId, broken);
    expect((await workingKeys(account)).sort()).toEqual([keyId, rotated.key_id].sort());
    expect(await lookUp(rotated.key)).toMatchObject({ outcome: "active", key: { account } });
    expect(await lookUp(key, Date.parse(rotated.old_key_ends_at))).toMatchObject({
      outcome: "refused",
    });
  });

  it("counts once when two rotate at once, and leaves no key that nobody has seen", async () => {
    for (let round = 0; round < 10; round++) {
      const { account, keyId } = await holder();
      const both = await Promise.all(
        [1, 2].map(() => rotateKey(tables, { keyId, graceMs: DAY_MS })),
      );
      const seen = both.flatMap((one) => (one.ok ? [one.value.key_id] : []));
      expect(seen).toHaveLength(1);
      expect((await workingKeys(account)).sort()).toEqual([keyId, ...seen].sort());
    }
  });

  it("is not undone by a write of an earlier one that lands late", async () => {
    const { account, keyId } = await holder();
    const parked: Parameters<Tables["dynamo"]["update"]>[0][] = [];
    const update: Tables["dynamo"]["update"] = async (write) => {
      parked.push(write);
      return { outcome: "unknown", cause: "late" };
    };
    const rotation = { keyId, graceMs: DAY_MS };
    const late = { ...tables, dynamo: { ...tables.dynamo, update } };
    expect((await rotateKey(late, rotation)).ok).toBe(false);
    const { key_id } = take(await rotateKey(tables, rotation));
    for (const write of parked) {
      expect(await tables.dynamo.update(write)).toMatchObject({ outcome: "refused" });
    }
    expect(parked).toHaveLength(1);
    expect(await rotateKey(tables, rotation)).toMatchObject({
      problem: expect.stringContaining(`${key_id} replaces it`),
    });
    expect(await workingKeys(account)).toHaveLength(2);
  });

  it("that another one overtakes revokes its own key again", async () => {
    const { account, keyId } = await holder();
    let other: Answer<RotatedKey> | null = null;
    const put: Tables["dynamo"]["put"] = async (write) => {
      other ??= await rotateKey(tables, { keyId, graceMs: DAY_MS });
      return tables.dynamo.put(write);
    };
    const slow = { ...tables, dynamo: { ...tables.dynamo, put } };
    expect(await rotateKey(slow, { keyId, graceMs: 0 })).toMatchObject({
      ok: false,
      problem: expect.stringContaining("is revoked again"),
    });
    expect(other).toMatchObject({ ok: true });
    expect(await workingKeys(account)).toHaveLength(2);
    expect(await keysOf(account)).toHaveLength(3);
  });
});

describe("a key that is revoked again", () => {
  it("stays as it was, and the answer says so", async () => {
    const { keyId } = await holder();
    const first = take(await changeKey(tables, keyId, "revoked"));
    expect(first).toMatchObject({ status: "revoked", changed: true });
    const again = take(await changeKey(tables, keyId, "revoked"));
    expect(again).toEqual({ ...first, changed: false });
  });
});

describe("a key whose grace has passed", () => {
  it("is shown as expired, and cannot be activated", async () => {
    const { account, keyId } = await holder();
    take(await changeKey(tables, keyId, "inactive"));
    await setEnd(keyId, new Date(Date.now() - 1));
    expect(await changeKey(tables, keyId, "active")).toMatchObject({
      ok: false,
      problem: expect.stringContaining("Create another one"),
    });
    const { keyId: other, account: owner } = await holder();
    await setEnd(other, new Date(Date.now() - 1));
    expect(await keysOf(owner)).toMatchObject([{ status: "expired" }]);
    expect(await keysOf(account)).toMatchObject([{ status: "inactive" }]);
    expect(take(await changeKey(tables, other, "revoked")).status).toBe("revoked");
  });
});

describe("a key that somebody found", () => {
  it("is named with its account, label and state, and nothing of it is repeated", async () => {
    const { account, email, key, keyId } = await holder();
    for (const text of [key, ` ${key}\r\n`, `\n\t${key}\n\n`]) {
      const found = take(await findKey(tables, text));
      expect(found).toMatchObject({
        ...{ key_id: keyId, account_id: account, email, label: "web shop" },
        ...{ status: "active", expires_at: "", account_state: "active" },
      });
      expect(JSON.stringify(found)).not.toContain(key.slice(-4));
    }
    const { old_key_ends_at } = take(await rotateKey(tables, { keyId, graceMs: DAY_MS }));
    expect(take(await findKey(tables, key))).toMatchObject({ expires_at: old_key_ends_at });
    take(await changeAccount(tables, account, { status: "suspended" }));
    expect(take(await findKey(tables, key))).toMatchObject({ account_state: "suspended" });
    for (const status of ["inactive", "revoked"] as const) {
      take(await changeKey(tables, keyId, status));
      expect(take(await findKey(tables, key))).toMatchObject({ status });
    }
  });

  it("is told from one that was never made, and from what is no key", async () => {
    const { keyId } = await fingerprint(STRANGER);
    const problemOf = async (text: string) => {
      const found = await findKey(tables, text);
      return found.ok ? "" : found.problem;
    };
    expect(await problemOf(STRANGER)).toMatch(
      new RegExp(`^This is no key of ours. .* these tables have no key ${keyId}\\.$`),
    );
    const noKeys = ["x", STRANGER.slice(1), `${STRANGER} ${STRANGER}`, `Bearer ${STRANGER}`];
    for (const text of noKeys) {
      const told = await problemOf(text);
      expect(told).toMatch(/^This is no key of ours. It has not the shape of one/);
      expect(told).not.toContain(STRANGER.slice(10, 20));
    }
    for (const text of ["", " \n"]) expect(await problemOf(text)).toMatch(/^Nothing came/);
  });
});

describe("the command", () => {
  const ops = (words: readonly string[], input?: string) =>
    runOps(connection, ["--json", ...words], input);
  const statusOf = async (account: string) => (await keysOf(account)).map(({ status }) => status);

  it("revokes nothing without --yes where nobody can be asked", async () => {
    const { account, keyId } = await holder();
    const revoke = ["key", "revoke", "--key-id", keyId];
    expect(await ops(revoke, "y\n")).toMatchObject({
      code: 1,
      out: "",
      error: expect.stringContaining("--yes"),
    });
    const rotate = ["key", "rotate", "--key-id", keyId, "--grace"];
    expect(await ops([...rotate, "0"])).toMatchObject({ code: 1, out: "" });
    expect(await statusOf(account)).toEqual(["active"]);
    expect(await ops([...revoke, "--yes"])).toMatchObject({ code: 0, error: "" });
    expect(await statusOf(account)).toEqual(["revoked"]);
    const again = await runOps(connection, [...revoke, "--yes"]);
    expect([again.code, again.out]).toEqual([0, expect.stringContaining("it was revoked already")]);
  });

  it("rotates, and prints the new key once", async () => {
    const { account, keyId } = await holder();
    const rotate = ["key", "rotate", "--key-id", keyId, "--grace", "24h"];
    const { out, error, code } = await ops(rotate);
    expect({ error, code }).toEqual({ error: "", code: 0 });
    const { key } = z.object({ key: z.string() }).parse(JSON.parse(out));
    expect(out.split(key)).toHaveLength(2);
    expect(await lookUp(key)).toMatchObject({ outcome: "active", key: { account } });
    expect(await ops(rotate)).toMatchObject({ code: 1, out: "" });
    expect(await ops(["key", "rotate", "--key-id", keyId, "--grace", "1w"])).toMatchObject({
      code: 2,
      error: expect.stringContaining("90s, 30m, 24h or 7d"),
    });
  });

  it("finds a key on standard input, and repeats nothing of it", async () => {
    const { account, key } = await holder();
    const found = await ops(["key", "find"], `  ${key}\n`);
    expect(found).toMatchObject({ code: 0, error: "" });
    expect(JSON.parse(found.out)).toMatchObject({ account_id: account, status: "active" });
    const unknown = await ops(["key", "find"], STRANGER);
    expect(unknown).toMatchObject({ code: 1, out: "" });
    expect(found.out + unknown.error).not.toMatch(/svc_live_\w{10}/);
  });

  it.each([[STRANGER], ["--key", STRANGER], [`--key=${STRANGER}`], ["--", STRANGER], ["-k"]])(
    "takes no key as an argument, and does not repeat it: %s",
    async (...words) => {
      const { out, error, code } = await ops(["key", "find", ...words], STRANGER);
      expect([code, out]).toEqual([2, ""]);
      expect(error).toContain("takes no argument");
      expect(error).not.toContain(STRANGER.slice(0, 20));
    },
  );
});

describe("a grace", () => {
  it.each([
    ["0", 0],
    ["90s", 90_000],
    ["30m", 1_800_000],
    ["24h", DAY_MS],
    ["7d", 7 * DAY_MS],
    ["90d", 90 * DAY_MS],
  ])("of %s is understood", (text, expected) => {
    expect(grace(text)).toBe(expected);
  });

  it.each([
    "",
    "5",
    "-1h",
    "1.5h",
    "1w",
    "0h",
    "24 h",
    "24H",
    "91d",
    "7776001s",
    "9999999d",
    "1h1m",
  ])("of %j is refused, with the forms that there are", (text) => {
    expect(() => grace(text)).toThrow("90s, 30m, 24h or 7d; at most 90d.");
  });
});
