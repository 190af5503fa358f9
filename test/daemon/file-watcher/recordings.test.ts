import { appendFile, mkdir, open, realpath, truncate, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Candidates } from "../../../daemon/file-watcher/candidates.ts";
import { defaultTimings } from "../../../daemon/file-watcher/timings.ts";
import { systemClock } from "../../../src/base/clock/clock.ts";
import { silentLog } from "../../../src/base/log/log.ts";
import { inspectFile } from "../../../src/monitoring/images/inspect-file.ts";
import { hasFfmpeg } from "../../../src/monitoring/images/video.ts";
import { temporaryFolder } from "../../support/temporary.ts";
import { type Home, sleep, until, watchedHome } from "./watched-home.ts";

/** Videos that a camera writes into the folder while it records, without a marked end. */

/** The header of a Matroska file and of its segment of unknown size. */
const header = Buffer.from("1a45dfa38b4282886d6174726f736b611853806701ffffffffffffff", "hex");
const more = Buffer.alloc(4_096, 7);

let home: Home;
let aheadMs: number;
const clock = { now: () => new Date(Date.now() + aheadMs), monotonic: () => performance.now() + aheadMs };
const ffmpeg = await hasFfmpeg();
const film = () => join(home.root, "front", "film.mkv");

for (const polling of [false, true]) {
  describe(polling ? "polling" : "watching", () => {
    beforeEach(async () => {
      aheadMs = 0;
      home = await watchedHome({ polling, clock, timings: { pollMs: 100, rescanMs: 300 } });
      await mkdir(join(home.root, "front"));
    });
    afterEach(() => home.close());

    /** Continues the recording for half a minute. Returns its end time. */
    const record = async (): Promise<number> => {
      for (let n = 0; n < 5; n += 1) {
        await sleep(300);
        aheadMs += 6_000;
        await appendFile(film(), more);
      }
      return clock.now().getTime();
    };
    const theOnlyEntry = async () => {
      await sleep(1_500);
      expect(await home.ledger()).toEqual([]);
      aheadMs += 9_000;
      const [entry] = await home.entries(1);
      await sleep(500);
      expect(await home.ledger()).toHaveLength(1);
      return entry;
    };

    it("a recording has one entry once it stops growing, and counts from its end", async () => {
      await home.watcher.start();
      await writeFile(film(), header);
      const endedAt = await record();
      const entry = await theOnlyEntry();
      expect(entry).toMatchObject({ status: ffmpeg ? "pending" : "skipped", media_type: "video/x-matroska" });
      const takenAt = entry?.taken_at.getTime() ?? 0;
      expect(takenAt).toBeGreaterThan(endedAt - 1_000);
      expect(takenAt).toBeLessThan(endedAt + 2_000);
    });

    it("a recording that was in progress at the start has one entry too", async () => {
      await writeFile(film(), header);
      await home.watcher.start();
      await record();
      await theOnlyEntry();
      await until(() => home.watcher.state().pending === 0);
    });
  });
}

describe("recordings: a long one in fragments, while it grows", () => {
  const box = (type: string, body: Buffer): Buffer => {
    const head = Buffer.alloc(8);
    head.writeUInt32BE(8 + body.length, 0);
    head.write(type, 4, "latin1");
    return Buffer.concat([head, body]);
  };

  it("is inspected occasionally, however often it is written", async () => {
    const folder = temporaryFolder("recordings");
    const path = join(await realpath(folder.path), "film.mp4");
    const moov = box("moov", Buffer.concat([box("mvhd", Buffer.alloc(100)), box("mvex", Buffer.alloc(32))]));
    const fragment = Buffer.concat([box("moof", Buffer.alloc(200)), box("mdat", Buffer.alloc(100))]);
    await writeFile(
      path,
      Buffer.concat([box("ftyp", Buffer.from("isom0000isomiso2")), moov, ...Array.from({ length: 20_000 }, () => fragment)]),
    );
    const roots = () => [dirname(path)];
    const costs: number[] = [];
    for (let time = 1; time <= 5; time += 1) {
      const begun = performance.now();
      await inspectFile(path, { roots: roots(), quietMs: () => 0 });
      costs.push(performance.now() - begun);
    }
    const candidates = new Candidates({
      clock: systemClock,
      log: silentLog,
      timings: defaultTimings,
      roots,
      refuseVideos: () => false,
      capturedAt: () => null,
      onFound: () => {},
      onFolder: () => {},
      onNotMedia: () => {},
      onUnassigned: () => {},
    });
    const begun = performance.now();
    while (performance.now() - begun < 3_000) {
      candidates.add({ cameraId: "yard", path, foundBy: "watch" });
      await sleep(5);
      await appendFile(path, fragment);
    }
    // at most a tenth of the time, by the fastest earlier inspection, plus one for slower ones
    const looksMs = candidates.progress * Math.min(...costs);
    expect(candidates.progress).toBeGreaterThan(0);
    expect(looksMs).toBeLessThan(3_000 / 5);
    expect(candidates.size).toBe(1);
    await candidates.stop();
    await folder.remove();
  });
});

describe("recordings: a large video that is read slowly, as over a weak connection", () => {
  it("does not make the supervisor restart the watcher as hanging", async () => {
    const home = await watchedHome();
    const path = join(home.root, "front", "film.mp4");
    await mkdir(dirname(path));
    const boxes = Buffer.from("000000186674797069736f6d000000000000000000000000000000086d6f6f7604ffffe06d646174", "hex");
    await writeFile(path, boxes);
    await truncate(path, 80 * 1024 * 1024);
    const undo = await slowReads(100);
    try {
      await home.watcher.start();
      const begunAt = performance.now();
      let longestMs = 0;
      while ((await home.ledger()).length === 0) {
        longestMs = Math.max(longestMs, performance.now() - home.watcher.heartbeat());
        await sleep(50);
      }
      expect(performance.now() - begunAt).toBeGreaterThan(8_000);
      expect(longestMs).toBeLessThan(4_000);
    } finally {
      undo();
      await home.close();
    }
  });
});

/** Makes each file read of this process take this long. Returns a function that restores the original. */
async function slowReads(ms: number): Promise<() => void> {
  const file = await open("/dev/null");
  const handles = Object.getPrototypeOf(file) as { read: (...given: unknown[]) => Promise<unknown> };
  await file.close();
  const { read } = handles;
  handles.read = async function (...given) {
    await sleep(ms);
    return await read.apply(this, given);
  };
  return () => {
    handles.read = read;
  };
}
