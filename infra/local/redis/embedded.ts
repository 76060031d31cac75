import { type Command, type Outcome, type Redis, RedisError } from "./command.ts";
import { createScriptRunner, type RunScript } from "./lua.ts";
import { createStore, type Store } from "./store.ts";

/** Redis in this process. A batch runs without interruption, so scripts and batches are atomic. */
export function embeddedEngine(now: () => number): Redis {
  const store = createStore(now);
  const runScript = createScriptRunner(store);
  return {
    run: async (commands) => commands.map((command) => outcomeOf(store, runScript, command)),
    stop: async () => {},
  };
}

function outcomeOf(store: Store, runScript: RunScript, command: Command): Outcome {
  try {
    const isScript = command[0] === "EVAL";
    return { result: isScript ? evaluate(runScript, command) : store(command) };
  } catch (error) {
    if (error instanceof RedisError) return { error: error.message };
    throw error;
  }
}

function evaluate(runScript: RunScript, [, script = "", count = "", ...rest]: Command) {
  const keyCount = Number(count);
  if (!Number.isInteger(keyCount) || keyCount < 0 || keyCount > rest.length) {
    throw new RedisError("ERR Number of keys can't be greater than number of args");
  }
  return runScript(script, rest.slice(0, keyCount), rest.slice(keyCount));
}
