import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ERRORS } from "../../src/contract/errors.ts";
import { SERVICES } from "../../src/contract/schemas.ts";
import { scripts } from "../node/pages.ts";

/** What the Bruno collection has. `npm run test:collections` runs it. */

const FOLDER = "infra/collections";
const names = (await readdir(FOLDER, { recursive: true })).filter((name) => /\.\w+$/.test(name));
const files = await Promise.all(
  names.map(async (name) => ({ name, text: await readFile(join(FOLDER, name), "utf8") })),
);
const textOf = (name: string) => files.find((file) => file.name === name)?.text ?? `no ${name}`;
const requests = files.filter(({ name }) => /^(?:successes|refusals)\//.test(name));

describe("the collection", () => {
  it("has a request for each service, and one for each error code", () => {
    const services = SERVICES.map((service) => `successes/${service}.bru`);
    const codes = Object.keys(ERRORS).map((code) => `refusals/${code}.bru`);
    const own = requests.map(({ name }) => name);
    expect([...services, ...codes].filter((name) => !own.includes(name))).toEqual([]);
    expect(own.filter((name) => name.startsWith("refusals/")).sort()).toEqual(codes.sort());
  });

  it.each(Object.entries(ERRORS))("expects status and code of %s", (code, { status }) => {
    const request = textOf(`refusals/${code}.bru`);
    expect(request).toContain(`\n  res.status: eq ${status}\n`);
    expect(request).toContain(`\n  res.body.code: eq ${code}\n`);
  });

  it.each(SERVICES)("expects a success, and its price, of %s", (service) => {
    const request = textOf(`successes/${service}.bru`);
    expect(request).toContain(`"service": "${service}"`);
    expect(request).toContain("\n  res.status: eq 200\n");
    expect(request).toMatch(/\n {2}res\.body\.credits_used: eq [12]\n/);
  });

  it("sends everything to the address of the environment", () => {
    const elsewhere = requests.filter(
      ({ text }) => !/^ {2}url: \{\{baseUrl\}\}\/v\d\//m.test(text),
    );
    expect(elsewhere).toEqual([]);
  });

  it("has no key in any file: keys are secret variables", () => {
    const local = textOf("environments/local.bru");
    const [, secrets = ""] = /vars:secret \[([^\]]*)\]/.exec(local) ?? [];
    expect(secrets.match(/\w+/g)).toEqual(["apiKey", "newKey"]);
    expect(files.filter(({ text }) => /svc_live_[0-9A-Za-z]{49}/.test(text))).toEqual([]);
  });

  it("is run by a command that CI runs", async () => {
    expect(scripts["test:collections"]).toBe("node test/collections/main.ts");
    expect(await readFile(".ci/run", "utf8")).toContain("\nnpm run test:collections\n");
  });
});
