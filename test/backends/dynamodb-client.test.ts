import { createServer, type Server } from "node:http";
import {
  ConditionalCheckFailedException,
  DynamoDBClient,
  type DynamoDBClientConfig,
  DynamoDBServiceException,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  UpdateItemCommand,
} from "@aws-sdk/client-dynamodb";
import { SignatureV4 } from "@smithy/signature-v4";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { close, listen, readBody } from "../../infra/local/loopback.ts";
import { createSigner } from "../../src/store/aws-signature.ts";
import type { Item } from "../../src/store/dynamodb.ts";
import { createDynamoClient, type DynamoClient } from "../../src/store/dynamodb-client.ts";

/**
 * Compares the lean client with the SDK's own: the same bytes on the wire, the same results for the
 * caller.
 */

const NOON = Date.UTC(2026, 9, 31, 12);
const SIGNED = ["content-type", "host", "x-amz-date", "x-amz-target"] as const;

/** All types except the binary ones, which the service does not use. */
const everyType: Item = {
  s: { S: 'quay "é" 🚢 \n\u2028' },
  n: { N: "-1.5e10" },
  l: { L: [{ NULL: true }, { BOOL: false }, { M: { deep: { SS: ["a", "b"] } } }] },
  ns: { NS: ["1", "2"] },
};

const address = { TableName: "some", Key: { id: { S: "1" } } };
const put = new PutItemCommand({ TableName: "some", Item: everyType });
const get = new GetItemCommand({ ...address, ConsistentRead: true });
const update = new UpdateItemCommand({
  ...address,
  UpdateExpression: "SET #a = :a",
  ConditionExpression: "attribute_not_exists(#a)",
  ExpressionAttributeNames: { "#a": "a" },
  ExpressionAttributeValues: { ":a": { M: everyType } },
  ReturnValuesOnConditionCheckFailure: "ALL_OLD",
});
// Members are in the SDK's order, because the bytes are compared.
const query = new QueryCommand({
  TableName: "some",
  IndexName: "sweep",
  Limit: 200,
  KeyConditionExpression: "sweep = :open",
  ExpressionAttributeValues: { ":open": { S: "open" } },
});

interface Seen {
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

let server: Server;
let endpoint: string;
let seen: Seen[];
let answer: { status: number; body: string };

beforeAll(async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: NOON });
  server = createServer((request, response) => {
    void readBody(request).then((body) => {
      const { authorization, ...headers } = request.headers;
      const signed = Object.fromEntries(SIGNED.map((name) => [name, headers[name]]));
      seen.push({ headers: { ...signed, authorization, method: request.method }, body });
      // Otherwise the SDK would set its clock by the date of the answer.
      response.sendDate = false;
      response.writeHead(answer.status).end(answer.body);
    });
  });
  endpoint = await listen(server);
});

afterAll(async () => {
  vi.useRealTimers();
  await close(server);
});

beforeEach(() => {
  seen = [];
  answer = { status: 200, body: "{}" };
});

const credentials = { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "secret/+=" };
const signal = { abortSignal: new AbortController().signal };

function lean(): DynamoClient {
  return createDynamoClient({ region: "eu-central-1", credentials, endpoint });
}

/** Signs exactly the headers that the lean client signs. */
function full(): DynamoDBClient {
  const options = { region: "eu-central-1", credentials: { ...credentials }, endpoint };
  const { sha256 } = new DynamoDBClient(options).config;
  const service = "dynamodb";
  const signer = new SignatureV4({ ...options, service, sha256, applyChecksum: false });
  const requestSigner: RequestSigner = {
    sign: (request, signing) => {
      const names = ["content-type", "host", "x-amz-target"];
      const kept = Object.entries(request.headers).filter(([name]) => names.includes(name));
      return signer.sign({ ...request, headers: Object.fromEntries(kept) }, signing);
    },
  };
  return new DynamoDBClient({ ...options, maxAttempts: 1, signer: requestSigner });
}

type RequestSigner = Extract<DynamoDBClientConfig["signer"], { sign: unknown }>;

