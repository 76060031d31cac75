import { afterAll, afterEach } from "vitest";
import { takeSeen } from "./watch.ts";

declare module "vitest" {
  interface TaskMeta {
    /** Responses that were compared with the API's document. */
    responses?: number;
  }
}

/**
 * For a set-up file to call: a test fails when the service has answered something that its document
 * does not say.
 */
export function refuseUndocumented(): void {
  afterEach(({ task }) => {
    const { responses, problems } = takeSeen();
    task.meta.responses = responses;
    refuse(problems);
  });
  afterAll(() => refuse(takeSeen().problems));
}

function refuse(problems: readonly string[]): void {
  if (problems.length === 0) return;
  throw new Error(`Not as infra/openapi.json says:\n${[...new Set(problems)].join("\n")}`);
}
