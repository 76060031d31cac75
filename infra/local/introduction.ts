import { SERVICES } from "../../src/contract/schemas.ts";
import { type Example, type ExampleKeys, type Examples, keyOf, statusOf } from "./examples.ts";

/** What `npm run dev` says before it is ready. */
export interface Introduction {
  readonly url: string;
  readonly account: string;
  readonly keys: ExampleKeys;
  /** Credits that the account can spend. */
  readonly available: number;
  /** Null without the samples. */
  readonly examples: Examples | null;
}

/** A public post with a video, for a stack that asks the real platforms (2026-11). */
const REAL_POST = {
  service: "microblog",
  url: "https://x.com/NASA/status/1491475671058681863",
} as const;

/** Who pays, what can be tried, how to add credits, and a request that works when pasted. */
export function introduce(introduction: Introduction): string {
  const { url, account, keys, available, examples } = introduction;
  const parts = [
    `Account  ${account}\nKey      ${keys.working}\nBalance  ${available.toLocaleString("en")} credits`,
    examples === null ? WITHOUT_SAMPLES : describe(examples, keys),
    `To add credits, with another reference each time:\n\n${purchase(account)}`,
    curl(url, keys.working, examples),
  ];
  return `${parts.join("\n\n")}\n`;
}

const WITHOUT_SAMPLES =
  "The platforms themselves are asked. With --samples, bundled posts of every service answer.";

function purchase(account: string): string {
  return (
    "npm run --silent ops -- credits purchase --local " +
    `--account ${account} --credits 1000 --reference INV-1`
  );
}

function curl(url: string, key: string, examples: Examples | null): string {
  const post = examples?.posts.find(({ outcome }) => outcome === "OK")?.body ?? REAL_POST;
  return [
    `curl ${url}/v1/resolve`,
    `  -H 'Authorization: Bearer ${key}'`,
    "  -H 'Content-Type: application/json'",
    `  -d '${JSON.stringify({ ...post, max_results: 4 })}'`,
  ].join(" \\\n");
}

function describe({ posts, errors }: Examples, keys: ExampleKeys): string {
  const services = SERVICES.flatMap((service) => {
    const own = posts.filter(({ body }) => body.service === service);
    return own.length === 0 ? [] : [service, ...aligned(own)];
  });
  const shown = errors.map(
    (example) =>
      `  ${statusOf(example)} ${example.outcome}: ${example.note}\n      ${request(example, keys)}`,
  );
  const heads = ["Posts that the samples answer:", "How to get each error:"] as const;
  return [heads[0], "", ...services, "", heads[1], "", ...shown].join("\n");
}

function aligned(posts: readonly Example[]): string[] {
  const width = Math.max(...posts.map(({ body }) => body.url.length));
  return posts.map(({ body, note, outcome }) => {
    const ending = outcome === "OK" ? note : `${note}: ${outcome}`;
    return `  ${body.url.padEnd(width)}  ${ending}`;
  });
}

/** All that a client needs to send the request. The key is named only if it is another one. */
function request(example: Example, keys: ExampleKeys): string {
  const { method, path, body, key, requests } = example;
  const words = [method, path, JSON.stringify(body)];
  if (key !== "working") words.push(`with the key ${keyOf(example, keys)}`);
  if (requests > 1) words.push(`${requests} times`);
  return words.join(" ");
}
