import {
  ConditionalCheckFailedException,
  DynamoDBServiceException,
  type GetItemCommand,
  type GetItemCommandOutput,
  type PutItemCommand,
  type PutItemCommandOutput,
  type QueryCommand,
  type QueryCommandOutput,
  type UpdateItemCommand,
  type UpdateItemCommandOutput,
} from "@aws-sdk/client-dynamodb";
import { createSigner } from "./aws-signature.ts";

const CONTENT_TYPE = "application/x-amz-json-1.0";
const API_VERSION = "DynamoDB_20120810";

export interface SendOptions {
  /** Ends the call, the reading of the answer included. */
  readonly abortSignal: AbortSignal;
}

/** The part of the SDK's client that the service speaks to; the SDK's own client is one too. */
export interface DynamoClient {
  send(command: GetItemCommand, options: SendOptions): Promise<GetItemCommandOutput>;
  send(command: PutItemCommand, options: SendOptions): Promise<PutItemCommandOutput>;
  send(command: UpdateItemCommand, options: SendOptions): Promise<UpdateItemCommandOutput>;
  send(command: QueryCommand, options: SendOptions): Promise<QueryCommandOutput>;
}

export interface DynamoClientOptions {
  readonly region: string;
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
  /** Amazon's own of the region (of its commercial ones) without it. */
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
 * service has none: DynamoDB refuses one that is written, and one that is read stays Base64.
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
      if (!response.ok || answer === undefined) throw exceptionOf(answer, $metadata);
      return Object.assign(answer, { $metadata });
    },
  };
}

/** The name in a command's schema. */
function operationOf({ schema }: Command): string {
  if (!Array.isArray(schema)) throw new Error("a command without a schema");
  return schema[2];
}

/** Undefined for a text that is no JSON, such as a proxy's page. */
function parse(text: string) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

interface Refusal {
  /** `<namespace>#<name>` */
  readonly __type?: string;
  readonly message?: string;
  /** So written by what stands before the tables, such as the check of rights. */
  readonly Message?: string;
  readonly Item?: NonNullable<GetItemCommandOutput["Item"]>;
}

/** As the SDK has it: a refused condition with its item, anything else by its name. */
function exceptionOf(refusal: Refusal | undefined, $metadata: { httpStatusCode: number }) {
  const name = refusal?.__type?.replace(/^.*#/, "") ?? "UnknownError";
  const message = refusal?.message ?? refusal?.Message ?? `status ${$metadata.httpStatusCode}`;
  if (name === "ConditionalCheckFailedException") {
    const item = refusal?.Item === undefined ? {} : { Item: refusal.Item };
    return new ConditionalCheckFailedException({ message, $metadata, ...item });
  }
  const $fault = $metadata.httpStatusCode < 500 ? "client" : "server";
  return new DynamoDBServiceException({ name, message, $fault, $metadata });
}
