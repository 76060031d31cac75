import { toHex } from "../runtime/hex.ts";

const ALGORITHM = "AWS4-HMAC-SHA256";
const HMAC = { name: "HMAC", hash: "SHA-256" } as const;

const SIGNED_HEADERS = "content-type;host;x-amz-date;x-amz-target";

export interface SignerOptions {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly region: string;
  /** Amazon's short name, for example `dynamodb`. */
  readonly service: string;
  /** The URL of all requests, without a query. */
  readonly url: URL;
}

/** A POST of Amazon's JSON protocol. */
export interface SignableRequest {
  readonly contentType: string;
  /** Version and name of the operation. */
  readonly target: string;
  readonly body: Uint8Array;
  readonly nowMs: number;
}

/** Returns all headers to send. */
export type Signer = (request: SignableRequest) => Promise<Record<string, string>>;

/**
 * Signs requests with Signature Version 4 (Amazon's "Create a signed API request", 2026-11), with
 * the runtime's own hashes. A signing key holds for a day and is derived once a day.
 */
export function createSigner(options: SignerOptions): Signer {
  const { accessKeyId, region, service, url } = options;
  let key: { readonly day: string; readonly value: Promise<Key> } | undefined;
  return async ({ contentType, target, body, nowMs }) => {
    const date = `${new Date(nowMs).toISOString().slice(0, 19).replaceAll(/[:-]/g, "")}Z`;
    const day = date.slice(0, 8);
    if (key?.day !== day) key = { day, value: deriveKey(options, day) };
    // Another request may replace the key while this one waits for its hashes.
    const { value } = key;
    const scope = `${day}/${region}/${service}/aws4_request`;
    const digest = toHex(await crypto.subtle.digest("SHA-256", body));
    const request =
      `POST\n${url.pathname}\n\ncontent-type:${contentType}\nhost:${url.host}\n` +
      `x-amz-date:${date}\nx-amz-target:${target}\n\n${SIGNED_HEADERS}\n${digest}`;
    const hash = toHex(await crypto.subtle.digest("SHA-256", encoder.encode(request)));
    const text = `${ALGORITHM}\n${date}\n${scope}\n${hash}`;
    const signature = toHex(await sign(await value, text));
    const credential = `${accessKeyId}/${scope}`;
    return {
      "content-type": contentType,
      "x-amz-date": date,
      "x-amz-target": target,
      authorization: `${ALGORITHM} Credential=${credential}, SignedHeaders=${SIGNED_HEADERS}, Signature=${signature}`,
    };
  };
}

type Key = Awaited<ReturnType<typeof importKey>>;

const encoder = new TextEncoder();

function sign(key: Key, text: string): Promise<ArrayBuffer> {
  return crypto.subtle.sign(HMAC.name, key, encoder.encode(text));
}

async function deriveKey({ secretAccessKey, region, service }: SignerOptions, day: string) {
  let key = await importKey(encoder.encode(`AWS4${secretAccessKey}`));
  for (const part of [day, region, service, "aws4_request"]) {
    key = await importKey(await sign(key, part));
  }
  return key;
}

function importKey(bytes: ReturnType<(typeof encoder)["encode"]> | ArrayBuffer) {
  return crypto.subtle.importKey("raw", bytes, HMAC, false, ["sign"]);
}
