import type { styleText } from "node:util";
import * as z from "zod";

/** Colours a text, or leaves it as it is. */
export type Paint = (format: Parameters<typeof styleText>[0], text: string) => string;

/** The line of a request in the worker's log, as far as people on a terminal need it. */
const requestSchema = z.object({
  event: z.literal("request"),
  status: z.int(),
  outcome: z.string(),
  credits: z.number(),
  total_ms: z.number(),
  service: z.string().optional(),
  items: z.number().optional(),
  source: z.string().optional(),
  cause: z.string().optional(),
});
type RequestLine = z.infer<typeof requestSchema>;

const eventSchema = z.looseObject({ event: z.string() });

/**
 * One line of the worker's log for people: the time, then status, code, service, items, credits,
 * source, duration and cause of a request, or the name and the fields of another event. A line that
 * is no event stays as it is.
 */
export function prettyLine(line: string, time: Date, paint: Paint): string {
  const entry = parse(line);
  const request = requestSchema.safeParse(entry);
  const clock = paint("dim", time.toTimeString().slice(0, 8));
  if (request.success) return `${clock} ${describeRequest(request.data, paint)}`;
  const other = eventSchema.safeParse(entry);
  return other.success ? `${clock} ${describeEvent(other.data, paint)}` : line;
}

/** Whether a line is an event of the worker, and not one that its runtime prints. */
export function isEvent(line: string): boolean {
  return eventSchema.safeParse(parse(line)).success;
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

function describeRequest(request: RequestLine, paint: Paint): string {
  const { status, outcome, service, items, credits, source, total_ms, cause } = request;
  const words = [paint(colourOf(status), `${status} ${outcome}`)];
  if (service !== undefined) words.push(service);
  if (items !== undefined && items > 0) words.push(counted(items, "item"));
  words.push(counted(credits, "credit"));
  if (source !== undefined) words.push(source);
  words.push(`${total_ms} ms`);
  if (cause !== undefined) words.push(paint("dim", cause));
  return words.join("  ");
}

function colourOf(status: number): "green" | "yellow" | "red" {
  if (status < 400) return "green";
  return status < 500 ? "yellow" : "red";
}

function counted(count: number, name: string): string {
  return `${count} ${name}${count === 1 ? "" : "s"}`;
}

function describeEvent({ event, ...fields }: z.infer<typeof eventSchema>, paint: Paint): string {
  const words = Object.entries(fields).map(([name, value]) => `${name}=${plain(value)}`);
  return [paint("cyan", event), ...words].join("  ");
}

function plain(value: unknown): string {
  if (typeof value === "string") return value;
  return Array.isArray(value) ? value.map(plain).join(" ") : JSON.stringify(value);
}
