import { defineConfig } from "vitest/config";

/** `npm run test:dynamodb-local`: the engines' suite on Amazon's own; needs Java 17. */
export default defineConfig({
  root: new URL("..", import.meta.url).pathname,
  test: { include: ["test/backends/dynamodb/dynamodb-local.suite.ts"] },
});
