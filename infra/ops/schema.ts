import {
  CreateTableCommand,
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  type DynamoDBClient,
  ResourceInUseException,
  ResourceNotFoundException,
  type TableDescription,
  UpdateContinuousBackupsCommand,
  waitUntilTableExists,
} from "@aws-sdk/client-dynamodb";
import type { Tables } from "../tables/tables.ts";
import { readTables, type TableInput } from "../tables/template.ts";
import { type Answer, answer, problem, unreachable } from "../terminal/answer.ts";

const READY_WITHIN_SECONDS = 120;

/** One table, and each difference from `infra/template.yaml`. */
export interface TableState {
  readonly table: string;
  readonly state: "created" | "exists" | "as in the template" | "differs" | "missing";
  readonly differences: string;
}

/** Creates the missing tables, with deletion protection and point-in-time recovery. */
export function createTables(tables: Tables): Promise<Answer<TableState[]>> {
  return each(tables, async (client, table) => {
    try {
      await client.send(new CreateTableCommand({ ...table, DeletionProtectionEnabled: true }));
    } catch (error) {
      if (!(error instanceof ResourceInUseException)) throw error;
      return { state: "exists", differences: "" };
    }
    const TableName = table.TableName;
    await waitUntilTableExists({ client, maxWaitTime: READY_WITHIN_SECONDS }, { TableName });
    await client.send(
      new UpdateContinuousBackupsCommand({
        TableName,
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      }),
    );
    return { state: "created", differences: "" };
  });
}

/** Compares keys, indexes, point-in-time recovery and deletion protection with the template. */
export function checkTables(tables: Tables): Promise<Answer<TableState[]>> {
  return each(tables, async (client, table) => {
    const found = await describe(client, table.TableName);
    if (found === null) return { state: "missing", differences: "" };
    const differences = [
      ...compareShape(table, found),
      ...(found.DeletionProtectionEnabled === false ? ["deletion protection is off"] : []),
      ...((await lacksRecovery(client, table.TableName)) ? ["point-in-time recovery is off"] : []),
    ];
    return {
      state: differences.length === 0 ? "as in the template" : "differs",
      differences: differences.join("; "),
    };
  });
}

type Inspection = Omit<TableState, "table">;

async function each(
  tables: Tables,
  inspect: (client: DynamoDBClient, table: TableInput) => Promise<Inspection>,
): Promise<Answer<TableState[]>> {
  const template = await readTables();
  const states: TableState[] = [];
  try {
    for (const role of ["accounts", "apiKeys", "ledger"] as const) {
      const table = { ...template[role], TableName: tables[role] };
      states.push({ table: table.TableName, ...(await inspect(tables.client, table)) });
    }
  } catch (error) {
    return explain(error);
  }
  return answer(states);
}

function explain(error: unknown): Answer<never> {
  if (!(error instanceof Error)) return unreachable(String(error));
  if (error.name !== "AccessDeniedException") return unreachable(`${error.name}: ${error.message}`);
  return problem(
    "These credentials may not do this. Creating a table needs the administrator's, which deploy " +
      "infra/template.yaml: the operator's cannot touch backups or protection.",
  );
}

async function describe(
  client: DynamoDBClient,
  TableName: string,
): Promise<TableDescription | null> {
  try {
    const { Table } = await client.send(new DescribeTableCommand({ TableName }));
    return Table ?? null;
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return null;
    throw error;
  }
}

/** False for an engine that has no point-in-time recovery, such as the local one. */
async function lacksRecovery(client: DynamoDBClient, TableName: string): Promise<boolean> {
  try {
    const reply = await client.send(new DescribeContinuousBackupsCommand({ TableName }));
    const recovery = reply.ContinuousBackupsDescription?.PointInTimeRecoveryDescription;
    return recovery?.PointInTimeRecoveryStatus !== "ENABLED";
  } catch (error) {
    if (error instanceof Error && error.name === "UnknownOperationException") return false;
    throw error;
  }
}

function compareShape(wanted: TableInput, found: TableDescription): string[] {
  const differences: string[] = [];
  const compare = (what: string, ours: unknown, theirs: unknown) => {
    if (JSON.stringify(ours) === JSON.stringify(theirs)) return;
    differences.push(`${what}: ${JSON.stringify(theirs)} instead of ${JSON.stringify(ours)}`);
  };
  compare("keys", keysOf(wanted.KeySchema), keysOf(found.KeySchema));
  compare("billing", wanted.BillingMode, found.BillingModeSummary?.BillingMode);
  compare("indexes", indexesOf(wanted), indexesOf(found));
  return differences;
}

type Keys = readonly { AttributeName?: string | undefined; KeyType?: string | undefined }[];

function keysOf(schema: Keys = []): string {
  return schema.map(({ AttributeName, KeyType }) => `${AttributeName} ${KeyType}`).join(", ");
}

function indexesOf(table: Pick<TableDescription, "GlobalSecondaryIndexes"> | TableInput): string[] {
  return (table.GlobalSecondaryIndexes ?? [])
    .map(
      ({ IndexName, KeySchema, Projection }) =>
        `${IndexName} (${keysOf(KeySchema)}) ${Projection?.ProjectionType}`,
    )
    .sort();
}
