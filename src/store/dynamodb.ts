import {
  ConditionalCheckFailedException,
  GetItemCommand,
  PutItemCommand,
  type PutItemCommandInput,
  QueryCommand,
  type QueryCommandInput,
  type QueryCommandOutput,
  UpdateItemCommand,
  type UpdateItemCommandInput,
  type UpdateItemCommandOutput,
} from "@aws-sdk/client-dynamodb";
import { describeThrown } from "../log/scrub.ts";
import type { Item } from "./attribute-value.ts";
import type { DynamoClient } from "./dynamodb-client.ts";

export type { Item };

/** The keys of an item and the table it is in. */
export interface Address {
  readonly TableName: string;
  readonly Key: Item;
}

/** A consistent read. `unknown`: the store gave no answer. */
export type Read =
  | { readonly outcome: "read"; readonly item: Item | null }
  | { readonly outcome: "unknown"; readonly cause: string };

/**
 * A conditional write. `written` carries the attributes that it was asked to return. `refused` carries
 * the item that made the condition fail, or null if there is none. `unknown`: the write may have
 * happened, may still happen, or may never happen.
 */
export type Write =
  | { readonly outcome: "written"; readonly attributes: Item }
  | { readonly outcome: "refused"; readonly item: Item | null }
  | { readonly outcome: "unknown"; readonly cause: string };

export type Page =
  | { readonly outcome: "read"; readonly items: readonly Item[]; readonly next: Item | null }
  | { readonly outcome: "unknown"; readonly cause: string };

export type ConditionalPut = PutItemCommandInput & Address & { ConditionExpression: string };
export type ConditionalUpdate = UpdateItemCommandInput & Address & { ConditionExpression: string };

/**
 * The four calls of the service. Each makes one attempt; the caller decides whether to repeat it.
 */
export interface Dynamo {
  readonly read: (address: Address) => Promise<Read>;
  readonly put: (put: ConditionalPut) => Promise<Write>;
  readonly update: (update: ConditionalUpdate) => Promise<Write>;
  readonly query: (query: QueryCommandInput) => Promise<Page>;
}

/**
 * @param client makes one attempt (the SDK's client with `maxAttempts: 1`), because a repeated
 * reserve needs a fresh nonce.
 * @param timeout ends one attempt; the clients have no time limit of their own.
 */
export function openDynamo(client: DynamoClient, timeout: () => AbortSignal): Dynamo {
  const read: Dynamo["read"] = async (address) => {
    try {
      const command = new GetItemCommand({ ...address, ConsistentRead: true });
      const { Item } = await client.send(command, { abortSignal: timeout() });
      return { outcome: "read", item: Item ?? null };
    } catch (error) {
      return unknown(error);
    }
  };
  return {
    read,
    put: ({ Key, ...put }) => {
      const command = new PutItemCommand({
        ...put,
        ReturnValuesOnConditionCheckFailure: "ALL_OLD",
      });
      const address = { TableName: put.TableName, Key };
      return attempt(address, () => client.send(command, { abortSignal: timeout() }), read);
    },
    update: (update) => {
      const command = new UpdateItemCommand({
        ...update,
        ReturnValuesOnConditionCheckFailure: "ALL_OLD",
      });
      return attempt(update, () => client.send(command, { abortSignal: timeout() }), read);
    },
    query: async (query) => {
      try {
        const page: QueryCommandOutput = await client.send(new QueryCommand(query), {
          abortSignal: timeout(),
        });
        return { outcome: "read", items: page.Items ?? [], next: page.LastEvaluatedKey ?? null };
      } catch (error) {
        return unknown(error);
      }
    },
  };
}

async function attempt(
  address: Address,
  send: () => Promise<Pick<UpdateItemCommandOutput, "Attributes">>,
  read: Dynamo["read"],
): Promise<Write> {
  try {
    const { Attributes } = await send();
    return { outcome: "written", attributes: Attributes ?? {} };
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) return unknown(error);
    if (error.Item !== undefined) return { outcome: "refused", item: error.Item };
    // No item came back: there is none, or the engine does not return it. A read tells which.
    const { TableName, Key } = address;
    const found = await read({ TableName, Key });
    return found.outcome === "read" ? { outcome: "refused", item: found.item } : found;
  }
}

function unknown(error: unknown): { outcome: "unknown"; cause: string } {
  return { outcome: "unknown", cause: describeThrown(error) };
}
