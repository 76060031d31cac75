/** The part of fengari (Lua's C interface, in JavaScript) that `lua.ts` uses. */
declare module "fengari" {
  /** A Lua state. Callers only pass it back. */
  type State = { readonly brand: "lua_State" };
  type LuaString = Uint8Array;

  export function to_luastring(text: string): LuaString;
  export const lua: {
    readonly LUA_OK: number;
    readonly LUA_REGISTRYINDEX: number;
    readonly LUA_TBOOLEAN: number;
    readonly LUA_TNUMBER: number;
    readonly LUA_TSTRING: number;
    readonly LUA_TTABLE: number;
    lua_createtable(state: State, arraySize: number, recordSize: number): void;
    lua_error(state: State): number;
    lua_getfield(state: State, index: number, name: LuaString): number;
    lua_gettop(state: State): number;
    lua_pcall(state: State, arguments_: number, results: number, handler: number): number;
    lua_pop(state: State, count: number): void;
    lua_pushboolean(state: State, value: boolean): void;
    lua_pushinteger(state: State, value: number): void;
    lua_pushjsfunction(state: State, call: (state: State) => number): void;
    lua_pushnumber(state: State, value: number): void;
    lua_pushstring(state: State, value: LuaString): void;
    lua_rawgeti(state: State, index: number, at: number): number;
    lua_rawseti(state: State, index: number, at: number): void;
    lua_setfield(state: State, index: number, name: LuaString): void;
    lua_setglobal(state: State, name: LuaString): void;
    lua_settop(state: State, index: number): void;
    lua_toboolean(state: State, index: number): boolean;
    lua_tojsstring(state: State, index: number): string;
    lua_tonumber(state: State, index: number): number;
    lua_type(state: State, index: number): number;
  };
  export const lauxlib: {
    luaL_loadstring(state: State, source: LuaString): number;
    luaL_newstate(): State;
    luaL_ref(state: State, table: number): number;
    luaL_requiref(
      state: State,
      name: LuaString,
      open: (state: State) => number,
      global: boolean,
    ): void;
  };
  export const lualib: Readonly<
    Record<
      "luaopen_base" | "luaopen_math" | "luaopen_string" | "luaopen_table",
      (state: State) => number
    >
  >;
}
