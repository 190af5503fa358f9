import { spawnSync } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { execa } from "execa";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { apiStandIn } from "../support/api-stand-in.ts";
import { cli } from "../support/cli.ts";
import { eventually } from "../support/eventually.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { camera, event, page } from "./records.ts";

const folder = temporaryFolder("completion");
const bodies: Readonly<Record<string, unknown>> = {
  "/api/cameras": { cameras: [camera, { ...camera, camera_id: "garage" }], count: 2, pagination: page(2) },
  "/api/cameras/deleted": { items: [{ ...camera, camera_id: "attic" }], pagination: page(1) },
  "/api/alerts/rules": {
    items: ["Somebody at night", "Dog's & cat: $5", 'A "quote"', "-v", "Two\nlines"].map((name, n) => ({ id: `f${n}`, name })),
    pagination: page(5),
  },
  "/api/events": { items: [event], pagination: page(1) },
  "/api/alerts": {
    items: [{ id: "5f0c9d6e-3f6b-4f0e-9a52-0c6f1f0e7a11" }, { id: "0e3cb4f5-62b1-4c3a-9b0e-5f6f0d5a7c11" }],
    pagination: page(2),
  },
  "/api/outbound-webhooks": { webhooks: [{ id: "7d3a1f5e-8f0e-4f58-9a35-1f2b6d0c9e21", name: "chat" }], total: 1 },
};
let api: Awaited<ReturnType<typeof apiStandIn>>;
beforeAll(async () => {
  api = await apiStandIn(({ path }) => (Object.hasOwn(bodies, path) ? { body: bodies[path] } : undefined));
});
afterAll(async () => {
  await api.close();
  await folder.remove();
});

const complete = async (...words: string[]): Promise<string[]> => {
  const env = { HOMESEC_URL: api.url, XDG_CACHE_HOME: join(folder.path, "cache") };
  const { code, out, err } = await cli(["__complete", ...words], { env });
  expect([code, err]).toEqual([0, ""]);
  return out.split("\n").filter((line) => line !== "");
};

