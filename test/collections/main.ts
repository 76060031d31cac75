import { spawn } from "node:child_process";
import { once } from "node:events";
import { startStack } from "../../infra/local/stack.ts";
import { seedDevAccount } from "../../infra/ops/seed.ts";
import { toolPath } from "../tools/install.ts";

/**
 * `npm run test:collections`: runs the Bruno collection with Bruno's own runner against the local stack.
 * The keys are given as variables of the environment: no file has them.
 */
const bruno = await toolPath("bru");
const stack = await startStack({ samples: true, onLog: () => {} });
try {
  const [working, fresh] = [
    await seedDevAccount(stack.connection),
    await seedDevAccount(stack.connection),
  ];
  const variables = { baseUrl: stack.url, apiKey: working.key, newKey: fresh.key };
  const given = Object.entries(variables).flatMap(([name, value]) => [
    "--env-var",
    `${name}=${value}`,
  ]);
  const runner = spawn(bruno, ["run", "-r", "--env", "local", "--noproxy", ...given], {
    cwd: "infra/collections",
    stdio: "inherit",
  });
  const [code]: unknown[] = await once(runner, "close");
  if (code !== 0) process.exitCode = 1;
} finally {
  await stack.stop();
}
