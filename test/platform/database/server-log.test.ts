import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { silentLog } from "../../../src/base/log/log.ts";
import { logPlace, ServerLog } from "../../../src/platform/database/embedded/server-log.ts";
import { eventually } from "../../support/eventually.ts";

test.skipIf(process.platform !== "linux")("server log: is written again when the disk has space again", async () => {
  const folder = await mkdtemp(join(tmpdir(), "homesec-server-log-"));
  const path = join(folder, "postgres.log");
  await symlink("/dev/full", path);
  const warnings: string[] = [];
  const log = { ...silentLog, warn: (_: object, message: string) => void warnings.push(message) };
  const server = new PassThrough();
  const serverLog = new ServerLog(await logPlace(path), server, log, 50);

  for (const line of ["one", "two", "three"]) {
    server.write(`${line}\n`);
    await sleep(100);
  }
  await rm(path);
  // on a busy machine the last try was just now, and the next one comes only after a pause
  await eventually(async () => {
    server.write("four\n");
    await sleep(60);
    return existsSync(path);
  });
  server.end("five\n");
  await serverLog.lastWords();
  expect(await readFile(path, "utf8")).toMatch(/^(?:four\n)+five\n$/);
  expect(warnings).toEqual(["The log of PostgreSQL cannot be written"]);
  await rm(folder, { recursive: true });
});
