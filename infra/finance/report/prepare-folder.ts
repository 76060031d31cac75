import { access, constants, mkdir } from "node:fs/promises";
import { type Answer, answer, problem } from "../../terminal/answer.ts";

/** Makes the folder for the results, if it is not there. */
export async function prepareFolder(folder: string): Promise<Answer<void>> {
  try {
    await mkdir(folder, { recursive: true });
    await access(folder, constants.W_OK);
    return answer(undefined);
  } catch {
    return problem(
      `--out ${folder}: this is no folder that can be written to, and none can be made there. ` +
        "Name a folder.",
    );
  }
}
