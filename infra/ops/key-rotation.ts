import type { Item } from "../../src/store/dynamodb.ts";
import type { Tables } from "../tables/tables.ts";
import { type Answer, answer, problem, unreachable } from "../terminal/answer.ts";
import { statusOf } from "./key-view.ts";
import {
  changeKey,
  generateKey,
  keyAddress,
  type NewKey,
  readKeyItem,
  requireActive,
  storeKey,
} from "./keys.ts";

/** The new key, and the old one, which works until its end. */
export interface RotatedKey extends NewKey {
  readonly old_key_id: string;
  readonly old_key_ends_at: string;
}

export interface Rotation {
  readonly keyId: string;
  /** How long the old key goes on working; 0 revokes it at once. */
  readonly graceMs: number;
}

/**
 * Makes a new key of the same account and label, and gives the old one an end. The old key learns of
 * the new one first and gets its end last: a rotation that stops anywhere leaves the old key working,
 * and a repetition finds the key that the first one made. That key is never shown a second time.
 */
export async function rotateKey(
  tables: Tables,
  { keyId, graceMs }: Rotation,
): Promise<Answer<RotatedKey>> {
  const old = await readRotatable(tables, keyId);
  if (!old.ok) return old;
  const account = old.value["account"]?.S ?? "";
  const active = await requireActive(tables, account);
  if (!active.ok) return active;
  const fresh = await generateKey();
  const announced = await announce(tables, old.value, fresh.keyId);
  if (!announced.ok) return announced;
  const owner = { account, label: old.value["label"]?.S ?? "" };
  const stored = await storeKey(tables, fresh, owner);
  if (!stored.ok) return problem(`${stored.problem} The key ${keyId} works as before.`);
  const ended = await end(tables, { keyId, graceMs }, fresh.keyId);
  if (!ended.ok) return ended;
  return answer({ ...stored.value, old_key_id: keyId, old_key_ends_at: ended.value });
}

async function readRotatable(tables: Tables, keyId: string): Promise<Answer<Item>> {
  const found = await readKeyItem(tables, keyId);
  if (!found.ok) return found;
  const status = statusOf(found.value);
  const create = `key create --account ${found.value["account"]?.S}`;
  if (status === "inactive") {
    return problem(
      `The key ${keyId} is inactive: nobody can use it. Run key activate first, or ${create}.`,
    );
  }
  if (status !== "active") {
    return problem(
      `The key ${keyId} is ${status}: there is nothing to change over from. Run ${create}.`,
    );
  }
  const next = found.value["replaced_by"]?.S;
  return next === undefined ? found : unlessReplaced(tables, found.value, next);
}

/** A replacement that was revoked, or that an earlier rotation never stored, replaces nothing. */
async function unlessReplaced(tables: Tables, old: Item, next: string): Promise<Answer<Item>> {
  const found = await tables.dynamo.read(keyAddress(tables, next));
  if (found.outcome === "unknown") return unreachable(found.cause);
  if (found.item === null || statusOf(found.item) === "revoked") return answer(old);
  const keyId = old["key_id"]?.S;
  const ends = old["expires_at"]?.S;
  const state = ends === undefined ? "has no end yet" : `ends at ${ends}`;
  return problem(
    `The key ${keyId} was rotated already: ${next} replaces it, and ${keyId} ${state}. Nothing was ` +
      `changed. If nobody has seen the new key, run key revoke for ${next}, then key rotate again.`,
  );
}

/** Of two rotations at once, the one that announces last goes on. */
async function announce(tables: Tables, old: Item, next: string): Promise<Answer<void>> {
  const keyId = old["key_id"]?.S ?? "";
  const before = old["replaced_by"];
  const write = await tables.dynamo.update({
    ...keyAddress(tables, keyId),
    UpdateExpression: "SET replaced_by = :next",
    ConditionExpression:
      "#status = :active AND " +
      (before === undefined ? "attribute_not_exists(replaced_by)" : "replaced_by = :before"),
    ExpressionAttributeNames: { "#status": "status" },
    ExpressionAttributeValues: {
      ":next": { S: next },
      ":active": { S: "active" },
      ...(before !== undefined && { ":before": before }),
    },
  });
  if (write.outcome === "written") return answer(undefined);
  return write.outcome === "refused"
    ? problem(`The key ${keyId} was changed meanwhile. Nothing was made. Run the command again.`)
    : problem(
        `DynamoDB gave no answer (${write.cause}). No key was made, and ${keyId} works as before. ` +
          "Run the command again.",
      );
}

/** @returns the end of the old key, a whole second, as the HTTP header has it. */
async function end(
  tables: Tables,
  { keyId, graceMs }: Rotation,
  next: string,
): Promise<Answer<string>> {
  const nowMs = Date.now();
  const endsAt = new Date(Math.ceil((nowMs + graceMs) / 1000) * 1000).toISOString();
  // No clock decides when a key without a grace ends.
  const change =
    graceMs === 0
      ? { set: "#name = :value, changed_at = :now", name: "status", value: "revoked" }
      : { set: "#name = :value", name: "expires_at", value: endsAt };
  const now = new Date(nowMs).toISOString();
  const write = await tables.dynamo.update({
    ...keyAddress(tables, keyId),
    UpdateExpression: `SET ${change.set}`,
    ConditionExpression: "replaced_by = :next",
    ExpressionAttributeNames: { "#name": change.name },
    ExpressionAttributeValues: {
      ":value": { S: change.value },
      ":next": { S: next },
      ...(graceMs === 0 && { ":now": { S: now } }),
    },
  });
  if (write.outcome === "written") return answer(graceMs === 0 ? now : endsAt);
  if (write.outcome === "refused") return withdraw(tables, keyId, next);
  return problem(
    `DynamoDB gave no answer (${write.cause}). The new key ${next} was made, but nobody has seen it, ` +
      `and ${keyId} may have its end already. Run key revoke for ${next}, then key rotate again.`,
  );
}

/** Another rotation of the same key came between: its key counts. */
async function withdraw(tables: Tables, keyId: string, next: string): Promise<Answer<never>> {
  const withdrawn = await changeKey(tables, next, "revoked");
  return problem(
    `Somebody else rotated ${keyId} at the same time. ` +
      (withdrawn.ok
        ? `The key that this command made, ${next}, is revoked again.`
        : `Nobody has seen ${next}, which this command made. Run key revoke for it.`),
  );
}
