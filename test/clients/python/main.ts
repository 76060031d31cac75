import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { blocks } from "../../node/pages.ts";
import { urlCases } from "../url-cases.ts";
import { startStage } from "./stage.ts";
import { findPython, install, makeEnvironment, type RunOptions, run } from "./toolbox.ts";

/**
 * `npm run test:python`: checks the client for Python with its tools, builds its packages, installs
 * the wheel into an empty environment and tests it there, also against the whole service. Needs Python
 * 3.10 and PyPI; where they cannot be had, it says so and ends with 0.
 */
const CLIENT = "infra/clients/python";
const OWN = "test/clients/python";
const TESTS = [`${CLIENT}/tests`, OWN];
const CONFIG = ["--config", `${CLIENT}/pyproject.toml`];
const NEAR_URLS = 10_000;
const SEED = 1;

/** Runs one check, and prints what it says if it fails. */
async function check(
  title: string,
  command: readonly string[],
  options: RunOptions = {},
): Promise<void> {
  const beganMs = Date.now();
  const { code, output } = await run(command, options);
  const seconds = ((Date.now() - beganMs) / 1_000).toFixed(1);
  const last = output.trim().split("\n").at(-1) ?? "";
  console.log(`${code === 0 ? "right" : "WRONG"}  ${seconds.padStart(5)} s  ${title}: ${last}`);
  if (code === 0) return;
  console.log(output);
  process.exitCode = 1;
}

async function main(folder: string): Promise<void> {
  const python = await findPython();
  if (python === null) {
    return console.log("There is no Python 3.10 with venv here: its client is not tested.");
  }
  const tools = await makeEnvironment(python, join(folder, "tools"));
  const problem = await install(tools, ["--requirement", `${OWN}/requirements.txt`]);
  if (problem !== null) {
    return console.log(`PyPI cannot be had, so the client for Python is not tested: ${problem}`);
  }
  await checkFormat(tools);
  const customer = await checkPackages({ python, tools, folder });
  await checkTypes(tools, { customer, folder });
  await checkBehaviour(customer);
}

async function checkFormat(tools: string): Promise<void> {
  const ruff = [tools, "-m", "ruff"];
  const paths = ["--no-cache", ...CONFIG, CLIENT, OWN];
  await check("format", [...ruff, "format", "--check", ...paths]);
  await check("lint", [...ruff, "check", ...paths]);
}

interface Places {
  readonly python: string;
  readonly tools: string;
  readonly folder: string;
}

/** Warnings, such as of a socket that nobody closed, are errors. */
function discover(python: string, tests: string, pattern = "test_*.py"): readonly string[] {
  return [python, "-W", "error", "-m", "unittest", "discover", "-s", tests, "-p", pattern];
}

/** Builds both packages. Returns the Python of an empty environment with the wheel alone. */
async function checkPackages({ python, tools, folder }: Places): Promise<string> {
  const dist = join(folder, "dist");
  await check("packages", [tools, "-m", "build", "--no-isolation", "--outdir", dist, CLIENT]);
  const names = (await readdir(dist)).toSorted();
  const wheel = names.find((name) => name.endsWith("-py3-none-any.whl")) ?? "no wheel";
  const customer = await makeEnvironment(python, join(folder, "customer"));
  const alone = ["--no-index", "--no-deps", join(dist, wheel)];
  const problem = await install(customer, alone);
  if (problem !== null) throw new Error(`${wheel}: ${problem}`);
  await checkInstallation({ python, tools, folder });
  return customer;
}

/** The README's command, in an environment of its own. */
async function checkInstallation({ python, folder }: Places): Promise<void> {
  const reader = await makeEnvironment(python, join(folder, "reader"));
  const page = await readFile(`${CLIENT}/README.md`, "utf8");
  const env = { PATH: `${join(folder, "reader", "bin")}:${process.env["PATH"]}` };
  for (const block of blocks(page, "sh")) await check(block, ["bash", "-ec", block], { env });
  await check("what it installed", discover(reader, OWN, "test_package.py"));
}

/** As a user of the installed package sees its types; the README's samples are one program. */
async function checkTypes(
  tools: string,
  { customer, folder }: { readonly customer: string; readonly folder: string },
): Promise<void> {
  const mypy = [tools, "-m", "mypy", "--strict", "--cache-dir", join(folder, "mypy")];
  await check("types", [...mypy, `${CLIENT}/src`, "--config-file", `${CLIENT}/pyproject.toml`]);
  const page = await readFile(`${CLIENT}/README.md`, "utf8");
  const samples = join(folder, "samples.py");
  await writeFile(samples, blocks(page, "python").join("\n"));
  const installed = ["--python-executable", customer];
  await check("types of tests", [...mypy, ...installed, ...TESTS]);
  await check("types of the README's samples", [...mypy, ...installed, samples]);
}

async function checkBehaviour(customer: string): Promise<void> {
  const cases = urlCases(NEAR_URLS, SEED).map((one) => JSON.stringify(one));
  const agree = [customer, `${OWN}/agree.py`];
  await check("URLs, as the worker reads them", agree, { input: `${cases.join("\n")}\n` });
  await check("tests of the client", discover(customer, `${CLIENT}/tests`));
  const stage = await startStage();
  try {
    const env = {
      PUBLIC_MEDIA_BASE_URL: stage.url,
      PUBLIC_MEDIA_STAGE: stage.controlUrl,
      PYTHONPATH: `${CLIENT}/tests`,
    };
    await check("tests against the service", discover(customer, OWN), { env });
  } finally {
    await stage.stop();
  }
}

const folder = await mkdtemp(join(tmpdir(), "python-client-"));
try {
  await main(folder);
} finally {
  await rm(folder, { recursive: true });
}