describe("completion candidates", () => {
  it("completion: suggests commands, groups and verbs", async () => {
    expect(await complete("al")).toEqual(["alerts"]);
    expect(await complete("")).toEqual(expect.arrayContaining(["cameras", "serve", "completion", "help"]));
    expect(await complete("")).not.toContain("docs");
    expect(await complete("rules", "e")).toEqual(["edit", "enable"]);
    expect(await complete("cameras", "baseline", "")).toEqual(["show", "config", "anomalies", "reset"]);
  });

  it("completion: suggests flags and their values", async () => {
    expect(await complete("alerts", "list", "--s")).toEqual(["--status", "--severity", "--since"]);
    expect(await complete("alerts", "list", "--status", "")).toEqual(["pending", "delivered", "acknowledged", "dismissed"]);
    expect(await complete("alerts", "list", "-o", "j")).toEqual(["json"]);
    expect(await complete("events", "list", "--no-r")).toEqual(["--no-reviewed"]);
    expect(await complete("notifications", "test", "")).toEqual(["email", "webhook", "push"]);
  });

  it("completion: requests ids from the daemon once and caches them briefly", async () => {
    expect(await complete("cameras", "show", "")).toEqual(["front-door", "garage"]);
    expect(await complete("trigger", "a.jpg", "--camera", "g")).toEqual(["garage"]);
    expect(await complete("-o", "json", "cameras", "baseline", "show", "f")).toEqual(["front-door"]);
    expect(api.seen).toHaveLength(1);
  });

  it("completion: suggests rule names, except names that look like an option or span two lines", async () => {
    const ids = ["f0", "f1", "f2", "f3", "f4"];
    expect(await complete("rules", "test", "")).toEqual(["Somebody at night", "Dog's & cat: $5", 'A "quote"', ...ids]);
    expect(await complete("silence", "add", "--rule", "Somebody a")).toEqual(["Somebody at night"]);
    expect(await complete("alerts", "list", "--rule-id", "")).toEqual(await complete("rules", "test", ""));
  });

  it("completion: suggests ids as short as lists show them, whole ones after a longer beginning, and names of webhooks", async () => {
    expect(await complete("alerts", "show", "")).toEqual(["5f0c9d6e", "0e3cb4f5"]);
    expect(await complete("explain", "alert", "5f0")).toEqual(["5f0c9d6e"]);
    expect(await complete("alerts", "show", "5f0c9d6e-3")).toEqual(["5f0c9d6e-3f6b-4f0e-9a52-0c6f1f0e7a11"]);
    expect(await complete("webhooks", "show", "")).toEqual(["chat", "7d3a1f5e"]);
    // a new id
    expect(await complete("cameras", "add", "Attic", "--camera-id", "")).toEqual([]);
  });

  it("completion: suggests values after a comma and after =", async () => {
    expect(await complete("events", "list", "--camera-id", "front-door,")).toEqual(["front-door,garage"]);
    expect(await complete("events", "list", "--camera-id=garage,f")).toEqual(["--camera-id=garage,front-door"]);
    expect(await complete("events", "list", "--risk-level", "low,high,")).toEqual(["low,high,medium", "low,high,critical"]);
    expect(await complete("alerts", "list", "--status=d")).toEqual(["--status=delivered", "--status=dismissed"]);
    // the words as bash splits them
    expect(await complete("alerts", "list", "--status", "=", "d")).toEqual(["delivered", "dismissed"]);
    expect(await complete("alerts", "list", "--status", "=")).toHaveLength(4);
    // this command accepts only one value
    expect(await complete("alerts", "list", "--status", "pending,")).toEqual([]);
    expect(await complete("rules", "test", "Somebody at night,")).toEqual([]);
  });

  it("completion: suggests record fields, help topics, and ids that depend on earlier words", async () => {
    expect(await complete("cameras", "list", "--fields", "camera_id,na")).toEqual(["camera_id,name"]);
    expect(await complete("dlq", "list", "--fields", "")).toEqual(["queue", "count"]);
    expect(await complete("help", "e")).toEqual(["events", "entities", "evidence", "explain", "exit-codes", "environment"]);
    expect(await complete("help", "cameras", "base")).toEqual(["baseline"]);
    expect(await complete("breakers", "reset", "v")).toEqual(["vision"]);
    expect(await complete("cameras", "restore", "")).toEqual(["attic"]);
    expect(await complete("explain", "event", "")).toEqual(["42"]);
    expect(await complete("explain", "image", "")).toEqual([]);
    expect(await complete("doctor", "--only", "smtp,language")).toEqual(["smtp,language-model", "smtp,language-model-fallback"]);
    expect(await complete("doctor", "--skip", "camera-m")).toEqual(["camera-mounts"]);
    expect(await complete("silence", "list", "--fields", "held")).toEqual(["held_back"]);
    expect(await complete("live", "--fields", "seq")).toEqual(["sequence"]);
  });

  it("completion: suggests nothing, silently, without a daemon or after unknown words", async () => {
    expect(await complete("cameras", "show", "--url", "http://127.0.0.1:1", "")).toEqual([]);
    expect(await complete("entities", "show", "")).toEqual([]);
    expect(await complete("nothing", "at", "all", "")).toEqual([]);
    expect(await complete("cameras", "list", "extra", "")).toEqual([]);
  });
});