describe("the lean DynamoDB client", () => {
  it("sends the bytes and the signature that the SDK sends", async () => {
    const ours = lean();
    const theirs = full();
    const clients: readonly DynamoClient[] = [ours, theirs];
    for (const client of clients) {
      await client.send(put, signal);
      await client.send(get, signal);
      await client.send(update, signal);
      await client.send(query, signal);
    }
    expect(seen).toHaveLength(8);
    expect(seen.slice(0, 4)).toEqual(seen.slice(4));
    theirs.destroy();
  });

  it("derives a new key for a new day", async () => {
    const ours = lean();
    const theirs = full();
    await ours.send(get, signal);
    vi.setSystemTime(NOON + 12 * 3_600_000);
    await ours.send(get, signal);
    await theirs.send(get, signal);
    vi.setSystemTime(NOON);
    expect(seen[1]).toEqual(seen[2]);
    expect(seen[1]?.headers["authorization"]).toContain("/20261101/");
    theirs.destroy();
  });

  it("signs each of two requests around midnight with its own day's key", async () => {
    const url = new URL("https://dynamodb.eu-central-1.amazonaws.com/");
    const options = { ...credentials, region: "eu-central-1", service: "dynamodb", url };
    const request = { contentType: "a", target: "b", body: new Uint8Array([1]) };
    const midnight = Date.UTC(2026, 10, 2);
    const times = [midnight - 1, midnight];
    const together = createSigner(options);
    const apart = times.map((nowMs) => createSigner(options)({ ...request, nowMs }));
    const both = times.map((nowMs) => together({ ...request, nowMs }));
    expect(await Promise.all(both)).toEqual(await Promise.all(apart));
  });

  it("asks Amazon's own endpoint of the region without another one", async () => {
    const fetched = vi.spyOn(globalThis, "fetch").mockResolvedValueOnce(new Response("{}"));
    await createDynamoClient({ region: "eu-central-1", credentials }).send(get, signal);
    expect(fetched.mock.calls[0]?.[0]).toBe("https://dynamodb.eu-central-1.amazonaws.com/");
    fetched.mockRestore();
  });

  it.each([
    "",
    '{"Item":{',
    "<html>",
    "[]",
    '"Item"',
    "null",
    '{"Item":[]}',
    '{"Item":{"a":{"X":"1"}}}',
    '{"Item":{"a":{"N":1}}}',
    '{"Item":{"a":{"S":"1","N":"1"}}}',
    '{"Item":{"a":{"L":[{"M":{"b":null}}]}}}',
    '{"Items":{"a":{"S":"1"}}}',
    '{"LastEvaluatedKey":"a"}',
  ])("takes a success that reads %j for none", async (body) => {
    answer = { status: 200, body };
    await expect(lean().send(get, signal)).rejects.toBeInstanceOf(DynamoDBServiceException);
  });

  it("passes on why a right is missing", async () => {
    const Message = "User: a is not authorized to perform: dynamodb:GetItem";
    const __type = "com.amazon.coral.service#AccessDeniedException";
    answer = { status: 400, body: JSON.stringify({ __type, Message }) };
    const refused = { name: "AccessDeniedException", message: Message };
    await expect(lean().send(get, signal)).rejects.toMatchObject(refused);
  });

  it("reads what the SDK reads", async () => {
    answer = { status: 200, body: JSON.stringify({ Item: everyType }) };
    const theirs = full();
    const [ours, expected] = [await lean().send(get, signal), await theirs.send(get, signal)];
    expect(ours.Item).toEqual(expected.Item);
    expect(ours.Item).toEqual(everyType);
    theirs.destroy();
  });

  it("fails with the SDK's exception, the refusing item in it", async () => {
    const type = "com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException";
    const body = { __type: type, message: "The conditional request failed", Item: address.Key };
    answer = { status: 400, body: JSON.stringify(body) };
    const failure = await lean()
      .send(update, signal)
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ConditionalCheckFailedException);
    expect(failure).toMatchObject({ message: body.message, Item: address.Key });
  });

  it("names any other failure, whatever the body", async () => {
    const type = "com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException";
    answer = { status: 400, body: JSON.stringify({ __type: type, message: "slow down" }) };
    const throttled = await lean()
      .send(update, signal)
      .catch((error: unknown) => error);
    expect(throttled).toBeInstanceOf(DynamoDBServiceException);
    expect(throttled).not.toBeInstanceOf(ConditionalCheckFailedException);
    expect(throttled).toMatchObject({ name: "ProvisionedThroughputExceededException" });
    answer = { status: 400, body: JSON.stringify({ __type: 7, message: {}, Item: "x" }) };
    const odd = await lean()
      .send(update, signal)
      .catch((error: unknown) => error);
    expect(odd).toMatchObject({ name: "UnknownError", message: "status 400" });
    answer = { status: 503, body: "<html>" };
    const broken = await lean()
      .send(update, signal)
      .catch((error: unknown) => error);
    expect(broken).toMatchObject({ name: "UnknownError", message: "status 503" });
  });

  it("makes one attempt and ends it at the signal", async () => {
    answer = { status: 500, body: "{}" };
    await expect(lean().send(get, signal)).rejects.toBeInstanceOf(DynamoDBServiceException);
    expect(seen).toHaveLength(1);
    const aborted = { abortSignal: AbortSignal.abort(new Error("too late")) };
    await expect(lean().send(get, aborted)).rejects.toThrow("too late");
    expect(seen).toHaveLength(1);
  });
});
