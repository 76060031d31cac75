import type { Log } from "../log/log.ts";
import type { Address, Dynamo } from "../store/dynamodb.ts";
import { BACKOFF_FIRST_MS, BACKOFF_LAST_MS } from "./limits.ts";
import type { Authenticate } from "./record-mac.ts";

/** What the credit functions need. */
export interface Ledger {
  readonly dynamo: Dynamo;
  readonly accountsTable: string;
  readonly ledgerTable: string;
  /** Adds its MAC to a record. */
  readonly authenticate: Authenticate;
  readonly now: () => number;
  readonly sleep: (delayMs: number) => Promise<void>;
  /** At least 0, below 1. */
  readonly random: () => number;
  /** A value that no other attempt of the same request has. Short, because it is stored. */
  readonly nonce: () => string;
  /** How long a hold lives before the sweep may return it. */
  readonly holdLifeMs: number;
  readonly log: Log;
}

/** A durable reservation. */
export interface Hold {
  readonly account: string;
  readonly requestId: string;
  /** Reserved credits. */
  readonly credits: number;
  /** Whose counter counts the hold; null if it was made before the counters. */
  readonly service: string | null;
  readonly nonce: string;
  readonly expiresMs: number;
}

/** Where an account's item is. */
export function accountAddress(accountsTable: string, account: string): Address {
  return { TableName: accountsTable, Key: { account: { S: account } } };
}

/**
 * Waits before attempt `attempt` + 1 (the first is 0). Half of the delay is random, so that
 * requests do not retry at the same moment.
 */
export function backOff(ledger: Ledger, attempt: number): Promise<void> {
  const fullMs = Math.min(BACKOFF_FIRST_MS * 2 ** attempt, BACKOFF_LAST_MS);
  return ledger.sleep(fullMs / 2 + (ledger.random() * fullMs) / 2);
}
