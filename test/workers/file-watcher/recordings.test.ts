import { appendFile, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Home, sleep, until, watchedHome } from "./watched-home.ts";

/** Videos that a camera writes into the folder while it records, and that do not say where they end. */

/** The header of a Matroska file, and of its segment, whose size nobody knows yet. */
const header = Buffer.from("1a45dfa38b4282886d6174726f736b611853806701ffffffffffffff", "hex");
const more = Buffer.alloc(4_096, 7);

let home: Home;
let aheadMs: number;
const clock = { now: () => new Date(Date.now() + aheadMs), monotonic: () => performance.now() + aheadMs };
const film = () => join(home.root, "front", "film.mkv");

for (const polling of [false, true]) {
  describe(polling ? "polling" : "watching", () => {
    beforeEach(async () => {
      aheadMs = 0;
      home = await watchedHome({ polling, clock, timings: { pollMs: 100, rescanMs: 300 } });
      await mkdir(join(home.root, "front"));
    });
    afterEach(() => home.close());

    /** Goes on with the recording for half a minute. Returns when it ended. */
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

    it("a recording is one entry once nothing comes any more, and counts from its end", async () => {
      await home.watcher.start();
      await writeFile(film(), header);
      const endedAt = await record();
      const entry = await theOnlyEntry();
      expect(entry).toMatchObject({ status: "pending", media_type: "video/x-matroska" });
      const takenAt = entry?.taken_at.getTime() ?? 0;
      expect(takenAt).toBeGreaterThan(endedAt - 1_000);
      expect(takenAt).toBeLessThan(endedAt + 2_000);
    });

    it("so is one that was under way at the start", async () => {
      await writeFile(film(), header);
      await home.watcher.start();
      await record();
      await theOnlyEntry();
      await until(() => home.watcher.state().pending === 0);
    });
  });
}
