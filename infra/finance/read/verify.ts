import { type Answer, answer, problem } from "../../terminal/answer.ts";
import { md5Of, sameDigest } from "./digest.ts";
import type { LocalFile } from "./manifest.ts";

/** Compares each file's bytes with the checksum in its manifest. Stops at the first difference. */
export async function verifyFiles(
  files: readonly LocalFile[],
  onFile: (file: LocalFile) => void,
): Promise<Answer<void>> {
  for (const file of files) {
    if (!sameDigest(await md5Of(file.path), file.md5Checksum)) {
      return problem(
        `${file.path}: its MD5 is not the one in the manifest: the file is truncated or altered. ` +
          "Copy it again.",
      );
    }
    onFile(file);
  }
  return answer(undefined);
}
