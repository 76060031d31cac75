import type { Reporter, TestModule, TestProject, TestRunEndReason, Vitest } from "vitest/node";

/** How many responses all tests of a project compare with the document at least. */
const RESPONSES_MIN: Readonly<Record<string, number>> = { worker: 3_000, alone: 500 };

/** Says how many responses were compared with the API's document. A whole project must have enough. */
export default class ResponsesReporter implements Reporter {
  #isFiltered = false;

  onInit({ config }: Vitest): void {
    this.#isFiltered = config.testNamePattern !== undefined;
  }

  async onTestRunEnd(
    modules: readonly TestModule[],
    _: readonly unknown[],
    reason: TestRunEndReason,
  ): Promise<void> {
    const byProject = Map.groupBy(modules, ({ project }) => project);
    for (const [project, own] of byProject) {
      const responses = countOf(own);
      if (responses === 0) continue;
      console.log(`${responses} responses in ${project.name} compared with infra/openapi.json`);
    }
    if (this.#isFiltered || reason !== "passed") return;
    for (const [project, own] of byProject) await demandEnough(project, own);
  }
}

async function demandEnough(project: TestProject, modules: readonly TestModule[]): Promise<void> {
  const least = RESPONSES_MIN[project.name] ?? 0;
  if (countOf(modules) >= least) return;
  const { testFiles } = await project.globTestFiles();
  if (modules.length < testFiles.length) return;
  console.error(`There must be ${least} of them in ${project.name}.`);
  process.exitCode = 1;
}

function countOf(modules: readonly TestModule[]): number {
  let responses = 0;
  for (const module of modules) {
    for (const test of module.children.allTests()) responses += test.meta().responses ?? 0;
  }
  return responses;
}
