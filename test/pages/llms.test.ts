import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { posix } from "node:path";
import { describe, expect, it } from "vitest";
import { SERVICES } from "../../src/contract/schemas.ts";
import { readGuide } from "./guide.ts";

/** The page for programs, in the form that llmstxt.org describes (2024-09). */

const PATH = "infra/docs/llms.txt";
const text = await readFile(PATH, "utf8");
const [head = "", ...sections] = text.split(/^## .*\n/m);
const ITEM = /^- \[([^\]]+)\]\(([^)]+)\): \S.*$/;
const items = sections.flatMap((section) => section.trim().split("\n"));
const links = items.map((item) => ITEM.exec(item)?.[2] ?? "");

describe("llms.txt", () => {
  it("begins with the name, a summary and what one has to know, without another heading", () => {
    const [title = "", summary = "", ...details] = head.trim().split("\n\n");
    expect(title).toMatch(/^# \S.*$/);
    expect(summary).toMatch(/^> \S.*$/);
    expect(details.length).toBeGreaterThan(0);
    expect(text.match(/^# /gm)).toHaveLength(1);
    expect(text.match(/^###/gm)).toBeNull();
  });

  it("goes on with sections that are nothing but lists of links, the last one optional", () => {
    const names = [...text.matchAll(/^## (.*)$/gm)].map(([, name]) => name);
    expect(names.at(-1)).toBe("Optional");
    expect(items.filter((item) => !ITEM.test(item))).toEqual([]);
    expect(items.length).toBeGreaterThan(8);
  });

  it("links to places that exist, each once", () => {
    const paths = links.map((link) => posix.join("infra/docs", link));
    expect(paths.filter((path) => !existsSync(path))).toEqual([]);
    expect(new Set(paths).size).toBe(paths.length);
  });

  it("links to every page of the guide but to the single errors and the index", async () => {
    const pages = (await readGuide()).map(({ path }) => posix.relative("infra/docs", path));
    const own = pages.filter((path) => !/^guide\/(?:README|errors\/[A-Z_]+)\.md$/.test(path));
    const errors = "guide/errors/README.md";
    expect([...own, errors].filter((path) => !links.includes(path))).toEqual([]);
  });

  it("names every service", () => {
    for (const service of SERVICES) expect(head).toContain(`\`${service}\``);
  });
});
