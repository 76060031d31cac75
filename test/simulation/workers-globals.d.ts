import type * as Workers from "@cloudflare/workers-types";

/** The registry's sources name these. The simulation runs no source that needs them. */
declare global {
  class HTMLRewriter {
    on(selector: string, handlers: Workers.HTMLRewriterElementContentHandlers): HTMLRewriter;
    transform(response: Response): Response;
  }
  type Element = Workers.Element;
}
