import type { Item } from "../../src/store/dynamodb.ts";

export interface KeyView {
  readonly key_id: string;
  readonly account_id: string;
  /** `active`, `inactive`, `revoked`, or `expired`: rotated, and its grace has passed. */
  readonly status: string;
  readonly label: string;
  /** The key's last characters, to tell it from others. */
  readonly last_characters: string;
  readonly created_at: string;
  readonly changed_at: string;
  /** The end of a rotated key; empty without an end. */
  readonly expires_at: string;
}

export function viewKey(item: Item): KeyView {
  const text = (name: string) => item[name]?.S ?? "";
  return {
    key_id: text("key_id"),
    account_id: text("account"),
    status: statusOf(item),
    label: text("label"),
    last_characters: text("last_characters"),
    created_at: text("created_at"),
    changed_at: text("changed_at"),
    expires_at: text("expires_at"),
  };
}

export function statusOf(item: Item): string {
  const status = item["status"]?.S ?? "";
  const end = item["expires_at"]?.S;
  return status === "active" && end !== undefined && hasPassed(end) ? "expired" : status;
}

/** An end that cannot be read has passed, as for the worker. */
function hasPassed(end: string): boolean {
  return !(Date.now() < Date.parse(end));
}
