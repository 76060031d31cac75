import type { AttributeValue } from "@aws-sdk/client-dynamodb";

/** An item, or a part of one: attribute values by name. */
export type Item = Record<string, AttributeValue>;

/** Whether a value from the wire can be read by name. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether it is an item in DynamoDB's JSON. Binary attributes, of which the service has none, are not. */
export function isItem(value: unknown): value is Item {
  return isRecord(value) && Object.values(value).every(isAttributeValue);
}

export function isItems(value: unknown): value is Item[] {
  return Array.isArray(value) && value.every(isItem);
}

function isAttributeValue(value: unknown): value is AttributeValue {
  if (!isRecord(value)) return false;
  const [type, ...others] = Object.keys(value);
  return type !== undefined && others.length === 0 && isContent(type, value[type]);
}

function isContent(type: string, content: unknown): boolean {
  switch (type) {
    case "S":
    case "N":
      return typeof content === "string";
    case "BOOL":
    case "NULL":
      return typeof content === "boolean";
    case "M":
      return isItem(content);
    case "L":
      return Array.isArray(content) && content.every(isAttributeValue);
    case "SS":
    case "NS":
      return Array.isArray(content) && content.every((entry: unknown) => typeof entry === "string");
    default:
      return false;
  }
}
