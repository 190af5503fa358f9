import { readFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { exitCodes } from "../../commands/exit-codes.ts";
import { topics } from "../../commands/help/topics.ts";
import { outputFormats } from "../../commands/output/view.ts";
import { commandReference } from "../../commands/reference.ts";
import { allCommands, nouns } from "../../commands/registry.ts";
import { commandWords, typable } from "../../src/base/text/format.ts";
import { configurationReference } from "../../src/platform/config/reference.ts";
import { cli } from "../support/cli.ts";

const commands = await allCommands();

/** Every variable that commands read from the environment, without those they set for a library. */
async function variablesRead(): Promise<readonly string[]> {
  const root = new URL("../../commands", import.meta.url).pathname;
  const files = (await readdir(root, { recursive: true })).filter((file) => file.endsWith(".ts"));
  const sources = await Promise.all(files.map((file) => readFile(`${root}/${file}`, "utf8")));
  return [
    ...new Set(sources.flatMap((source) => [...source.matchAll(/(?<!process\.)env\["([A-Z_]+)"\]/g)].map(([, name]) => name ?? ""))),
  ].toSorted();
}

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

  it.each([[""], ["cameras"], ["cameras baseline"], ["events list"], ["serve"]])("homesec help %s is the same as --help", async (path) => {
    const words = path.split(" ").filter((word) => word !== "");
    const asked = await cli(["help", ...words]);
    expect(asked).toEqual(await cli([...words, "--help"]));
    expect([asked.code, asked.err]).toEqual([0, ""]);
    // real examples come first
    expect(asked.out).toMatch(new RegExp(`^[^]*Examples:\n  homesec ${path}[^]*Usage: homesec ${path}`));
  });

  it.each(topics.map(({ name }) => name))("homesec help %s is a page with examples, as wide as the terminal", async (name) => {
    const { code, out, err } = await cli(["help", name]);
    expect([code, err]).toEqual([0, ""]);
    expect(out).toMatchSnapshot();
    const narrow = await cli(["help", name], { terminal: 60 });
    const prose = narrow.out.split("\n").filter((line) => !line.startsWith("  homesec") && !line.startsWith("  HOMESEC"));
    for (const line of prose) expect(line.length, line).toBeLessThanOrEqual(60);
  });

  it("topics name every exit code, format and variable that commands read", async () => {
    const page = async (name: string) => (await cli(["help", name])).out;
    for (const code of Object.values(exitCodes)) expect(await page("exit-codes")).toMatch(new RegExp(`^ +${code} {2}\\S`, "m"));
    for (const format of outputFormats) expect(await page("formatting")).toMatch(new RegExp(`^ {2}${format} `, "m"));
    for (const name of await variablesRead()) expect(await page("environment"), name).toContain(name);
  });

  it.each([
    [["help", "exit-code"], "unknown command or topic exit-code; did you mean `homesec help exit-codes`?"],
    [["help", "evnts"], "unknown command or topic evnts; did you mean `homesec help events`?"],
    [["help", "events", "lst"], "unknown command events lst; did you mean `homesec help events list`?"],
    [["help", "events", "list", "now"], "unknown command events list now"],
  ])("homesec %j says what there is instead", async (args, message) => {
    const { code, out, err } = await cli(args);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toContain(message);
  });

  it.each([
    ["events bulk", "unknown command 'bulk'", "`homesec events --help` shows the usage."],
    ["cameras baseline shw", "unknown command 'shw'\n(Did you mean show?)", "`homesec cameras baseline --help` shows the usage."],
    ["cameras baselin show", "unknown command 'baselin'\n(Did you mean baseline?)", "`homesec cameras --help` shows the usage."],
    ["evnts list", "unknown command 'evnts'\n(Did you mean events?)", "`homesec --help` shows the usage."],
    ["bulk", "unknown command 'bulk'", "`homesec --help` shows the usage."],
  ])("homesec %s is unknown with and without --help, at every level", async (line, message, usage) => {
    const words = line.split(" ");
    for (const args of [words, [...words, "--help"], [...words, "-h"], ["--url", "http://127.0.0.1:1", ...words, "--help"]]) {
      const { code, out, err } = await cli(args);
      expect([code, out], args.join(" ")).toEqual([2, ""]);
      expect(err).toContain(`homesec: ${message}`);
      expect(err).toContain(usage);
    }
    const first = await cli([...words.slice(0, -1), "--help", ...words.slice(-1)]);
    expect([first.code, first.out]).toEqual([2, ""]);
  });

  it.each([
    ["--help"],
    ["events --help"],
    ["events --limit 5 --help"],
    ["events list --help"],
    ["--url x cameras baseline -h"],
    ["serve --help"],
  ])("homesec %s still prints help", async (line) => {
    const { code, out, err } = await cli(line.split(" "));
    expect([code, err]).toEqual([0, ""]);
    expect(out).toContain("Usage: homesec");
  });

  it("a noun without a verb shows its verbs, as an error", async () => {
    const { code, out, err } = await cli(["cameras", "baseline"]);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toMatch(/anomalies/);
  });

  it("--version is the version alone", async () => {
    expect(await cli(["--version"])).toEqual({ code: 0, out: "1.2.3\n", err: "" });
  });
});

describe("the way homesec is called", () => {
  const called = (line: string, as: string, terminal?: number) =>
    cli(line.split(" "), {
      env: { CALLED_HOMESEC_AS: as, HOMESEC_URL: "http://127.0.0.1:1" },
      ...(terminal !== undefined && { terminal }),
    });

  it.each(["./homesec", "npx homesec", "/srv/home/homesec"])(
    "called as %s: help, errors and suggestions can be typed as they are",
    async (as) => {
      for (const line of ["--help", "events --help", "events list --help", "help formatting", "help environment"]) {
        const { out } = await called(line, as);
        expect(out, line).toContain(`${as} `);
        expect(
          out
            .split(as)
            .join("")
            .match(/(?<![\w/.-])homesec (?:events|help|cameras|serve|demo)\b/g),
          line,
        ).toBeNull();
      }
      expect((await called("events --help", as)).out).toContain(`Usage: ${as} events `);
      expect((await called("list cameras", as)).err).toContain(`(Did you mean ${as} cameras list?)`);
      expect((await called("events lst", as)).err).toContain(`\`${as} events --help\` shows the usage.`);
      expect((await called("help evnts", as)).err).toContain(`did you mean \`${as} help events\`?`);
      expect((await called("cameras list", as)).err).toContain(`start it with \`${as} serve\``);
      expect((await called("health --direct", as)).err).toContain(`start one with \`${as} serve\``);
    },
  );

  it("called as a path with spaces: suggestions quote it", async () => {
    expect((await called("cameras list", "/srv/my home/homesec")).err).toContain("start it with `'/srv/my home/homesec' serve`");
  });

  it("called by another name: sentences about homesec stay, commands in texts of the daemon change", () => {
    const text = "homesec ignores it; run homesec doctor, `homesec --direct cameras remove a` or /opt/homesec demo. homesec events.";
    expect(typable(text, "./homesec")).toBe(
      "homesec ignores it; run ./homesec doctor, `./homesec --direct cameras remove a` or /opt/homesec demo. ./homesec events.",
    );
    expect(typable(text, undefined)).toBe(text);
    expect(typable("type npx homesec setup", "npx homesec")).toBe("type npx homesec setup");
  });

  it("called by another name: the first words of all commands are known", () => {
    const words = [...new Set([...commands.map(({ name }) => name.split(" ")[0]), "help"])];
    expect([...commandWords].toSorted()).toEqual(words.toSorted());
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
