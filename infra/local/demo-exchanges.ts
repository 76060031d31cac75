import { SERVICES } from "../../src/contract/schemas.ts";
import { type Example, type ExampleKeys, type Examples, keyOf, statusOf } from "./examples.ts";

/** One request of the demonstration, and its documented status. */
export interface Exchange {
  readonly title: string;
  readonly request: string;
  readonly expected: number;
  readonly send: () => Promise<Response>;
}

/** Items that the demonstration asks for: its account has few credits. */
const RESULTS = 2;
/** A second burst follows when the first one fell into two windows of the limit. */
const BURSTS_MAX = 2;

/** One success of every service that has a sample, then each error. */
export function exchanges({ posts, errors }: Examples, url: string, keys: ExampleKeys): Exchange[] {
  const successes = SERVICES.flatMap((service) => {
    const post = posts.find(({ body, outcome }) => body.service === service && outcome === "OK");
    if (post === undefined) return [];
    return { ...post, note: `${service}: ${post.note}` };
  });
  return [...successes, ...errors].map((shown) => {
    const example = { ...shown, body: { max_results: RESULTS, ...shown.body } };
    return {
      title: `${statusOf(example)}: ${example.note}`,
      request: `${example.method} ${example.path} ${JSON.stringify(example.body)}`,
      expected: statusOf(example),
      send: () => tryExample(example, url, keys),
    };
  });
}

/** Sends an example as often as it says. Returns the answer that it promises, if there is one. */
async function tryExample(example: Example, url: string, keys: ExampleKeys): Promise<Response> {
  const { method, path, requests, body } = example;
  const key = keyOf(example, keys);
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const send = () => fetch(`${url}${path}`, { method, headers, body: JSON.stringify(body) });
  if (requests === 1) return send();
  let last = await send();
  for (let burst = 0; burst < BURSTS_MAX && last.status !== statusOf(example); burst++) {
    const replies = await Promise.all(Array.from({ length: requests - 1 }, send));
    last = replies.find(({ status }) => status === statusOf(example)) ?? last;
  }
  return last;
}
