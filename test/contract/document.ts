import { type Schema, Validator } from "@cfworker/json-schema";
import * as z from "zod/mini";
import document from "../../infra/openapi.json" with { type: "json" };

/** The API's document, with a validator for everything that a response has. */

const DRAFT = "2020-12";

const schemaSchema = z.record(z.string(), z.unknown());
const headerSchema = z.object({ required: z.optional(z.boolean()), schema: schemaSchema });
const referenceSchema = z.object({ $ref: z.string() });
const responseSchema = z.object({
  headers: z.record(z.string(), z.union([referenceSchema, headerSchema])),
  content: z.object({ "application/json": z.object({ schema: schemaSchema }) }),
});
const documentSchema = z.object({
  paths: z.object({
    "/v1/resolve": z.object({
      post: z.object({ responses: z.record(z.string(), responseSchema) }),
    }),
  }),
  components: z.object({
    headers: z.record(z.string(), headerSchema),
    schemas: z.record(z.string(), schemaSchema),
  }),
});

export interface DocumentedHeader {
  readonly isRequired: boolean;
  readonly isInteger: boolean;
  readonly value: Validator;
}

export interface DocumentedResponse {
  /** By name in small letters. */
  readonly headers: ReadonlyMap<string, DocumentedHeader>;
  readonly body: Validator;
}

const { paths, components } = z.parse(documentSchema, document);

/** The responses of the one operation, by status. */
export const RESPONSES: ReadonlyMap<string, DocumentedResponse> = new Map(
  Object.entries(paths["/v1/resolve"].post.responses).map(([status, response]) => {
    const { schema } = response.content["application/json"];
    return [status, { headers: headersOf(response.headers), body: validatorOf(schema) }];
  }),
);

/** Of one of the document's named schemas. */
export function validatorNamed(name: string): Validator {
  return validatorOf({ $ref: `#/components/schemas/${name}` });
}

/** References lead to the document's components, which therefore come along. */
function validatorOf(schema: Schema): Validator {
  return new Validator({ ...schema, components }, DRAFT);
}

type Headers = z.infer<typeof responseSchema>["headers"];

function headersOf(headers: Headers): ReadonlyMap<string, DocumentedHeader> {
  return new Map(
    Object.entries(headers).map(([name, header]) => {
      const { required, schema } = "$ref" in header ? referred(header.$ref) : header;
      const isInteger = schema["type"] === "integer";
      const value = new Validator(schema, DRAFT);
      return [name.toLowerCase(), { isRequired: required === true, isInteger, value }];
    }),
  );
}

function referred(reference: string) {
  const name = reference.replace("#/components/headers/", "");
  const header = components.headers[name];
  if (header === undefined) throw new Error(`the document has no header ${name}`);
  return header;
}
