import { describe, expect, it } from "vitest";
import { fingerprint, formatApiKey, isApiKeyShaped } from "../../../src/keys/api-key.ts";

const SECRET = Uint8Array.from({ length: 32 }, (_, at) => at * 7);
const ALL_ONES = new Uint8Array(32).fill(255);

describe("API keys", () => {
  it("begin with the prefix and have 58 characters, whatever the secret", () => {
    for (const secret of [SECRET, ALL_ONES, new Uint8Array(32)]) {
      expect(formatApiKey(secret)).toMatch(/^svc_live_[0-9A-Za-z]{49}$/);
    }
  });

  it("keep every bit of the secret", () => {
    const keys = new Set<string>();
    for (let bit = 0; bit < 256; bit++) {
      const secret = new Uint8Array(32);
      secret[bit >> 3] = 1 << (bit & 7);
      keys.add(formatApiKey(secret).slice(0, -6));
    }
    expect(keys.size).toBe(256);
  });

  it("are refused when one character is mistyped or two are swapped", () => {
    const key = formatApiKey(SECRET);
    expect(isApiKeyShaped(key)).toBe(true);
    for (let at = 0; at < key.length; at++) {
      const other = key.charAt(at) === "x" ? "y" : "x";
      expect(isApiKeyShaped(key.slice(0, at) + other + key.slice(at + 1))).toBe(false);
      const [a, b] = [key.charAt(at), key.charAt(at + 1)];
      if (a === b || b === "") continue;
      expect(isApiKeyShaped(key.slice(0, at) + b + a + key.slice(at + 2))).toBe(false);
    }
  });

  it.each(["", "svc_live_", "svc_test_x", `${formatApiKey(SECRET)}0`, ` ${formatApiKey(SECRET)}`])(
    "are refused when they are %j",
    (key) => {
      expect(isApiKeyShaped(key)).toBe(false);
    },
  );

  it("are named by a part of their SHA-256", async () => {
    const { keyId, keyHash } = await fingerprint("abc");
    // FIPS 180-2, appendix B.1.
    expect(keyHash).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    expect(keyId).toBe("key_ba7816bf8f01cfea414140de");
  });

  it("need 32 bytes of secret", () => {
    expect(() => formatApiKey(new Uint8Array(16))).toThrow("32 random bytes");
  });
});
