import { expect, it } from "vitest";
import { parseConfig } from "../../src/platform/config/parse.ts";
import { cli } from "../support/cli.ts";

const keyLine = /^hs_[\w-]{43}$/;

it("keys: the daemon accepts generated keys, and the command says how to use them", async () => {
  const { code, out, err } = await cli(["keys", "generate", "--count", "2"]);
  expect(code).toBe(0);
  const keys = out.match(/hs_[\w-]{43}/g) ?? [];
  expect(new Set(keys).size).toBe(2);
  expect(err).toContain("API_KEY_ENABLED=true");
  expect(err).toContain(`HOMESEC_API_KEY=${keys[0]}`);
  const [, line = ""] = /^\s*API_KEYS=(.*)$/m.exec(err) ?? [];
  const { config } = parseConfig({ env: { API_KEY_ENABLED: "true", API_KEYS: line }, isRoot: false, home: "/", cwd: "/" });
  expect(config.apiKeys).toEqual(keys);
});

it("keys: with a format for programs, nothing is printed for people", async () => {
  const json = await cli(["keys", "generate", "-o", "json"]);
  expect(JSON.parse(json.out)).toEqual([{ api_key: expect.stringMatching(keyLine) }]);
  const id = await cli(["keys", "generate", "--count", "3", "-o", "id"]);
  expect(id.out.trim().split("\n")).toEqual(Array.from({ length: 3 }, () => expect.stringMatching(keyLine)));
  expect([json.err, id.err]).toEqual(["", ""]);
  const quiet = await cli(["keys", "generate", "--quiet"]);
  expect(quiet.err).toBe("");
});

it("keys: impossible numbers are rejected", async () => {
  for (const count of ["0", "101", "x"]) {
    const { code, err } = await cli(["keys", "generate", "--count", count]);
    expect([code, err]).toEqual([2, expect.stringContaining("--count")]);
  }
});
