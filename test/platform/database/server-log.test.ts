import { mkdtemp, readFile, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { silentLog } from "../../../src/base/log/log.ts";
import { logPlace, ServerLog } from "../../../src/platform/database/embedded/server-log.ts";

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
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  await rm(path);
  server.write("four\n");
  server.end("five\n");
  await serverLog.lastWords();
  expect(await readFile(path, "utf8")).toBe("four\nfive\n");
  expect(warnings).toEqual(["The log of PostgreSQL cannot be written"]);
  await rm(folder, { recursive: true });
});
