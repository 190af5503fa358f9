import { execFileSync } from "node:child_process";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { explainFullDisk } from "../../src/platform/disk/full-disk.ts";
import { endWhatRuns, serveHomesec, startHomesec } from "../support/homesec-process.ts";
import { temporaryFolder } from "../support/temporary.ts";

/** Disks without room for the lock of the data folder, for a new database, and with room for both. */
const disks = ["64k", "20m", "64m"].map((size) => ({ size, folder: temporaryFolder(`full-disk-${size}`) }));
const mounted: string[] = [];
let whyNot: string | undefined;

beforeAll(() => {
  try {
    for (const { size, folder } of disks) {
      execFileSync("mount", ["-t", "tmpfs", "-o", `size=${size},mode=755`, "tmpfs", folder.path], { stdio: "pipe" });
      mounted.push(folder.path);
    }
  } catch (error) {
    whyNot = String(error).split("\n")[1] ?? String(error);
    process.stderr.write(`NOT TESTED: no disk can be mounted here (${whyNot}), so none can be full\n`);
  }
});
afterAll(async () => {
  await endWhatRuns();
  for (const path of mounted) execFileSync("umount", [path]);
  await Promise.all(disks.map(({ folder }) => folder.remove()));
});

const environment = (disk: string) => ({ DATA_DIR: join(disk, "data"), CAMERA_ROOT: disk });

/** Starts the daemon on a disk, expects that it ends with 1, and returns its one line for people. */
async function refusedStart(disk: string): Promise<string> {
  const serve = startHomesec(["serve"], { ...environment(disk), PORT: "0", LOG_FORMAT: "json" });
  expect((await serve.exit).code, serve.output()).toBe(1);
  expect(serve.output()).not.toMatch(/PANIC|FATAL|bug in homesec|\n {4}at /);
  return serve
    .output()
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("{"))
    .join("\n");
}

/** The line with these words about the need. */
const line = (need: string) =>
  new RegExp(
    `^homesec: The disk of the data folder \\S+/data is too full: \\d+(\\.\\d)? MB are free, and ${need} needs about \\d+ MB; free some space there, or set DATA_DIR to a folder on a larger disk$`,
  );

describe("a start on a full disk", () => {
  it.each(disks.slice(0, 2))(
    "full disk: on a new disk of $size, serve says so in one line with the free and the needed space, and leaves no half database",
    async ({ folder }) => {
      if (whyNot !== undefined) return;
      expect(await refusedStart(folder.path)).toMatch(line("the first start"));
      expect(existsSync(join(folder.path, "data", "postgres"))).toBe(false);
    },
    120_000,
  );

  it("full disk: a later start says the same instead of PostgreSQL's words, and works once there is room", async () => {
    const [, , last] = disks;
    if (whyNot !== undefined || last === undefined) return;
    const serveAndStop = async (signal: NodeJS.Signals): Promise<void> => {
      const daemon = await serveHomesec(environment(last.folder.path));
      expect((await fetch(`${daemon.url}/health`)).status).toBe(200);
      daemon.kill(signal);
      await daemon.exit;
    };
    await serveAndStop("SIGTERM");
    const ballast = join(last.folder.path, "ballast");
    try {
      writeFileSync(ballast, Buffer.alloc(64 * 1024 * 1024));
    } catch {
      // The disk is full now
    }
    expect(await refusedStart(last.folder.path)).toMatch(line("a start"));
    rmSync(ballast);
    await serveAndStop("SIGTERM");
  }, 240_000);
});

describe("errors that say that a disk is full", () => {
  const full = (code: string, more: object = {}) => Object.assign(new Error(code), { code, ...more });

  it("full disk: system errors, database errors and what PostgreSQL prints are explained, also as a cause", async () => {
    const printed = new Error('PANIC:  could not write to file "pg_wal/xlogtemp.29": No space left on device');
    for (const error of [full("ENOSPC"), full("EDQUOT"), full("53100"), printed, new Error("no", { cause: full("ENOSPC") })]) {
      const { message } = (await explainFullDisk(error, "/tmp/not-there/data")) as Error;
      expect(message).toMatch(/^The disk of the data folder \/tmp\/not-there\/data is too full: [\d.]+ MB are free/);
    }
  });

  it("full disk: other errors, other folders, too many file watchers and shared memory are not", async () => {
    const shared = new Error('could not resize shared memory segment "/PostgreSQL.1": No space left on device');
    for (const error of [full("EACCES"), full("ENOSPC", { path: "/elsewhere/a" }), full("ENOSPC", { syscall: "watch" }), shared, "text"])
      expect(await explainFullDisk(error, "/data")).toBe(error);
  });
});
