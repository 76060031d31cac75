import { explore } from "./explore.ts";
import type { Options } from "./state.ts";

/** `npm run model`: the models that are too large for every run of the tests. */
const WHOLE: Options = {
  requests: 2,
  sweeps: 2,
  rounds: 1,
  operators: 0,
  attempts: 2,
  available: 3,
};
const LEASES: Options = {
  ...WHOLE,
  requests: 0,
  sweeps: 1,
  isolates: 2,
  attempts: 1,
  available: 6,
};
const MODELS: readonly Options[] = [
  WHOLE,
  { ...WHOLE, requests: 1, rounds: 2, attempts: 3 },
  { ...WHOLE, requests: 1, operators: 2 },
  { ...WHOLE, sweeps: 1, operators: 1 },
  { ...WHOLE, sweeps: 1, isKeyed: true },
  { ...WHOLE, requests: 3, sweeps: 0, isKeyed: true, available: 6 },
  LEASES,
  { ...LEASES, isolates: 1, sweeps: 2, attempts: 2, available: 6 },
  { ...LEASES, isolates: 1, requests: 1, attempts: 2, available: 8 },
  { ...LEASES, isolates: 1, requests: 2, isKeyed: true, available: 7 },
  { ...LEASES, isolates: 1, operators: 1, isSuspended: true },
];

for (const options of MODELS) {
  const beginMs = performance.now();
  const { states, violation } = explore(options);
  const seconds = ((performance.now() - beginMs) / 1000).toFixed(0);
  console.log(`${states} states in ${seconds} s  ${JSON.stringify(options)}`);
  if (violation === null) continue;
  console.log(JSON.stringify(violation, null, 2));
  process.exitCode = 1;
}
