import { readFile } from "node:fs/promises";
import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { parse } from "yaml";
import * as z from "zod";

/** Users of infra/template.yaml. */
export type User = "WorkerUser" | "OperatorUser" | "FinanceUser";

const resourceSchema = z.union([
  z
    .object({ "Fn::GetAtt": z.tuple([z.string(), z.literal("Arn")]) })
    .transform((found) => found["Fn::GetAtt"][0]),
  z
    .object({ "Fn::Sub": z.string() })
    .transform((found) => found["Fn::Sub"].replace(/^\$\{(\w+)\.Arn\}/, "$1")),
  z.literal("*"),
]);
const statementSchema = z.strictObject({
  Sid: z.string(),
  Effect: z.enum(["Allow", "Deny"]),
  Action: z.array(z.string()),
  Resource: z.union([resourceSchema.transform((one) => [one]), z.array(resourceSchema)]),
  Condition: z
    .strictObject({
      "ForAllValues:StringLike": z.strictObject({ "dynamodb:LeadingKeys": z.array(z.string()) }),
    })
    .optional(),
});
export type Statement = z.infer<typeof statementSchema>;

const documentSchema = z.object({ Statement: z.array(statementSchema) });
const userSchema = z.object({
  Properties: z.object({ Policies: z.array(z.object({ PolicyDocument: documentSchema })) }),
});
const { Resources } = z
  .object({
    Resources: z.object({
      WorkerUser: userSchema,
      OperatorUser: userSchema,
      FinanceUser: userSchema,
      KeepTables: z.object({
        Properties: z.object({
          Users: z.array(z.object({ Ref: z.string() })),
          PolicyDocument: documentSchema,
        }),
      }),
    }),
  })
  .parse(parse(await readFile("infra/template.yaml", "utf8")));

/** Every statement that holds for a user. */
export function statementsOf(user: User): Statement[] {
  const { Users, PolicyDocument } = Resources.KeepTables.Properties;
  const shared = Users.some(({ Ref }) => Ref === user) ? PolicyDocument.Statement : [];
  const own = Resources[user].Properties.Policies.flatMap(
    ({ PolicyDocument: document }) => document.Statement,
  );
  return [...own, ...shared];
}

/** One call: `GetItem`, `Accounts` or `Accounts/index/sweep`, and the partition key that it names. */
export interface Call {
  readonly operation: string;
  readonly resource: string;
  readonly key: string;
}

/** As IAM decides: a denial wins, and what nobody allows is denied. */
export function isAllowed(statements: readonly Statement[], call: Call): boolean {
  const matching = statements.filter((statement) => matches(statement, call));
  return (
    matching.some(({ Effect }) => Effect === "Allow") &&
    matching.every(({ Effect }) => Effect === "Allow")
  );
}

function matches({ Action, Resource, Condition }: Statement, call: Call): boolean {
  const keys = Condition?.["ForAllValues:StringLike"]["dynamodb:LeadingKeys"] ?? ["*"];
  return (
    Action.some((pattern) => isLike(`dynamodb:${call.operation}`, pattern)) &&
    Resource.some((pattern) => isLike(call.resource, pattern)) &&
    keys.some((pattern) => isLike(call.key, pattern))
  );
}

function isLike(text: string, pattern: string): boolean {
  const [head = "", ...rest] = pattern.split("*");
  return rest.length === 0
    ? text === pattern
    : text.startsWith(head) && text.endsWith(rest.join(""));
}

const inputSchema = z.object({
  TableName: z.string(),
  IndexName: z.string().optional(),
  Key: z.record(z.string(), z.object({ S: z.string() })).optional(),
  Item: z.object({ key_id: z.object({ S: z.string().optional() }).optional() }).optional(),
});

/**
 * Notes every call of a client.
 * @param names of the tables in the template, by their own names
 */
export function noteCalls(client: DynamoDBClient, names: ReadonlyMap<string, string>): Call[] {
  const calls: Call[] = [];
  client.middlewareStack.add(
    (next, context) => (args) => {
      const { TableName, IndexName, Key, Item } = inputSchema.parse(args.input);
      const index = IndexName === undefined ? "" : `/index/${IndexName}`;
      calls.push({
        operation: String(context["commandName"]).replace("Command", ""),
        resource: `${names.get(TableName)}${index}`,
        key: Key?.["key_id"]?.S ?? Item?.key_id?.S ?? "",
      });
      return next(args);
    },
    { step: "initialize" },
  );
  return calls;
}
