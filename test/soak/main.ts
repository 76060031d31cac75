import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Command, InvalidArgumentError } from "@commander-js/extra-typings";
import { exportLocal } from "../../infra/finance/export/local.ts";
import { loadSamples } from "../../infra/local/sample-gateway.ts";
import { SAMPLES_FOLDER } from "../../infra/local/stack.ts";
import { scanAll } from "../../infra/ops/scan.ts";
import { take } from "../../infra/terminal/answer.ts";
import { readWhole } from "../../infra/terminal/options.ts";
import { HOLD_GRACE_MS } from "../../src/credits/limits.ts";
import { authenticator } from "../../src/credits/record-mac.ts";
import { sweep } from "../../src/credits/sweep.ts";
import { residentBytes } from "../bench/processor-time.ts";
import { percentile } from "../bench/statistics.ts";
import { takeSeen } from "../contract/watch.ts";
import { reconciled } from "../node/finance/exports.ts";
import { type SoakStack, startSoakStack, WINDOW_MS } from "./stack.ts";
import { createTenants, problemsOf, type Tenant } from "./tenants.ts";
import { ask, drawRequest, type Seen } from "./traffic.ts";

/**
 * `npm run soak`: the worker in its runtime under steady load, while a tenth of all calls to its
 * backends go wrong, a platform is down for a while, and the worker is killed twice. Exit code 1 when
 * a credit is not accounted for, a hold is left, a response is not documented, or the runtime complains.
 */
const REQUESTS_A_SECOND = 50;
const TENANTS = 50;
const PROBABILITY = 0.1;
const PLATFORM = "syndication.twimg.com";
const HOLD_LIFE_MS = WINDOW_MS + HOLD_GRACE_MS;
const SWEEP_PERIOD_MS = 20_000;
const MINUTE_MS = 60_000;

const options = new Command("npm run soak --")
  .description("Runs the worker for a while under load and faults, and reconciles at the end.")
  .option("--minutes <n>", "how long", readMinutes, 1)
  .option("--seed <n>", "of the faults and requests", readWhole, 1)
  .allowExcessArguments(false)
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
  .parse()
  .opts();

const durationMs = options.minutes * MINUTE_MS;
/** Megabytes of the worker by minute, as they are at its end. */
const memory = new Map<number, number>();
const seen: Seen[] = [];
let sweepsFailed = 0;
const stack = await startSoakStack(options.seed);
try {
  const tenants = await createTenants(stack.tables, TENANTS);
  const startMs = Date.now();
  await Promise.all([
    applyLoad(startMs, tenants),
    raiseWeather(startMs),
    sweepOften(startMs),
    watchMemory(startMs),
  ]);
  stack.weather.probability = 0;
  print(startMs);
  process.exitCode = (await judge(tenants)) ? 0 : 1;
} finally {
  stack.tables.client.destroy();
  await stack.stop();
}

/** Requests at an even pace, however long the answers take; waits for the last. */
async function applyLoad(startMs: number, tenants: readonly Tenant[]): Promise<void> {
  const samples = await loadSamples(SAMPLES_FOLDER);
  const underWay: Promise<unknown>[] = [];
  for (let sent = 0; Date.now() - startMs < durationMs; sent++) {
    const tenant = tenants[sent % tenants.length];
    if (tenant === undefined) throw new Error("no tenant");
    const request = drawRequest(stack.random, samples);
    underWay.push(ask(stack.worker().url, tenant, request).then((one) => seen.push(one)));
    await sleep(Math.max(0, startMs + ((sent + 1) * 1_000) / REQUESTS_A_SECOND - Date.now()));
  }
  await Promise.all(underWay);
}

/** Faults all along; one platform down for a sixth of the time, a minute at most; two crashes. */
async function raiseWeather(startMs: number): Promise<void> {
  const until = (share: number) => sleep(Math.max(0, startMs + share * durationMs - Date.now()));
  stack.weather.probability = PROBABILITY;
  await until(0.2);
  stack.weather.down = PLATFORM;
  await sleep(Math.min(MINUTE_MS, durationMs / 6));
  stack.weather.down = null;
  await until(0.5);
  await stack.crash();
  await until(0.75);
  await stack.crash();
}

async function sweepOften(startMs: number): Promise<void> {
  while (Date.now() - startMs < durationMs) {
    await sleep(Math.min(SWEEP_PERIOD_MS, durationMs / 4));
    // A run that cannot read the index does nothing, and the next one tries again.
    await sweep(ledgerOf(stack, 0)).catch(() => sweepsFailed++);
  }
}

