import { CommanderError } from "commander";
import { describe, expect, test, vi } from "vitest";
import { parseDevOptions } from "../../../infra/local/options.ts";

describe("npm run dev without options", () => {
  test("listens on 8787 and asks the platforms themselves", () => {
    expect(parseDevOptions([])).toEqual({ port: 8787 });
  });
});

describe("npm run dev", () => {
  test("takes each option", () => {
    const args = ["--port", "0", "--fresh", "--egress", "http://127.0.0.1:9/gate"];
    expect(parseDevOptions([...args, "--var", "A:b:c=d", "--var", "EMPTY:"])).toEqual({
      port: 0,
      fresh: true,
      egress: "http://127.0.0.1:9/gate",
      var: { A: "b:c=d", EMPTY: "" },
    });
    expect(parseDevOptions(["--samples", "--log", "json"])).toEqual({
      ...{ port: 8787, samples: true, log: "json" },
    });
  });

  test.each([
    { args: ["--port", "65536"] },
    { args: ["--port", "-1"] },
    { args: ["--port", "8787x"] },
    { args: ["--egress", "ftp://example.com"] },
    { args: ["--egress", "gateway"] },
    { args: ["--var", "NAME=VALUE"] },
    { args: ["--var", "1A:x"] },
    { args: ["--samples", "--egress", "http://127.0.0.1:9"] },
    { args: ["--log", "xml"] },
    { args: ["--unknown"] },
    { args: ["surplus"] },
  ])("refuses $args with exit code 1 and says why", ({ args }) => {
    const said = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    try {
      expect(() => parseDevOptions(args)).toThrow(expect.objectContaining({ exitCode: 1 }));
      expect(() => parseDevOptions(args)).toThrow(CommanderError);
      expect(said).toHaveBeenCalledWith(expect.stringContaining("error:"));
    } finally {
      said.mockRestore();
    }
  });
});
