import { SERVICES } from "../../src/contract/schemas.ts";
import type { Sample } from "./sample-gateway.ts";

/** The service's address, and who sends requests to it. */
export interface Party {
  readonly url: string;
  readonly account: string;
  readonly key: string;
  readonly otherKey: string;
}

/** One request of the demonstration, and its documented status. */
export interface Exchange {
  readonly title: string;
  readonly request: object;
  readonly expected: number;
  readonly send: () => Promise<Response>;
}

const LIMIT_REQUESTS = 120;

/** One success of every service that has a sample, then one of each refusal. */
export function exchanges(samples: readonly Sample[], party: Party): Exchange[] {
  const ask = (title: string, expected: number, request: object, key = party.key): Exchange => ({
    title,
    request,
    expected,
    send: () => post(party.url, key, request),
  });
  const posts = samples.flatMap(({ source_url: url, ...sample }) =>
    url === undefined ? [] : [{ ...sample, url }],
  );
  const successes = SERVICES.flatMap((service) => {
    const sample = posts.find((candidate) => candidate.service === service);
    if (sample === undefined) return [];
    return ask(`${service}: ${sample.note}`, 200, { service, url: sample.url, max_results: 2 });
  });
  const some = { service: "microblog", url: "https://x.com/someone/status/1" };
  const story = "https://www.instagram.com/stories/someone/1234567890/";
  const gone = posts.find(({ note }) => note === "deleted") ?? some;
  const channel = "https://t.me/someone/1";
  return [
    ...successes,
    ask("400: a story is no post", 400, { service: "photo-feed", url: story }),
    ask("401: a mistyped key costs not even a look-up", 401, some, mistyped(party.key)),
    ask("402: 20 results of a service at 2 an item would reserve 40 credits", 402, {
      service: "messenger-channel",
      url: channel,
      max_results: 20,
    }),
    ask("422: the post is deleted, the reservation comes back", 422, {
      service: gone.service,
      url: gone.url,
      max_results: 1,
    }),
    {
      title: `429: another key, ${LIMIT_REQUESTS + 1} requests at once`,
      request: {},
      expected: 429,
      send: () => exceed(() => post(party.url, party.otherKey, {})),
    },
  ];
}

function post(url: string, key: string, body: object): Promise<Response> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  return fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
}

/** Sends more than the limit allows; again when the first burst fell into two windows. */
async function exceed(send: () => Promise<Response>): Promise<Response> {
  let last = await send();
  for (let round = 0; round < 2 && last.status !== 429; round++) {
    const replies = await Promise.all(Array.from({ length: LIMIT_REQUESTS }, send));
    last = replies.find(({ status }) => status === 429) ?? last;
  }
  return last;
}

/** The key with its last two characters swapped, or with one changed when they are equal. */
function mistyped(key: string): string {
  const [last = "", before = ""] = [key.slice(-1), key.slice(-2, -1)];
  const end = last === before ? before + (last === "0" ? "1" : "0") : last + before;
  return key.slice(0, -2) + end;
}
