import { spawn } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type TestDaemon, testDaemon } from "../support/daemon.ts";
import { type TestDatabase, testDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { uniqueJpeg } from "../support/pictures.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { detectorStandIn, type StandIn } from "../support/upstream.ts";
import { type FtpServer, ftpServer, whyNoFtp } from "./vsftpd.ts";

const why = whyNoFtp();
if (why !== undefined) process.stderr.write(`${why}: uploads through a real FTP server are not tested\n`);

describe.skipIf(why !== undefined)("FTP uploads", () => {
  let database: TestDatabase;
  let detector: StandIn;
  let daemon: TestDaemon;
  let server: FtpServer;
  let pictures: ReturnType<typeof temporaryFolder>;

  beforeAll(async () => {
    pictures = temporaryFolder("pictures");
    [database, detector, server] = await Promise.all([testDatabase(), detectorStandIn(), ftpServer()]);
    const env = { DATABASE_URL: database.url, DETECTOR_URL: detector.url, LANGUAGE_MODEL_URL: detector.url };
    daemon = await testDaemon({ env: { ...env, CAMERA_ROOT: server.cameraRoot } });
  });
  afterAll(async () => {
    await daemon.stop();
    await server.stop();
    await Promise.all([detector.close(), database.close(), pictures.remove()]);
  });

  /** A unique picture with 600 KB of comments, because curl sends 64 KB at once at any rate limit. */
  async function taken(name: string): Promise<string> {
    const path = join(pictures.path, name);
    const bytes = await uniqueJpeg();
    const remark = Buffer.concat([Buffer.from("fffeea62", "hex"), Buffer.alloc(60_000)]);
    await writeFile(path, Buffer.concat([bytes.subarray(0, 2), ...Array<Buffer>(10).fill(remark), bytes.subarray(2)]));
    return path;
  }

  /** Uploads as curl does with these options, and resolves to its exit code. */
  function upload(path: string, target: string, ...options: readonly string[]) {
    const all = ["--silent", "--show-error", "--ftp-create-dirs", ...options, "-T", path, `${server.url}${target}`];
    const curl = spawn("curl", all, { stdio: ["ignore", "ignore", "inherit"] });
    return { curl, ended: new Promise<number | null>((resolve) => curl.once("close", (code) => resolve(code))) };
  }

  /** The files of a camera with their outcomes, without the folder. */
  async function ledger(camera: string): Promise<string[]> {
    const rows = await database.db.query(
      (sql) => sql<{ path: string; status: string; reason: string | null }[]>`
        select i.path, i.status, i.reason from images i where i.camera_id = ${camera} order by i.image_id
      `,
    );
    return rows.map(({ path, status, reason }) => `${path.split("/").at(-1)} ${reason ?? status}`);
  }

  it("FTP uploads: create a camera, and its pictures are processed", async () => {
    expect(await upload(await taken("a.jpg"), "front-door/2026/a.jpg").ended).toBe(0);
    await eventually(async () => (await ledger("front-door")).includes("a.jpg processed"));
    expect(server.log()).toContain("OK UPLOAD");
  });

  it("FTP uploads: slow, interrupted, repeated or renamed ones are processed once, and complete", async () => {
    const before = detector.requests;
    // In pieces, for two seconds, under its final name
    const slow = upload(await taken("slow.jpg"), "yard/slow.jpg", "--limit-rate", "300k");
    // A camera that loses power after a second
    const path = await taken("cut.jpg");
    const cut = upload(path, "gate/cut.jpg", "--limit-rate", "200k");
    await eventually(() => server.log().length > 0 && cut.curl.pid !== undefined);
    setTimeout(() => cut.curl.kill("SIGKILL"), 1_000);
    const renamed = upload(await taken("new.jpg"), "porch/new.jpg.tmp", "-Q", "-RNFR new.jpg.tmp", "-Q", "-RNTO new.jpg");

    expect(await renamed.ended).toBe(0);
    await eventually(async () => (await ledger("porch")).includes("new.jpg processed"));
    expect(await slow.ended).toBe(0);
    await eventually(async () => (await ledger("yard")).includes("slow.jpg processed"));
    await cut.ended;
    expect(detector.requests).toBe(before + 2);

    expect(await upload(path, "gate/cut.jpg").ended).toBe(0);
    await eventually(async () => (await ledger("gate")).includes("cut.jpg processed"));
    expect(detector.requests).toBe(before + 3);
    const all = await Promise.all(["porch", "yard", "gate"].map(ledger));
    expect(all).toEqual([["new.jpg processed"], ["slow.jpg processed"], ["cut.jpg processed"]]);
    // The server logs an interrupted upload as complete
    expect(server.log()).toMatch(/OK UPLOAD: .*gate\/cut\.jpg", \d+ bytes.*OK UPLOAD: .*gate\/cut\.jpg", \d+ bytes/s);
  });
});
