import { generateKeyPairSync } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { type Answer, answer, problem } from "../terminal/answer.ts";

/** The files of a key pair. */
export interface SealKey {
  readonly private_key: string;
  readonly public_key: string;
}

/** Makes the key pair that seals months. The private key's file is its owner's alone; none is replaced. */
export async function makeSealKey(path: string): Promise<Answer<SealKey>> {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519", {
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  const publicPath = `${path}.pub`;
  try {
    await writeFile(path, privateKey, { flag: "wx", mode: 0o600 });
    await writeFile(publicPath, publicKey, { flag: "wx" });
  } catch {
    return problem(
      `${path} or ${publicPath} is there already, or cannot be written. Name another.`,
    );
  }
  return answer({ private_key: path, public_key: publicPath });
}
