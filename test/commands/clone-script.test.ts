import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, expect, it } from "vitest";
import { calledAs } from "../../commands/host.ts";
import { temporaryFolder } from "../support/temporary.ts";

const root = join(import.meta.dirname, "../..");
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
const run = promisify(execFile);
const folder = temporaryFolder("clone-script");
afterAll(() => folder.remove());

it("the script of a clone: runs what was built, from every folder and through links", async () => {
  const link = join(folder.path, "homesec");
  symlinkSync(join(root, "homesec"), link);
  symlinkSync("homesec", join(folder.path, "hs"));
  for (const command of [join(root, "homesec"), link, join(folder.path, "hs")]) {
    const { stdout, stderr } = await run(command, ["--version"], { cwd: folder.path });
    expect([stdout, stderr]).toEqual([`${version}\n`, ""]);
  }
});

it("the script of a clone: passes arguments and the exit code on", async () => {
  const failed = await run(join(root, "homesec"), ["events", "show", "a b"]).catch((error: unknown) => error);
  expect(failed).toMatchObject({ code: 2, stderr: expect.stringContaining("a b") });
});

it.each([
  ["./homesec", root, ""],
  ["homesec", "/", root],
])("the script of a clone: suggestions can be typed as they are, after %s", async (typed, cwd, onPath) => {
  const tools = mkdtempSync(join(folder.path, "tools-"));
  writeFileSync(join(tools, "node"), '#!/bin/sh\necho "$CALLED_HOMESEC_AS"\n', { mode: 0o755 });
  const PATH = [tools, onPath, process.env["PATH"]].join(delimiter);
  const { stdout } = await run("sh", ["-c", `${typed} serve`], { cwd, env: { PATH } });
  expect(stdout).toBe(`${typed}\n`);
  expect(calledAs({ env: { CALLED_HOMESEC_AS: stdout.trim() } })).toBe(typed);
});
