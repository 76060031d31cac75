import { readFile } from "node:fs/promises";
import { parse } from "yaml";
import * as z from "zod";

const keySchema = z.array(
  z.strictObject({ AttributeName: z.string(), KeyType: z.enum(["HASH", "RANGE"]) }),
);

/** Refuses a property that it does not name, so that no part of a table is lost unnoticed. */
const tableSchema = z
  .strictObject({
    TableName: z.string(),
    BillingMode: z.enum(["PAY_PER_REQUEST"]),
    AttributeDefinitions: z.array(
      z.strictObject({ AttributeName: z.string(), AttributeType: z.enum(["S", "N", "B"]) }),
    ),
    KeySchema: keySchema,
    GlobalSecondaryIndexes: z
      .array(
        z.strictObject({
          IndexName: z.string(),
          KeySchema: keySchema,
          Projection: z.strictObject({ ProjectionType: z.enum(["ALL", "KEYS_ONLY"]) }),
        }),
      )
      .optional(),
    DeletionProtectionEnabled: z.boolean().optional(),
    PointInTimeRecoverySpecification: z.unknown(),
  })
  // The local engine does not know these.
  .transform(({ DeletionProtectionEnabled, PointInTimeRecoverySpecification, ...table }) => table);

/** What `CreateTable` takes. */
export type TableInput = z.infer<typeof tableSchema>;

const templateSchema = z.object({
  Parameters: z.record(z.string(), z.object({ Default: z.string() })),
  Resources: z.object({
    Accounts: z.object({ Properties: z.unknown() }),
    ApiKeys: z.object({ Properties: z.unknown() }),
    Ledger: z.object({ Properties: z.unknown() }),
  }),
});

/** The three tables, by purpose. */
export type Tables<T> = Readonly<Record<"accounts" | "apiKeys" | "ledger", T>>;

/**
 * Turns the text of `infra/template.yaml` into the inputs of `CreateTable`.
 * @param parameters override the defaults of the template's own parameters
 * @throws ZodError if the template has something that this function does not know
 */
export function tablesFromTemplate(
  text: string,
  parameters: Readonly<Record<string, string>> = {},
): Tables<TableInput> {
  const { Parameters, Resources } = templateSchema.parse(parse(text));
  const defaults = Object.entries(Parameters).map(
    ([name, { Default }]) => [name, Default] as const,
  );
  const values = new Map([...defaults, ...Object.entries(parameters)]);
  const table = ({ Properties }: { readonly Properties: unknown }) =>
    tableSchema.parse(resolveFunctions(Properties, values));
  return {
    accounts: table(Resources.Accounts),
    apiKeys: table(Resources.ApiKeys),
    ledger: table(Resources.Ledger),
  };
}

/** The tables of this repository's own template. */
export async function readTables(): Promise<Tables<TableInput>> {
  return tablesFromTemplate(await readFile(new URL("../template.yaml", import.meta.url), "utf8"));
}

const subSchema = z.strictObject({ "Fn::Sub": z.string() });

/** Replaces each `Fn::Sub` by its text, with the parameters' values filled in. */
function resolveFunctions(node: unknown, values: ReadonlyMap<string, string>): unknown {
  const sub = subSchema.safeParse(node);
  if (sub.success) return substitute(sub.data["Fn::Sub"], values);
  if (Array.isArray(node)) return node.map((element: unknown) => resolveFunctions(element, values));
  if (node === null || typeof node !== "object") return node;
  const parts: [string, unknown][] = Object.entries(node);
  return Object.fromEntries(parts.map(([name, value]) => [name, resolveFunctions(value, values)]));
}

function substitute(text: string, values: ReadonlyMap<string, string>): string {
  return text.replace(/\$\{(\w+)\}/g, (_, name: string) => {
    const value = values.get(name);
    if (value === undefined) throw new Error(`template: no parameter ${name}`);
    return value;
  });
}
