import { mkdir, readFile, rename } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, test } from "vitest";
import { FtpClient } from "../daemon/receivers/ftp-client.ts";
import { type TestDatabase, testDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { freePort } from "../support/free-port.ts";
import { type BenchDaemon, benchDaemon } from "./daemon.ts";
import { type LiveMessages, liveMessages } from "./live-messages.ts";
import { preparePictures } from "./prepared-pictures.ts";
import { report } from "./report.ts";
import { median } from "./statistics.ts";
import { type InstantUpstreams, instantUpstreams } from "./upstreams.ts";

const rounds = 5;
const picturesPerRound = 50;
const atOnce = 200;

let database: TestDatabase;
let upstreams: InstantUpstreams;
let daemon: BenchDaemon;
let live: LiveMessages;
let port: number;
let password: string;

beforeAll(async () => {
  [database, upstreams, port] = await Promise.all([testDatabase(), instantUpstreams(), freePort()]);
  daemon = await benchDaemon({
    ...{ databaseUrl: database.url, upstreamUrl: upstreams.url },
    env: {
      ...{ RECEIVER_HOST: "127.0.0.1", FTP_PORT: String(port), RECEIVER_MAX_CONNECTIONS: "1000", RECEIVER_FILES_PER_MINUTE: "100000" },
    },
  });
  live = await liveMessages(daemon.url);
  const post = async (path: string, body: object): Promise<unknown> => {
    const response = await fetch(`${daemon.url}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    return await response.json();
  };
  await post("/api/cameras", { camera_id: "porch", name: "Porch" });
  ({
    settings: { password },
  } = (await post("/api/cameras/porch/logins/ftp", {})) as { settings: { password: string } });
  await eventually(async () => (await new FtpClient(port).reply()).startsWith("220"));
});

afterAll(async () => {
  await live?.close();
  await daemon?.stop();
  await upstreams?.stop();
  await database?.close();
});

/** Milliseconds from the beginning of the delivery to the client's message about the picture's detections. */
async function untilHeard(name: string, deliver: () => Promise<unknown>): Promise<number> {
  const target = join(daemon.cameraRoot, "porch", name);
  const heard = live.until(({ type, data }) => type === "detection.new" && data.file_path === target, 30_000);
  const startedAt = performance.now();
  await deliver();
  return (await heard) - startedAt;
}

test("latency of a picture by FTP against the same picture renamed", async ({ task }) => {
  const names = [...(await preparePictures(daemon.staging, (rounds * picturesPerRound + 10) * 2))];
  await mkdir(join(daemon.cameraRoot, "porch"), { recursive: true });
  const client = await new FtpClient(port).login("porch", password);
  const one = async (by: "FTP" | "rename"): Promise<number> => {
    const name = names.shift() as string;
    await sleep(20);
    if (by === "rename") {
      return await untilHeard(name, () => rename(join(daemon.staging, name), join(daemon.cameraRoot, "porch", name)));
    }
    const picture = await readFile(join(daemon.staging, name));
    return await untilHeard(name, () => client.upload(`STOR ${name}`, picture));
  };
  for (let count = 0; count < 10; count += 1) [await one("FTP"), await one("rename")];
  const perRound = [];
  for (let round = 0; round < rounds; round += 1) {
    const homesec: number[] = [];
    const baseline: number[] = [];
    for (let count = 0; count < picturesPerRound; count += 1) {
      homesec.push(await one("FTP"));
      baseline.push(await one("rename"));
    }
    perRound.push({ homesec: median(homesec), baseline: median(baseline) });
  }
  report(task, {
    what: "picture uploaded by FTP -> `detection.new` on a WebSocket, p50",
    unit: "ms",
    homesec: perRound.map(({ homesec }) => homesec),
    baseline: { what: "the same file renamed into the folder", values: perRound.map(({ baseline }) => baseline) },
    compare: "added",
    limit: { atMost: 10 },
  });
  client.close();
});

test(`${atOnce} FTP connections at once`, async ({ task }) => {
  const names = await preparePictures(daemon.staging, atOnce);
  const pictures = await Promise.all(names.map((name) => readFile(join(daemon.staging, name))));
  const startedAt = performance.now();
  const replies = await Promise.all(
    pictures.map(async (picture, at) => {
      const client = await new FtpClient(port).login("porch", password);
      const reply = await client.upload(`STOR burst-${at}.jpg`, picture);
      client.close();
      return reply;
    }),
  );
  const refused = replies.filter((reply) => !reply.startsWith("226"));
  report(task, {
    what: `${atOnce} cameras log in and upload at once, refused`,
    unit: "uploads",
    homesec: [refused.length],
    compare: "absolute",
    limit: { atMost: 0 },
  });
  report(task, {
    what: `${atOnce} cameras log in and upload at once`,
    unit: "ms",
    homesec: [performance.now() - startedAt],
    compare: "absolute",
  });
});
