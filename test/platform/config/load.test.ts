import { execFileSync } from "node:child_process";
import { chownSync, lchownSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { loadConfig } from "../../../src/platform/config/load.ts";
import { temporaryFolder } from "../../support/temporary.ts";

const folder = temporaryFolder("load");
afterAll(() => folder.remove());

/** Creates a working folder with this text in its `.env`. */
function workingFolder(text: string, owner: number): string {
  const cwd = mkdtempSync(join(folder.path, "cwd-"));
  const path = join(cwd, ".env");
  writeFileSync(path, text);
  chownSync(path, owner, owner);
  return cwd;
}

const load = (cwd: string, env: Record<string, string> = {}, configPath?: string) =>
  loadConfig({ env, cwd, home: "/home/ada", isRoot: false, configPath });

it(".env: a byte order mark of a Windows editor is ignored", () => {
  const cwd = workingFolder("\ufeffPORT=9000\r\nLOG_LEVEL=warn\r\n", process.getuid?.() ?? 0);
  expect(load(cwd).config).toMatchObject({ port: 9_000, logLevel: "warn" });
  writeFileSync(join(cwd, "homesec.json"), '\ufeff{"PORT": 9001}');
  expect(load(mkdtempSync(join(folder.path, "cwd-")), {}, join(cwd, "homesec.json")).config.port).toBe(9_001);
});

it(".env: a pipe or a folder of this name is ignored", () => {
  const [withPipe, withFolder] = [mkdtempSync(join(folder.path, "cwd-")), mkdtempSync(join(folder.path, "cwd-"))];
  execFileSync("mkfifo", [join(withPipe, ".env")]);
  mkdirSync(join(withFolder, ".env"));
  for (const cwd of [withPipe, withFolder]) expect(load(cwd).config.port).toBe(8_000);
});

describe.skipIf(process.getuid?.() !== 0)(".env of another user (needs root)", () => {
  it(".env of another user: is refused, since it could send the API key to another address", () => {
    const cwd = workingFolder("HOST=192.0.2.66\n", 4_321);
    expect(() => load(cwd)).toThrow(/\.env in this folder belongs to another user \(uid 4321\).*--config \.env/);
  });

  it(".env of another user: is refused even if it is a link to a file of the caller", () => {
    const cwd = mkdtempSync(join(folder.path, "cwd-"));
    const own = join(workingFolder("HOST=192.0.2.66\n", process.getuid?.() ?? 0), ".env");
    symlinkSync(own, join(cwd, ".env"));
    expect(load(cwd).config.host).toBe("192.0.2.66");
    lchownSync(join(cwd, ".env"), 4_321, 4_321);
    expect(() => load(cwd)).toThrow("belongs to another user (uid 4321)");
  });

  it(".env of another user: is accepted with --config, and with sudo by its owner", () => {
    const cwd = workingFolder("PORT=9000\n", 4_321);
    expect(load(cwd, {}, ".env").config.port).toBe(9_000);
    expect(load(cwd, { SUDO_UID: "4321" }).config.port).toBe(9_000);
    expect(() => load(cwd, { SUDO_UID: "4322" })).toThrow("not trusted");
  });
});