describe("completion in real shells", () => {
  const shells = ["bash", "zsh", "fish"] as const;
  const has = (program: string): boolean => spawnSync(program, ["--version"]).status === 0;
  const missing = [...shells, "script"].filter((program) => !has(program));
  if (missing.length > 0) process.stderr.write(`not installed, so completions are not tested in all shells: ${missing.join(", ")}\n`);

  /** Starts each shell and makes it print its current line on Ctrl-B. */
  const interactive = {
    bash: { start: "bash --norc --noprofile -i", setup: `bind -x '"\\C-b": echo "<$READLINE_LINE>"'` },
    zsh: {
      start: "zsh -f -i",
      setup: `autoload -Uz compinit; compinit -u -D; tell() { print -r -- "<$BUFFER>"; }; zle -N tell; bindkey '^B' tell`,
    },
  } as const;

  /** The lines after typing each one and pressing Tab on a terminal. */
  async function tabbed(shell: "bash" | "zsh", lines: readonly string[], script: string, env: Record<string, string>) {
    const { start, setup } = interactive[shell];
    const options = { env: { ...env, TERM: "dumb", PS1: "READY> " }, extendEnv: false } as const;
    const terminal = execa("script", ["-qec", `stty cols 200; ${start}`, "/dev/null"], options);
    let shown = "";
    terminal.stdout.on("data", (part: Buffer) => {
      shown += part.toString();
    });
    const match = async (from: number, pattern: RegExp): Promise<string> => {
      const found = await eventually(() => pattern.exec(shown.slice(from))).catch(() => undefined);
      if (!found) throw new Error(`${pattern} does not match what ${shell} shows: ${JSON.stringify(shown.slice(from))}`);
      return found[1] ?? "";
    };
    await match(0, /READY> /);
    terminal.stdin.write(` ${setup}; . ${script}\n`);
    await match(0, /READY> .*\n.*READY> /s);
    const found: string[] = [];
    for (const line of lines) {
      const from = shown.length;
      terminal.stdin.write(`${line}\t\u0002`);
      found.push((await match(from, /<(homesec [^>]*)>/)).trimEnd());
      terminal.stdin.write("\u0015");
    }
    terminal.stdin.write("exit\n");
    await terminal;
    return found;
  }

  const completed = [
    ["homesec cameras show fr", "homesec cameras show front-door"],
    ["homesec events list --camera-id front-door,ga", "homesec events list --camera-id front-door,garage"],
    ["homesec cameras list --status=off", "homesec cameras list --status=offline"],
    ["homesec cameras list --fields name,camera_", "homesec cameras list --fields name,camera_id"],
    ["homesec help exi", "homesec help exit-codes"],
    ["homesec anal", "homesec analytics"],
  ] as const;
  /** Names with spaces and special characters, completed from the start and from a quoted part. */
  const named = {
    bash: [
      ["homesec rules test So", "homesec rules test Somebody\\ at\\ night"],
      ["homesec rules test Somebody\\ a", "homesec rules test Somebody\\ at\\ night"],
      ["homesec rules test 'Somebody a", "homesec rules test 'Somebody at night'"],
      ['homesec rules test "Somebody a', 'homesec rules test "Somebody at night"'],
      ["homesec silence add --rule Dog", "homesec silence add --rule Dog\\'s\\ \\&\\ cat\\:\\ \\$5"],
      ['homesec silence add --rule "Dog', 'homesec silence add --rule "Dog\'s & cat: \\$5"'],
      ["homesec rules show A", 'homesec rules show A\\ \\"quote\\"'],
    ],
    zsh: [
      ["homesec rules test So", "homesec rules test Somebody\\ at\\ night"],
      ["homesec rules test Somebody\\ a", "homesec rules test Somebody\\ at\\ night"],
      ["homesec rules test 'Somebody a", "homesec rules test 'Somebody at night'"],
      ['homesec rules test "Somebody a', 'homesec rules test "Somebody at night"'],
      ["homesec silence add --rule Dog", "homesec silence add --rule Dog\\'s\\ \\&\\ cat:\\ \\$5"],
      ['homesec silence add --rule "Dog', 'homesec silence add --rule "Dog\'s & cat: \\$5"'],
      ["homesec rules show A", 'homesec rules show A\\ \\"quote\\"'],
    ],
    // fish replaces the last word with this
    fish: [
      ["homesec rules test So", "Somebody\\ at\\ night"],
      ["homesec rules test Somebody\\ a", "Somebody\\ at\\ night"],
      ["homesec rules test 'Somebody a", "'Somebody at night'"],
      ['homesec rules test "Somebody a', '"Somebody at night"'],
      ["homesec silence add --rule Dog", "Dog\\'s\\ \\&\\ cat:\\ \\$5"],
      ["homesec rules show A", 'A\\ \\"quote\\"'],
    ],
  } as const;

  it.each(shells)("completion: %s completes commands, values and ids", async (shell: (typeof shells)[number]) => {
    const { out, code } = await cli(["completion", shell]);
    expect(code).toBe(0);
    const bin = join(folder.path, `bin-${shell}`);
    await mkdir(bin);
    const script = join(bin, "script");
    await writeFile(script, out);
    const program = new URL("../../dist/bin/homesec.js", import.meta.url).pathname;
    await writeFile(join(bin, "homesec"), `#!/bin/sh\nexec ${process.execPath} ${program} "$@"\n`, { mode: 0o755 });
    if (!has(shell) || (shell !== "fish" && !has("script"))) return;
    const env = { PATH: `${bin}:${process.env["PATH"]}`, HOME: folder.path, HOMESEC_URL: api.url };
    if (shell !== "fish") {
      const all = [...completed, ...named[shell]];
      const lines = all.map(([line]) => line);
      expect(await tabbed(shell, lines, script, env)).toEqual(all.map(([, expected]) => expected));
      return;
    }
    const whole = completed.map(([line, expected]) => [line, expected.slice(expected.lastIndexOf(" ") + 1)] as const);
    for (const [line, expected] of [...whole, ...named.fish]) {
      const args = ["-c", `source ${script}; complete --escape -C $argv[1]`, line];
      const { stdout } = await execa("fish", args, { env, extendEnv: false });
      expect(stdout.split("\n"), line).toEqual([expected]);
    }
  });

  it("completion: rejects an unknown shell", async () => {
    expect(await cli(["completion", "tcsh"])).toMatchObject({ code: 2, out: "", err: expect.stringContaining("bash, zsh, fish") });
  });
});
