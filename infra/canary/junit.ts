import type { Service } from "../../src/contract/schemas.ts";
import { describeMedia } from "./media-text.ts";
import type { Verdict } from "./verdict.ts";
import { explain } from "./wrong-lines.ts";

/**
 * The run as JUnit XML, the form that CI systems read: a suite for each service, a case for each line
 * of the list.
 */
export function junit(verdicts: readonly Verdict[], at: Date): string {
  const services = new Set(verdicts.map(({ line }) => line.service));
  const suites = [...services].map((service) => suite(service, verdicts, at));
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    open("testsuites", { name: "canary", ...counts(verdicts) }),
    ...suites,
    "</testsuites>\n",
  ].join("\n");
}

function suite(service: Service, verdicts: readonly Verdict[], at: Date): string {
  const own = verdicts.filter(({ line }) => line.service === service);
  // JUnit's times have no zone.
  const timestamp = at.toISOString().slice(0, 19);
  return [
    open("testsuite", { name: service, ...counts(own), errors: 0, skipped: 0, timestamp }),
    ...own.map(testCase),
    "</testsuite>",
  ].join("\n");
}

function testCase(verdict: Verdict): string {
  const { line, answer, isRight, media } = verdict;
  const name = `${line.number}: ${line.url}`;
  const time = seconds(answer.whole.durationMs);
  const [first = "", ...rest] = explain(verdict);
  const parts = [open("testcase", { name, classname: line.service, time })];
  if (!isRight) {
    const failure = open("failure", { type: answer.whole.code, message: first });
    parts.push(`${failure}${escapeXml(rest.join("\n"))}</failure>`);
  }
  if (media.length > 0) {
    parts.push(`<system-out>${escapeXml(media.map(describeMedia).join("\n"))}</system-out>`);
  }
  return [...parts, "</testcase>"].join("\n");
}

function counts(verdicts: readonly Verdict[]) {
  const durationMs = verdicts.reduce((sum, { answer }) => sum + answer.whole.durationMs, 0);
  const failures = verdicts.filter(({ isRight }) => !isRight).length;
  return { tests: verdicts.length, failures, time: seconds(durationMs) };
}

function seconds(durationMs: number): string {
  return (durationMs / 1000).toFixed(3);
}

function open(name: string, attributes: Readonly<Record<string, string | number>>): string {
  const shown = Object.entries(attributes).map(([key, value]) => ` ${key}="${escapeXml(value)}"`);
  return `<${name}${shown.join("")}>`;
}

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
};

/** XML 1.0 has no way to say these. */
const UNSPEAKABLE = /[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

function escapeXml(text: string | number): string {
  return String(text)
    .replace(UNSPEAKABLE, "?")
    .replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character);
}
