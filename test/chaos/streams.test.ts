import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import sharp from "sharp";
import { afterAll, expect, test } from "vitest";
import { cameraServer } from "../monitoring/pulls/camera-server.ts";
import { insideReports, openFiles, residentMb } from "../soak/measures.ts";
import { serveHomesec } from "../support/homesec-process.ts";
import { rtspServer } from "../support/rtsp-server.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { detectorStandIn, languageModelStandIn } from "../support/upstream.ts";
import { report } from "./support/report.ts";
import { isLong, scale } from "./support/scale.ts";
import { chanceOf } from "./support/seed.ts";
import { create } from "./support/send.ts";

const minutes = scale("CHAOS_FLAP_MINUTES", { short: 0, long: 10 });
/** Before the measurement: each fault happens some times, and the daemon compiles what it needs. */
const warmUpMinutes = scale("CHAOS_FLAP_WARM_UP_MINUTES", { short: 0, long: 3 });
const sampleMs = 15_000;

const chance = chanceOf("streams");
const [folder, notes] = [temporaryFolder("streams"), temporaryFolder("streams-inside")];
afterAll(() => Promise.all([folder.remove(), notes.remove()]));

/** What the daemon takes, after a garbage collection. */
interface Sample {
  readonly objectsMb: number;
  readonly residentMb: number;
  readonly files: number;
}

const ffmpegsOf = (pid: number): number =>
  spawnSync("pgrep", ["-P", String(pid), "ffmpeg"])
    .stdout.toString()
    .split("\n")
    .filter(Boolean).length;
const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/** A stream and a snapshot address that come and go every few seconds. */
async function flappingCameras(pictures: readonly Buffer[]) {
  const stream = await rtspServer();
  const snapshots = await cameraServer({});
  let [flaps, served] = [0, 0];
  const good = (_request: unknown, response: { end(bytes: Buffer): void; writeHead(status: number, headers: object): void }): void => {
    response.writeHead(200, { "content-type": "image/jpeg" });
    served += 1;
    response.end(pictures[served % pictures.length] as Buffer);
  };
  const ways = [
    // Both work
    () => {
      stream.behave({});
      snapshots.behave({ answer: good as never });
    },
    // The camera restarts: connections break off, and new ones end at once
    () => {
      stream.behave({ closesAfterMs: 1 });
      stream.drop();
      snapshots.behave({ answer: (request) => request.socket.destroy() });
    },
    // The camera hangs
    () => {
      stream.behave({ isSilent: true });
      snapshots.behave({ answer: () => {} });
    },
    // Every connection breaks off soon
    () => {
      stream.behave({ closesAfterMs: 900 });
      snapshots.behave({ answer: (_request, response) => response.writeHead(503).end("busy") });
    },
  ];
  return {
    stream,
    snapshots,
    flaps: () => flaps,
    flap: () => {
      flaps += 1;
      (flaps % 2 === 0 ? ways[0] : chance.pick(ways.slice(1)))?.();
    },
    settle: () => ways[0]?.(),
    close: () => Promise.all([stream.close(), snapshots.close()]),
  };
}

test.skipIf(!isLong)(
  `chaos: a stream and an address come and go every few seconds for ${minutes} minutes: memory, files and ffmpegs stay the same`,
  { timeout: (minutes + warmUpMinutes + 10) * 60_000 },
  async () => {
    const [detector, model] = await Promise.all([detectorStandIn(), languageModelStandIn()]);
    const pictures = await Promise.all(
      ["#111", "#888", "#eee"].map((background) =>
        sharp({ create: { width: 640, height: 480, channels: 3, background } })
          .jpeg()
          .toBuffer(),
      ),
    );
    const cameras = await flappingCameras(pictures);
    const insideFile = join(notes.path, "inside.ndjson");
    const daemon = await serveHomesec({
      ...{ DATA_DIR: folder.path, DETECTOR_URL: detector.url, LANGUAGE_MODEL_URL: model.url },
      ...{ SOAK_INSIDE_FILE: insideFile, NODE_OPTIONS: `--import ${pathToFileURL(join(import.meta.dirname, "../soak/inside.mjs"))}` },
    });
    const addresses = { stream: cameras.stream.url, address: cameras.snapshots.url };
    for (const [camera_id, url] of Object.entries(addresses)) {
      await create(`${daemon.url}/api/cameras`, { camera_id, name: camera_id });
      const response = await fetch(`${daemon.url}/api/cameras/${camera_id}/pull`, {
        method: "PUT",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ url, every_seconds: 1, threshold_percent: 0 }),
      });
      expect(response.status).toBe(200);
    }
    let mostFfmpegs = 0;
    const sample = async (): Promise<Sample> => {
      const count = insideReports(insideFile).length;
      process.kill(daemon.pid, "SIGUSR2");
      await expect.poll(() => insideReports(insideFile).length, { timeout: 60_000 }).toBeGreaterThan(count);
      const { heapUsed, external } = insideReports(insideFile).at(-1) as { heapUsed: number; external: number };
      return { objectsMb: (heapUsed + external) / 1024 / 1024, residentMb: residentMb(daemon.pid), files: openFiles(daemon.pid) };
    };
    const run = async (forMinutes: number): Promise<readonly Sample[]> => {
      const samples: Sample[] = [];
      const end = performance.now() + forMinutes * 60_000;
      let sampledAt = performance.now();
      while (performance.now() < end) {
        cameras.flap();
        await sleep(chance.between(2_000, 5_000));
        mostFfmpegs = Math.max(mostFfmpegs, ffmpegsOf(daemon.pid));
        if (performance.now() - sampledAt < sampleMs) continue;
        sampledAt = performance.now();
        samples.push(await sample());
      }
      return samples;
    };
    await run(warmUpMinutes);
    const samples = await run(minutes);
    // Both cameras work again
    cameras.settle();
    const stateOf = async (id: string): Promise<string> =>
      ((await (await fetch(`${daemon.url}/api/cameras/${id}/pull`)).json()) as { state: string }).state;
    for (const id of Object.keys(addresses)) await expect.poll(() => stateOf(id), { timeout: 90_000 }).toBe("working");
    for (const id of Object.keys(addresses)) await fetch(`${daemon.url}/api/cameras/${id}/pull`, { method: "DELETE" });
    await expect.poll(() => ffmpegsOf(daemon.pid), { timeout: 30_000 }).toBe(0);

    const third = Math.floor(samples.length / 3);
    const of = (key: keyof Sample): readonly [number, number] => [
      median(samples.slice(0, third).map((each) => each[key])),
      median(samples.slice(-third).map((each) => each[key])),
    ];
    const [objects, resident, files] = [of("objectsMb"), of("residentMb"), of("files")];
    const round = (value: number): number => Math.round(value * 10) / 10;
    report("a stream and an address that come and go", {
      ...{ minutes, flaps: cameras.flaps(), "ffmpegs at most": mostFfmpegs },
      ...{ "MB of objects in the first third": round(objects[0]), "MB in the last": round(objects[1]) },
      ...{ "MB resident in the first third": round(resident[0]), "MB resident in the last": round(resident[1]) },
      ...{ "files open in the first third": files[0], "files in the last": files[1] },
    });
    expect(mostFfmpegs).toBe(1);
    expect(objects[1] - objects[0]).toBeLessThan(3);
    expect(files[1]).toBeLessThanOrEqual(files[0] + 3);
    daemon.kill("SIGTERM");
    await daemon.exit;
    await Promise.all([cameras.close(), detector.close(), model.close()]);
  },
);
