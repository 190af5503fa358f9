import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { commandReference } from "../../commands/reference.ts";
import { allCommands, nouns } from "../../commands/registry.ts";
import { configurationReference } from "../../src/config/reference.ts";
import { cli } from "../support/cli.ts";

const commands = await allCommands();

describe("help", () => {
  it.each(commands.filter((command) => !command.hidden).map(({ name }) => name))("homesec %s --help begins with examples", async (name) => {
    const { code, out, err } = await cli([...name.split(" "), "--help"]);
    expect([code, err]).toEqual([0, ""]);
    const [examples, usage] = [out.indexOf(`\nExamples:\n  homesec ${name}`), out.indexOf("\nUsage: ")];
    expect(examples).toBeGreaterThan(0);
    expect(usage).toBeGreaterThan(examples);
    expect(out).toContain("Global Options:");
  });

  it("names every command, and not what is hidden", async () => {
    const { code, out } = await cli(["--help"]);
    expect(code).toBe(0);
    for (const word of ["serve", "demo", "health", ...nouns.map(({ name }) => name)])
      expect(out).toMatch(new RegExp(`^ {2}${word}\\b`, "m"));
    expect(out).not.toMatch(/^ {2}docs\b/m);
    const cameras = await cli(["cameras", "--help"]);
    for (const verb of ["list", "show", "add", "update", "remove", "restore"])
      expect(cameras.out).toMatch(new RegExp(`^ {2}${verb}\\b`, "m"));
  });

  it("examples name options that exist", async () => {
    for (const { name, options, examples } of commands) {
      for (const { command } of examples) {
        // an option of every command may stand before it
        const plain = command.replace(/^homesec --[a-z-]+ \S+ /, "homesec ");
        expect(plain.startsWith(`homesec ${name}`), command).toBe(true);
        const own = command.split(/ [|>] /)[0] ?? "";
        for (const [, flag = ""] of own.matchAll(/ --(?:no-)?([a-z-]+)/g)) {
          const known = [...Object.keys(options), "config", "dataDir", "quiet", "output", "fields", "direct", "url"];
          expect(known, command).toContain(flag.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase()));
        }
      }
    }
  });

  it("--version is the version alone", async () => {
    expect(await cli(["--version"])).toEqual({ code: 0, out: "1.2.3\n", err: "" });
  });
});

describe("generated pages", () => {
  const page = (name: string) => readFileSync(new URL(`../../docs/${name}`, import.meta.url), "utf8");

  it("docs/cli.md is what `npm run docs` writes", () => {
    expect(page("cli.md")).toBe(commandReference(commands));
  });

  it("docs/configuration.md is what `npm run docs` writes", () => {
    expect(page("configuration.md")).toBe(configurationReference());
  });
});
