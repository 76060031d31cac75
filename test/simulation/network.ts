import { STORE_TIMEOUT_MS } from "../../src/credits/limits.ts";
import type { Dynamo, Item, Page, Write } from "../../src/store/dynamodb.ts";
import { ACCOUNTS } from "../support/memory-dynamodb/store.ts";
import type { Process } from "./process.ts";
import type { World } from "./world.ts";

/**
 * The longest time that a process goes without an answer. Beyond the settlement's grace a commit
 * may land unseen; that limit of the protocol has its own test.
 */
const OUTAGE_MAX_MS = 40_000;

/** A write this late lands after the response, the release and the expiry of its hold. */
const DELAY_MAX_MS = 400_000;

/** How far the index is behind the accounts. */
const LAG_MAX_MS = 30_000;

/** A fault of one call: whether it reaches the store, and what the caller sees. */
const FAULTS = {
  "connection refused": { reaches: false, silent: false },
  "connection reset": { reaches: false, silent: false },
  "request lost": { reaches: false, silent: true },
  throttled: { reaches: false, silent: false },
  "transaction conflict": { reaches: false, silent: false },
  "server error before": { reaches: false, silent: false },
  "server error after": { reaches: true, silent: false },
  "reply lost": { reaches: true, silent: true },
  "reply reset": { reaches: true, silent: false },
  "delayed write": { reaches: "late", silent: true },
} as const;
type FaultKind = keyof typeof FAULTS;

const KINDS: readonly [FaultKind, ...FaultKind[]] = [
  "connection refused",
  "connection reset",
  "request lost",
  "throttled",
  "transaction conflict",
  "server error before",
  "server error after",
  "reply lost",
  "reply reset",
  "delayed write",
];

type Unknown = { readonly outcome: "unknown"; readonly cause: string };

/** The store, as one process sees it. */
export function connect(world: World, process: Process): Dynamo {
  const { engine, random } = world;
  const { dynamo } = engine;
  let failingSinceMs: number | null = null;

  const draw = (): FaultKind | null => {
    const nowMs = world.scheduler.now();
    if (failingSinceMs !== null && nowMs - failingSinceMs > OUTAGE_MAX_MS) return null;
    const isOut = world.climate.outages.some(({ fromMs, toMs }) => nowMs >= fromMs && nowMs < toMs);
    const probability = isOut ? 0.95 : world.climate.faultProbability;
    return random.chance(probability) ? random.pick(KINDS) : null;
  };

  const call = <T>(about: string, apply: () => Promise<T>): Promise<T | Unknown> => {
    const kind = draw();
    if (kind === null) failingSinceMs = null;
    else failingSinceMs ??= world.scheduler.now();
    return send(world, process, { about: `${process.name} ${about}`, apply, kind });
  };

  return {
    read: (address) => call("read", () => dynamo.read(address)),
    put: (put) => call<Write>("put", () => dynamo.put(put)),
    update: (update) => call<Write>(update.UpdateExpression ?? "", () => dynamo.update(update)),
    query: (query) =>
      call<Page>(query.IndexName ?? "query", async () =>
        query.IndexName === undefined ? dynamo.query(query) : laggingIndex(world),
      ),
  };
}

interface Sent<T> {
  readonly about: string;
  readonly apply: () => Promise<T>;
  readonly kind: FaultKind | null;
}

function send<T>(world: World, process: Process, sent: Sent<T>): Promise<T | Unknown> {
  const { random, scheduler } = world;
  const { about, apply, kind } = sent;
  const travelMs = () => random.between(1, random.pick([10, 10, 900]));
  const land = async () => {
    const answer = await apply();
    world.stamp();
    world.note(`${about} → ${JSON.stringify(answer).slice(0, 60)}`);
    return answer;
  };
  return process.wait<T | Unknown>((done) => {
    const answerTo = (answer: T) => void scheduler.after(travelMs(), () => done(answer));
    if (kind === null) {
      scheduler.after(travelMs(), () => void land().then(answerTo));
      return;
    }
    world.fault(kind, about);
    const { reaches, silent } = FAULTS[kind];
    const late = random.between(STORE_TIMEOUT_MS, random.pick([10_000, 150_000, DELAY_MAX_MS]));
    if (reaches !== false) {
      const landsAfterMs = reaches === "late" ? late : travelMs();
      scheduler.after(landsAfterMs, () => void land());
    }
    const givenUpMs = silent ? STORE_TIMEOUT_MS : 2 * travelMs();
    scheduler.after(givenUpMs, () => done({ outcome: "unknown", cause: kind }));
  });
}

/** The sparse index in an earlier state. */
function laggingIndex(world: World): Page {
  const { engine, scheduler, random } = world;
  const asOfMs = scheduler.now() - random.pick([0, random.between(0, LAG_MAX_MS)]);
  const timesMs = world.changeTimesMs();
  const open = new Map<string, Item>();
  for (const [at, { table, after }] of engine.changes.entries()) {
    if ((timesMs[at] ?? 0) > asOfMs) break;
    const account = after["account"];
    if (table !== ACCOUNTS || account?.S === undefined) continue;
    if (after["sweep"] === undefined) open.delete(account.S);
    else open.set(account.S, { account, sweep: after["sweep"] });
  }
  return { outcome: "read", items: [...open.values()], next: null };
}
