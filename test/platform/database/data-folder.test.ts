import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, lstat, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type DataFolderLock, lockDataFolder } from "../../../src/platform/database/data-folder.ts";
import { processIdentity } from "../../../src/platform/database/process-identity.ts";
import { bundled } from "../../support/bundled.ts";

let folder: string;
let dataDir: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "homesec-folder-"));
  dataDir = join(folder, "deep", "data");
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test("data folder: is created for its user only, and released", async () => {
  const lock = await lockDataFolder(dataDir);
  expect((await lstat(dataDir)).mode & 0o777).toBe(0o700);
  expect(await readFile(join(dataDir, "homesec.pid"), "utf8")).toBe(`${process.pid} ${await processIdentity(process.pid)}\n`);
  await lock.release();
  expect(await readdir(dataDir)).toEqual([]);
  await (await lockDataFolder(dataDir)).release();
});

test("data folder: is refused while held, naming the holder and a way out", async () => {
  const lock = await lockDataFolder(dataDir);
  await expect(lockDataFolder(dataDir)).rejects.toMatchObject({
    name: "Problem",
    kind: "conflict",
    message: expect.stringContaining("DATA_DIR"),
  });
  await lock.release();
});

test.each([
  ["a dead process", async () => `${await deadPid()} gone`],
  ["a living process that is not the holder, since its number was used again", async () => `${process.pid} another-start`],
  ["nothing readable", async () => "\0\0\0"],
  ["nothing", async () => ""],
])("data folder: a lock of %s is replaced", async (_, content) => {
  await (await lockDataFolder(dataDir)).release();
  await writeFile(join(dataDir, "homesec.pid"), await content());
  await writeFile(join(dataDir, `homesec.pid.${await deadPid()}.gone.abcd`), "");
  const lock = await lockDataFolder(dataDir);
  expect(await readdir(dataDir)).toEqual(["homesec.pid"]);
  await lock.release();
});

test("data folder: of many simultaneous starts at a stale lock exactly one succeeds", async () => {
  await (await lockDataFolder(dataDir)).release();
  for (let round = 0; round < 10; round += 1) {
    await writeFile(join(dataDir, "homesec.pid"), `${process.pid} another-start\n`);
    const outcomes = await Promise.allSettled(Array.from({ length: 6 }, () => lockDataFolder(dataDir)));
    const winners = outcomes.filter((outcome): outcome is PromiseFulfilledResult<DataFolderLock> => outcome.status === "fulfilled");
    expect(winners).toHaveLength(1);
    await winners[0]?.value.release();
  }
});

test("data folder: of many processes exactly one succeeds", async () => {
  const script = `
    const { lockDataFolder } = await import(${JSON.stringify(await bundled("src/platform/database/data-folder.ts"))});
    try { await lockDataFolder(process.argv[1]); console.log("won"); await new Promise((resolve) => process.stdin.resume().on("end", resolve)); }
    catch (error) { console.log(error.kind); }
    process.exit(0);`;
  const starters = Array.from({ length: 5 }, () =>
    spawn(process.execPath, ["--input-type=module", "-e", script, dataDir], { stdio: ["pipe", "pipe", "inherit"] }),
  );
  const said = await Promise.all(starters.map(async (starter) => String((await once(starter.stdout, "data"))[0]).trim()));
  for (const starter of starters) starter.stdin.end();
  await Promise.all(starters.map((starter) => (starter.exitCode === null ? once(starter, "exit") : undefined)));
  expect(said.sort()).toEqual(["conflict", "conflict", "conflict", "conflict", "won"]);
});

test.skipIf(process.getuid?.() === 0)("data folder: a failure to create it is reported with the remedy", async () => {
  await chmod(folder, 0o500);
  await expect(lockDataFolder(dataDir)).rejects.toMatchObject({ kind: "unavailable", message: expect.stringContaining("DATA_DIR") });
});

test("data folder: a file in its place is reported with the fix", async () => {
  await writeFile(join(folder, "deep"), "");
  await expect(lockDataFolder(dataDir)).rejects.toMatchObject({ kind: "unavailable", message: expect.stringContaining("DATA_DIR") });
});

async function deadPid(): Promise<number> {
  const child = spawn("/bin/true");
  await once(child, "exit");
  return child.pid ?? 0;
}