async function watchMemory(startMs: number): Promise<void> {
  while (Date.now() - startMs < durationMs) {
    await sleep(1_000);
    const minute = Math.floor((Date.now() - startMs) / MINUTE_MS);
    const bytes = await residentBytes(stack.worker().pid).catch(() => null);
    if (bytes !== null) memory.set(minute, bytes / 1e6);
  }
}

function ledgerOf({ tables, random }: SoakStack, aheadMs: number) {
  return {
    dynamo: tables.dynamo,
    accountsTable: tables.accounts,
    ledgerTable: tables.ledger,
    now: () => Date.now() + aheadMs,
    sleep: (delayMs: number) => sleep(delayMs),
    random: random.next,
    nonce: () => crypto.randomUUID().slice(0, 8),
    authenticate: authenticator(null),
    holdLifeMs: HOLD_LIFE_MS,
    log: () => {},
  };
}

function print(startMs: number): void {
  const minutes = Map.groupBy(seen, (one) => Math.floor((one.startedMs - startMs) / MINUTE_MS));
  console.log("minute  requests  p50 ms  p99 ms  memory MB");
  for (const [minute, all] of [...minutes].toSorted(([a], [b]) => a - b)) {
    const times = all.map(({ elapsedMs }) => elapsedMs);
    const figures = [all.length, percentile(times, 0.5), percentile(times, 0.99)];
    const megabytes = Math.round(memory.get(minute) ?? Number.NaN);
    console.log([minute + 1, ...figures, megabytes].map((n) => String(n).padStart(8)).join(""));
  }
  console.log(`\n${sweepsFailed} sweeps could not read the index.`);
  list("outcomes", countBy(seen.map(({ outcome }) => outcome)));
  for (const [name, { faults }] of Object.entries(stack.proxies)) list(`faults, ${name}`, faults);
}

function countBy(names: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

function list(title: string, counts: ReadonlyMap<string, number>): void {
  console.log(`\n${title}`);
  for (const [name, count] of [...counts].toSorted(([, a], [, b]) => b - a)) {
    console.log(`${String(count).padStart(9)}  ${name}`);
  }
}

/** Ends what is left, then compares everything that was told with the ledger. */
async function judge(tenants: readonly Tenant[]): Promise<boolean> {
  const { tables } = stack;
  for (let sweeps = 0; sweeps < 3; sweeps++) await sweep(ledgerOf(stack, 2 * HOLD_LIFE_MS));
  const balances = await problemsOf(tables, tenants);
  const folder = await mkdtemp(join(tmpdir(), "soak-"));
  try {
    const scan = (table: string) => scanAll(tables, table);
    const later = () => Date.now() + 2 * HOLD_LIFE_MS;
    take(await exportLocal({ ...tables, scan, now: later }, folder));
    const { answer, findings } = await reconciled([folder]);
    const untold = await wrongCharges();
    report("accounts that do not add up", balances);
    report("discrepancies", answer.ok ? findings : [answer.problem]);
    report("charges other than the client was told", untold);
    const refused = seen.filter(({ outcome }) => outcome.startsWith("401"));
    report("good keys that were refused", refused);
    report("complaints of the runtime", stack.complaints);
    const { responses, problems } = takeSeen();
    report(`differences of ${responses} responses from the document`, problems);
    const all = [balances, findings, untold, refused, stack.complaints, problems];
    return answer.ok && all.every(({ length }) => length === 0);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** What a client was told is what the ledger says; a failure may have no record, and no charge. */
async function wrongCharges(): Promise<readonly string[]> {
  const items = take(await scanAll(stack.tables, stack.tables.ledger));
  const charges = new Map(items.map((item) => [item["record_id"]?.S, Number(item["charge"]?.N)]));
  return seen.flatMap(({ requestId, charge, outcome }) => {
    const isSame = requestId === null || (charges.get(requestId) ?? 0) === charge;
    return isSame ? [] : [`${requestId}: ${outcome}, ${charge}, ledger ${charges.get(requestId)}`];
  });
}

function report(what: string, found: readonly unknown[]): void {
  console.log(`${what}: ${found.length}`);
  for (const one of found.slice(0, 5)) console.log(`  ${JSON.stringify(one)}`);
}

function readMinutes(text: string): number {
  const value = Number(text);
  if (!/^\d{1,5}(\.\d+)?$/.test(text) || value === 0) {
    throw new InvalidArgumentError("A number of minutes above 0.");
  }
  return value;
}
