import { run } from "./run.mjs";

export default {
  /** @param {Request} request */
  async fetch(request) {
    return Response.json(await run(await request.json()));
  },
};
