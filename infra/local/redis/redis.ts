import { createHash } from "node:crypto";
import type { Command, Outcome, Redis } from "./command.ts";
import { embeddedEngine } from "./embedded.ts";
import { remoteEngine } from "./remote.ts";

export interface RedisOptions {
  /** Address of a Redis server. Without it, the embedded engine is used. */
  readonly url?: string | undefined;
  /** Milliseconds since 1970, for the expiry of the embedded engine's keys. */
  readonly now?: () => number;
}

/**
 * Redis as the limiter knows it: an engine, and scripts addressed by the SHA-1 of their text. The
 * engine never sees EVALSHA or SCRIPT.
 */
export async function openRedis(options: RedisOptions = {}): Promise<Redis> {
  const engine =
    options.url === undefined
      ? embeddedEngine(options.now ?? Date.now)
      : await remoteEngine(options.url);
  return withScripts(engine);
}

/**
 * Adds Upstash's script cache to an engine. The limiter's scripts begin with a line (`#!lua
 * flags=allow-key-locking`) that Redis refuses. So the engine runs them without the line, while
 * clients still address them by the SHA-1 of the whole text.
 */
function withScripts(engine: Redis): Redis {
  const seen = new Map<string, string>();

  function remember(script: string): string {
    const sha = createHash("sha1").update(script).digest("hex");
    seen.set(sha, script.replace(/^#![^\n]*/, ""));
    return sha;
  }

  /** The command as the engine runs it, or its outcome when the engine is not needed. */
  function translate(command: Command): Command | Outcome {
    const [name = "", first = "", ...rest] = command;
    switch (name.toUpperCase()) {
      case "EVAL":
        return ["EVAL", seen.get(remember(first)) ?? "", ...rest];
      case "EVALSHA": {
        const script = seen.get(first.toLowerCase());
        if (script === undefined) return { error: "NOSCRIPT No matching script. Please use EVAL." };
        return ["EVAL", script, ...rest];
      }
      case "SCRIPT":
        return scriptCommand(first.toUpperCase(), rest);
      default:
        return command;
    }
  }

  function scriptCommand(action: string, scripts: readonly string[]): Outcome {
    if (action === "LOAD") return { result: remember(scripts[0] ?? "") };
    if (action === "EXISTS") return { result: scripts.map((sha) => (seen.has(sha) ? 1 : 0)) };
    if (action !== "FLUSH") return { error: `ERR unknown subcommand '${action}'` };
    seen.clear();
    return { result: "OK" };
  }

  return {
    stop: engine.stop,
    run: async (commands, atomic) => {
      const steps = commands.map(translate);
      const outcomes = [...(await engine.run(steps.filter(isCommand), atomic))];
      return steps.map((step) =>
        isCommand(step) ? (outcomes.shift() ?? { error: "ERR no reply" }) : step,
      );
    },
  };
}

function isCommand(step: Command | Outcome): step is Command {
  return Array.isArray(step);
}
