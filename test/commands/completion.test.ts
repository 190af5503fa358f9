import { execFileSync, spawnSync } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { execa } from "execa";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { apiStandIn } from "../support/api-stand-in.ts";
import { cli } from "../support/cli.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { camera, page } from "./records.ts";

const folder = temporaryFolder("completion");
let api: Awaited<ReturnType<typeof apiStandIn>>;
beforeAll(async () => {
  api = await apiStandIn(({ path }) =>
    path === "/api/cameras"
      ? { body: { cameras: [camera, { ...camera, camera_id: "garage" }], count: 2, pagination: page(2) } }
      : undefined,
  );
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

describe("what can follow", () => {
  it("commands, groups and verbs", async () => {
    expect(await complete("al")).toEqual(["alerts"]);
    expect(await complete("")).toEqual(expect.arrayContaining(["cameras", "serve", "completion", "help"]));
    expect(await complete("")).not.toContain("docs");
    expect(await complete("rules", "e")).toEqual(["edit", "enable"]);
    expect(await complete("cameras", "baseline", "")).toEqual(["show", "config", "anomalies", "reset"]);
  });

  it("flags and their values", async () => {
    expect(await complete("alerts", "list", "--s")).toEqual(["--status", "--severity", "--start-date"]);
    expect(await complete("alerts", "list", "--status", "")).toEqual(["pending", "delivered", "acknowledged", "dismissed"]);
    expect(await complete("alerts", "list", "-o", "j")).toEqual(["json"]);
    expect(await complete("events", "list", "--no-r")).toEqual(["--no-reviewed"]);
    expect(await complete("notifications", "test", "")).toEqual(["email", "webhook", "push"]);
  });

  it("ids of the daemon, asked once and kept for a moment", async () => {
    expect(await complete("cameras", "show", "")).toEqual(["front-door", "garage"]);
    expect(await complete("trigger", "a.jpg", "--camera", "g")).toEqual(["garage"]);
    expect(await complete("-o", "json", "cameras", "baseline", "show", "f")).toEqual(["front-door"]);
    expect(api.seen).toHaveLength(1);
  });

  it("nothing, in silence, when no daemon answers or the words mean nothing", async () => {
    expect(await complete("cameras", "show", "--url", "http://127.0.0.1:1", "")).toEqual([]);
    expect(await complete("rules", "show", "")).toEqual([]);
    expect(await complete("nothing", "at", "all", "")).toEqual([]);
    expect(await complete("cameras", "list", "extra", "")).toEqual([]);
  });
});

describe("in the shells themselves", () => {
  const shells = ["bash", "zsh", "fish"] as const;
  const has = (shell: string): boolean => spawnSync(shell, ["--version"]).status === 0;
  const missing = shells.filter((shell) => !has(shell));
  if (missing.length > 0) process.stderr.write(`not installed, so completions are not tested in: ${missing.join(", ")}\n`);

  const drive = {
    bash: (script: string) =>
      `. ${script}; COMP_WORDS=(homesec cameras show fr); COMP_CWORD=3; _homesec; printf '%s\\n' "\${COMPREPLY[@]}"; complete -p homesec`,
    zsh: (script: string) =>
      `compdef() { :; }; compadd() { shift; print -l -- "$@"; }; . ${script}; words=(homesec cameras show fr); CURRENT=4; _homesec`,
    fish: (script: string) => `source ${script}; complete -C 'homesec cameras show fr'`,
  };

  it.each(shells.map((shell) => ({ shell })))("$shell completes the id of a camera", async ({ shell }) => {
    const { out, code } = await cli(["completion", shell]);
    expect(code).toBe(0);
    const bin = join(folder.path, `bin-${shell}`);
    await mkdir(bin);
    const script = join(bin, "script");
    await writeFile(script, out);
    const program = new URL("../../dist/bin/homesec.js", import.meta.url).pathname;
    await writeFile(join(bin, "homesec"), `#!/bin/sh\nexec ${process.execPath} ${program} "$@"\n`, { mode: 0o755 });
    if (!has(shell)) return;
    const env = { PATH: `${bin}:${process.env["PATH"]}`, HOME: folder.path, HOMESEC_URL: api.url };
    const { stdout } = await execa(shell, ["-c", drive[shell](script)], { env, extendEnv: false });
    expect(stdout.split("\n")[0]).toBe("front-door");
    if (shell === "bash") expect(execFileSync("bash", ["-n", script]).toString()).toBe("");
  });

  it("refuses a shell that it does not know", async () => {
    expect(await cli(["completion", "tcsh"])).toMatchObject({ code: 2, out: "", err: expect.stringContaining("bash, zsh, fish") });
  });
});
