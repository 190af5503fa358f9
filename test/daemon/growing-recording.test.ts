import { appendFile, mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { execa } from "execa";
import { afterAll, expect, test } from "vitest";
import { openEndedAfterMs } from "../../src/monitoring/images/structure.ts";
import { hasFfmpeg } from "../../src/monitoring/images/video.ts";
import { testDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { endWhatRuns, serveHomesec } from "../support/homesec-process.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { detectorStandIn, languageModelStandIn } from "../support/upstream.ts";

const ffmpeg = await hasFfmpeg();
const fragments = 10;
afterAll(endWhatRuns);

/** Records a video of 20 s. Returns its header and its fragments of 2 s. */
async function recording(folder: string): Promise<readonly Buffer[]> {
  const path = join(folder, "whole.mp4");
  const source = ["-f", "lavfi", "-i", "testsrc=duration=20:size=160x120:rate=5", "-pix_fmt", "yuv420p", "-g", "10"];
  await execa("ffmpeg", ["-loglevel", "error", "-y", ...source, "-movflags", "frag_keyframe+empty_moov", path]);
  const whole = await readFile(path);
  const starts = [0];
  for (let at = whole.indexOf("moof"); at >= 0; at = whole.indexOf("moof", at + 1)) starts.push(at - 4);
  return starts.map((start, index) => whole.subarray(start, starts[index + 1]));
}

// two minutes, most of them waiting: `npm run degraded` runs it, and test/pipeline/growing-files.test.ts tests each rule
test.runIf(ffmpeg && process.env["DEGRADED_MATRIX"] === "all")(
  "a recording that is appended to while it is processed is counted once, as its last version (needs ffmpeg)",
  async () => {
    const folder = temporaryFolder("growing-recording");
    // Slow enough that some fragments arrive while the detector processes the version before.
    const [database, detector, model] = await Promise.all([testDatabase(), detectorStandIn({ delayMs: 200 }), languageModelStandIn()]);
    const pieces = await recording(folder.path);
    expect(pieces).toHaveLength(1 + fragments);
    const daemon = await serveHomesec({
      ...{ DATA_DIR: folder.path, DATABASE_URL: database.url, DETECTOR_URL: detector.url, LANGUAGE_MODEL_URL: model.url },
      ...{ BATCH_WINDOW_SECONDS: "300", BATCH_IDLE_TIMEOUT_SECONDS: "60" },
    });
    const get = async <T>(path: string): Promise<T> => (await (await fetch(`${daemon.url}${path}`)).json()) as T;
    try {
      await mkdir(join(folder.path, "cameras", "yard"), { recursive: true });
      const path = join(folder.path, "cameras", "yard", "recording.mp4");
      for (const [index, piece] of pieces.entries()) {
        await appendFile(path, piece);
        // In some pauses the watcher registers a version. The recorder goes on while it is processed, or after that.
        await sleep(index === 3 ? openEndedAfterMs + 5_000 : index === 6 ? openEndedAfterMs + 1_000 : 1_500);
      }
      await eventually(
        async () => {
          const [row] = await database.db.query(
            (sql) => sql<[{ status: string; size: number }?]>`
              select i.status, i.size_bytes as size from images i order by i.image_id desc limit 1
            `,
          );
          return row?.status === "processed" && row.size === pieces.reduce((sum, { length }) => sum + length, 0);
        },
        { timeoutMs: 90_000, what: "the outcome of the last version" },
      );
      const { id } = await eventually(
        async () => (await get<{ items: readonly { readonly id: number }[] }>("/api/events?camera_id=yard")).items[0],
        { timeoutMs: 90_000 },
      );
      const versions = await database.db.query(
        (sql) => sql<{ id: number; status: string; reason: string | null; found: number | null; job: string | null }[]>`
          select i.image_id as id, i.status, i.reason, i.detection_count as found, j.status as job
          from images i
          left join jobs j on j.queue = 'detect' and j.subject = i.image_id::text
          order by i.image_id
        `,
      );
      const last = versions.at(-1);
      expect(versions.length).toBeGreaterThan(1);
      expect(last).toMatchObject({ status: "processed", found: fragments, job: null });
      for (const earlier of versions.slice(0, -1)) {
        expect(earlier).toMatchObject({ status: "skipped", reason: expect.stringMatching(/^(replaced|overwritten)$/), job: null });
      }
      const detections = await database.db.query(
        (sql) => sql<{ at: number; image: number; event: number }[]>`
          select d.video_offset_seconds as at, d.image_id as image, d.event_id as event from detections d order by d.video_offset_seconds
        `,
      );
      expect(detections).toEqual(Array.from({ length: fragments }, (_, at) => ({ at: at * 2, image: last?.id, event: id })));
      expect(await get(`/api/events/${id}`)).toMatchObject({ detection_count: fragments });
      expect(await get("/api/events?camera_id=yard")).toMatchObject({ pagination: { total: 1 } });
      expect(await get("/api/dlq/stats")).toMatchObject({ total_count: 0 });
    } finally {
      daemon.kill("SIGTERM");
      await daemon.exit;
      await Promise.all([detector.close(), model.close(), database.close()]);
      await folder.remove();
    }
  },
  240_000,
);
