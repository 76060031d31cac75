import { createHash, createPrivateKey, createPublicKey, sign, verify } from "node:crypto";
import * as z from "zod";
import { type Answer, answer, problem } from "../../terminal/answer.ts";

/** The file of a month's seal, in the folder with its results. */
export const SEAL_FILE = "seal.json";

const digest = z.string().regex(/^[0-9a-f]{64}$/);
const fileSchema = z.object({ name: z.string(), bytes: z.int().nonnegative(), sha256: digest });
export type SealedFile = z.infer<typeof fileSchema>;

const contentSchema = z.object({
  version: z.literal(1),
  month: z.string().regex(/^\d{4}-\d{2}$/),
  exported_at: z.string(),
  sealed_at: z.string(),
  discrepancies: z.int().nonnegative(),
  not_compared: z.array(z.string()),
  /** The files of the exports, manifests included. */
  inputs: z.array(fileSchema),
  outputs: z.array(fileSchema),
  /** Of the month before; null for the first one. `sha256` is of its seal's file. */
  previous: z.object({ month: z.string(), sha256: digest }).nullable(),
});
/** What is signed. */
export type SealContent = z.infer<typeof contentSchema>;

/** `content` as text, so that what is signed is what is in the file, byte for byte. */
const sealSchema = z.object({ content: z.string(), signature: z.string() });

/** A seal that was read, and the hash by which the next one names it. */
export interface Seal {
  readonly content: SealContent;
  readonly sha256: string;
}

/** The text of a seal's file. @param privateKey PEM, Ed25519 */
export function writeSeal(content: SealContent, privateKey: string): Answer<string> {
  const key = readKey(privateKey, createPrivateKey);
  if (key === null) return problem("The seal's key is no private Ed25519 key in PEM.");
  const text = JSON.stringify(content, null, 1);
  const signature = sign(null, Buffer.from(text), key).toString("base64");
  return answer(`${JSON.stringify({ content: text, signature }, null, 1)}\n`);
}

/** Reads a seal, and refuses one that the key has not signed. @param publicKey PEM, Ed25519 */
export function readSeal(text: string, publicKey: string): Answer<Seal> {
  const key = readKey(publicKey, createPublicKey);
  if (key === null) return problem("The public key is no Ed25519 key in PEM.");
  const seal = sealSchema.safeParse(parse(text));
  if (!seal.success) return problem("it is no seal, or it was damaged.");
  const { content, signature } = seal.data;
  if (!verify(null, Buffer.from(content), key, Buffer.from(signature, "base64"))) {
    return problem("it was not signed with this key, or it was changed after it was signed.");
  }
  const read = contentSchema.safeParse(parse(content));
  if (!read.success) return problem("it is a seal of another version.");
  return answer({ content: read.data, sha256: createHash("sha256").update(text).digest("hex") });
}

function readKey<K extends { asymmetricKeyType?: string | undefined }>(
  pem: string,
  create: (pem: string) => K,
): K | null {
  try {
    const key = create(pem);
    return key.asymmetricKeyType === "ed25519" ? key : null;
  } catch {
    return null;
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
