/** The runtime's package, as far as `runtime.ts` uses it; CommonJS, hence the `default` within. */
declare module "workerd" {
  const module: {
    /** Path of the runtime's executable. */
    readonly default: string;
  };
  export default module;
}
