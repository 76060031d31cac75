import {
  ConditionalCheckFailedException,
  DynamoDBServiceException,
  GetItemCommand,
  type GetItemCommandOutput,
  PutItemCommand,
  type PutItemCommandOutput,
  QueryCommand,
  type QueryCommandOutput,
  UpdateItemCommand,
  type UpdateItemCommandOutput,
} from "@aws-sdk/client-dynamodb";
import { type Item, isItem, isItems, isRecord } from "./attribute-value.ts";
import { createSigner } from "./aws-signature.ts";

const CONTENT_TYPE = "application/x-amz-json-1.0";
const API_VERSION = "DynamoDB_20120810";

export interface SendOptions {
  /** Ends the call, also while the answer is being read. */
  readonly abortSignal: AbortSignal;
}

/** The part of the SDK's client that the service uses. The SDK's own client fits too. */
export interface DynamoClient {
  send(command: GetItemCommand, options: SendOptions): Promise<GetItemCommandOutput>;
  send(command: PutItemCommand, options: SendOptions): Promise<PutItemCommandOutput>;
  send(command: UpdateItemCommand, options: SendOptions): Promise<UpdateItemCommandOutput>;
  send(command: QueryCommand, options: SendOptions): Promise<QueryCommandOutput>;
}

export interface DynamoClientOptions {
  readonly region: string;
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
  /** Default: Amazon's own endpoint of the region, for its commercial regions. */
  readonly endpoint?: string;
}

type Command = GetItemCommand | PutItemCommand | UpdateItemCommand | QueryCommand;

const encoder = new TextEncoder();

/**
 * Sends the SDK's commands and fails with the SDK's exceptions, without its middleware: one attempt,
 * a static key, a native signature, and a real end at the signal. What that saves is in
 * `infra/decisions/0002-lean-clients.md`.
 *
 * On the wire a command is its input as JSON, except for attributes of the binary types, of which the
 * service has none: DynamoDB refuses one that is written, and an answer with one is not accepted.
 */
export function createDynamoClient(options: DynamoClientOptions): DynamoClient {
  const { region, credentials } = options;
  const url = new URL(options.endpoint ?? `https://dynamodb.${region}.amazonaws.com/`);
  const sign = createSigner({ ...credentials, region, service: "dynamodb", url });
  return {
    async send(command: Command, { abortSignal }: SendOptions) {
      const target = `${API_VERSION}.${operationOf(command)}`;
      const body = encoder.encode(JSON.stringify(command.input));
      const headers = await sign({ contentType: CONTENT_TYPE, target, body, nowMs: Date.now() });
      const response = await fetch(url.href, {
        method: "POST",
        headers,
        body,
        signal: abortSignal,
      });
      const answer = parse(await response.text());
      const $metadata = { httpStatusCode: response.status };
      const output = response.ok ? outputOf(answer, $metadata) : null;
      if (output === null) throw exceptionOf(answer, $metadata);
      return output;
    },
  };
}

const OPERATIONS = [
  [GetItemCommand, "GetItem"],
  [PutItemCommand, "PutItem"],
  [UpdateItemCommand, "UpdateItem"],
  [QueryCommand, "Query"],
] as const;

function operationOf(command: Command): string {
  const row = OPERATIONS.find(([type]) => command instanceof type);
  if (row === undefined) throw new Error("a command without an operation");
  return row[1];
}

/** Undefined if the text is no JSON, for example a proxy's page. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

interface Metadata {
  readonly httpStatusCode: number;
}

/** What the service reads of an answer, whichever operation it answers. */
interface Output {
  readonly $metadata: Metadata;
  readonly Items?: Item[];
  Attributes?: Item;
  Item?: Item;
  LastEvaluatedKey?: Item;
}

const SINGLE_ITEMS = ["Attributes", "Item", "LastEvaluatedKey"] as const;

/** Null for what is no answer of DynamoDB's: to take it for an empty one would be to lose an item. */
function outputOf(answer: unknown, $metadata: Metadata): Output | null {
  if (!isRecord(answer)) return null;
  const { Items } = answer;
  if (Items !== undefined && !isItems(Items)) return null;
  const output: Output = { $metadata, ...(Items !== undefined && { Items }) };
  for (const name of SINGLE_ITEMS) {
    const item = answer[name];
    if (item === undefined) continue;
    if (!isItem(item)) return null;
    output[name] = item;
  }
  return output;
}

/** As in the SDK: a refused condition comes with its item, other exceptions with their name. */
function exceptionOf(answer: unknown, $metadata: Metadata) {
  // `Message` is what the check of rights writes, which stands before the tables.
  const { __type, message, Message, Item } = isRecord(answer) ? answer : {};
  const name = textOf(__type)?.replace(/^.*#/, "") ?? "UnknownError";
  const text = textOf(message) ?? textOf(Message) ?? `status ${$metadata.httpStatusCode}`;
  if (name === "ConditionalCheckFailedException") {
    const item = isItem(Item) ? { Item } : {};
    return new ConditionalCheckFailedException({ message: text, $metadata, ...item });
  }
  const $fault = $metadata.httpStatusCode < 500 ? "client" : "server";
  return new DynamoDBServiceException({ name, message: text, $fault, $metadata });
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
