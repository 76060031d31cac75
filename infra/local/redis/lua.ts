import { lauxlib, lua, lualib, type State, to_luastring } from "fengari";
import { type Command, RedisError, type Reply } from "./command.ts";
import type { Store } from "./store.ts";

/** Runs a script to its end without interruption; throws `RedisError`. */
export type RunScript = (script: string, keys: readonly string[], args: readonly string[]) => Reply;

/** A Lua state whose `redis.call` and `redis.pcall` use the store. Compiles each script once. */
export function createScriptRunner(store: Store): RunScript {
  const state = lauxlib.luaL_newstate();
  const compiled = new Map<string, number>();
  openLibraries(state);
  offerRedis(state, store);

  return (script, keys, args) => {
    lua.lua_settop(state, 0);
    setGlobalList(state, "KEYS", keys);
    setGlobalList(state, "ARGV", args);
    const reference = compiled.get(script) ?? compile(state, script);
    compiled.set(script, reference);
    lua.lua_rawgeti(state, lua.LUA_REGISTRYINDEX, reference);
    if (lua.lua_pcall(state, 0, 1, 0) !== lua.LUA_OK) throw new RedisError(errorText(state));
    return toReply(state, -1);
  };
}

/** Only what a Redis script may use: no files, no processes, no clock. */
function openLibraries(state: State): void {
  const libraries = [
    ["_G", lualib.luaopen_base],
    ["table", lualib.luaopen_table],
    ["string", lualib.luaopen_string],
    ["math", lualib.luaopen_math],
  ] as const;
  for (const [name, open] of libraries) {
    lauxlib.luaL_requiref(state, to_luastring(name), open, true);
  }
  lua.lua_getfield(state, -3, to_luastring("unpack"));
  lua.lua_setglobal(state, to_luastring("unpack"));
  lua.lua_settop(state, 0);
}

function offerRedis(state: State, store: Store): void {
  lua.lua_createtable(state, 0, 4);
  setFunction(state, "call", (own) => call(own, store, "raise"));
  setFunction(state, "pcall", (own) => call(own, store, "return"));
  setFunction(state, "error_reply", (own) => pushTagged(own, "err", lua.lua_tojsstring(own, 1)));
  setFunction(state, "status_reply", (own) => pushTagged(own, "ok", lua.lua_tojsstring(own, 1)));
  lua.lua_setglobal(state, to_luastring("redis"));
}

function setFunction(state: State, name: string, body: (state: State) => number): void {
  lua.lua_pushjsfunction(state, body);
  lua.lua_setfield(state, -2, to_luastring(name));
}

/** `redis.call(…)`: reads the arguments from the stack and puts the answer there. */
function call(state: State, store: Store, onError: "raise" | "return"): number {
  const outcome = attempt(store, commandOnStack(state));
  if ("result" in outcome) pushReply(state, outcome.result);
  else pushTagged(state, "err", outcome.error);
  return "error" in outcome && onError === "raise" ? lua.lua_error(state) : 1;
}

function attempt(store: Store, command: Command): { result: Reply } | { error: string } {
  try {
    return { result: store(command) };
  } catch (error) {
    if (error instanceof RedisError) return { error: error.message };
    throw error;
  }
}

function commandOnStack(state: State): Command {
  return Array.from({ length: lua.lua_gettop(state) }, (_, at) =>
    lua.lua_type(state, at + 1) === lua.LUA_TNUMBER
      ? String(lua.lua_tonumber(state, at + 1))
      : lua.lua_tojsstring(state, at + 1),
  );
}

function compile(state: State, script: string): number {
  if (lauxlib.luaL_loadstring(state, to_luastring(script)) !== lua.LUA_OK) {
    throw new RedisError(`ERR Error compiling script: ${lua.lua_tojsstring(state, -1)}`);
  }
  return lauxlib.luaL_ref(state, lua.LUA_REGISTRYINDEX);
}

/** The message of a failed script: from `redis.call`, or Lua's own. */
function errorText(state: State): string {
  if (lua.lua_type(state, -1) !== lua.LUA_TTABLE) return `ERR ${lua.lua_tojsstring(state, -1)}`;
  lua.lua_getfield(state, -1, to_luastring("err"));
  return lua.lua_tojsstring(state, -1);
}

function setGlobalList(state: State, name: string, values: readonly string[]): void {
  pushReply(state, values);
  lua.lua_setglobal(state, to_luastring(name));
}

function pushTagged(state: State, tag: "ok" | "err", text: string): number {
  lua.lua_createtable(state, 0, 1);
  lua.lua_pushstring(state, to_luastring(text));
  lua.lua_setfield(state, -2, to_luastring(tag));
  return 1;
}

/** Redis to Lua: null becomes `false`. */
function pushReply(state: State, reply: Reply): void {
  if (reply === null) lua.lua_pushboolean(state, false);
  else if (typeof reply === "string") lua.lua_pushstring(state, to_luastring(reply));
  else if (typeof reply === "number") pushNumber(state, reply);
  else pushList(state, reply);
}

/** Integers have 32 bits in fengari. A larger number becomes a float. */
function pushNumber(state: State, value: number): void {
  if ((value | 0) === value) lua.lua_pushinteger(state, value);
  else lua.lua_pushnumber(state, value);
}

function pushList(state: State, replies: readonly Reply[]): void {
  lua.lua_createtable(state, replies.length, 0);
  for (const [at, reply] of replies.entries()) {
    pushReply(state, reply);
    lua.lua_rawseti(state, -2, at + 1);
  }
}

/**
 * Lua to Redis: numbers lose their fraction, `true` becomes 1, `false` null. A list ends at its
 * first nil.
 */
function toReply(state: State, index: number): Reply {
  switch (lua.lua_type(state, index)) {
    case lua.LUA_TSTRING:
      return lua.lua_tojsstring(state, index);
    case lua.LUA_TNUMBER:
      return Math.trunc(lua.lua_tonumber(state, index));
    case lua.LUA_TBOOLEAN:
      return lua.lua_toboolean(state, index) ? 1 : null;
    case lua.LUA_TTABLE:
      return tableReply(state);
    default:
      return null;
  }
}

/** The table on top of the stack: an error, a status, or a list. */
function tableReply(state: State): Reply {
  const error = tag(state, "err");
  if (error !== null) throw new RedisError(error);
  return tag(state, "ok") ?? list(state);
}

function tag(state: State, name: "ok" | "err"): string | null {
  lua.lua_getfield(state, -1, to_luastring(name));
  const isText = lua.lua_type(state, -1) === lua.LUA_TSTRING;
  const text = isText ? lua.lua_tojsstring(state, -1) : null;
  lua.lua_pop(state, 1);
  return text;
}

function list(state: State): Reply {
  const replies: Reply[] = [];
  for (let at = 1; lua.lua_rawgeti(state, -1, at) !== 0; at += 1) {
    replies.push(toReply(state, -1));
    lua.lua_pop(state, 1);
  }
  lua.lua_pop(state, 1);
  return replies;
}
