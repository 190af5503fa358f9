import { minuteMs } from "../../src/base/clock/clock.ts";
import { closeDueBatches } from "../../src/monitoring/batches/aggregation.ts";
import type { LedgerImage } from "../../src/monitoring/images/images-repository.ts";
import type { Sight } from "../../src/monitoring/parked/matching.ts";
import { storeFindings } from "../../src/pipeline/store-findings.ts";
import { configuredSettings } from "../../src/platform/config/settings.ts";
import { emptyTables } from "../support/empty-tables.ts";
import { type Desk, openDesk, type Wire } from "../support/operations.ts";

const parking = { classes: ["car", "truck", "bus"], afterMs: 30 * minuteMs };
const size = { width: 1000, height: 500 };

/** A camera whose pictures a test stores with any objects and times. */
export interface YardCamera {
  readonly desk: Desk;
  /** The time of the last picture, in milliseconds since 1970. */
  now(): number;
  /** Stores a picture with these objects as the detect stage does, and closes the batches that are due. */
  see(at: number, ...sights: readonly (Sight & { readonly confidence?: number })[]): Promise<void>;
  /** Closes all batches, and returns the events since the last call. */
  newEvents(): Promise<readonly Wire<"listEvents">["items"][number][]>;
  close(): Promise<void>;
}

/** Creates the camera `yard` in an empty database. Close it in `afterAll`. */
export async function yardCamera(): Promise<YardCamera> {
  const desk = await openDesk();
  await desk.db.query(async (sql) => {
    await emptyTables(sql, "cameras, journal, jobs");
    await sql`insert into cameras (camera_id, name, folder_path) values ('yard', 'yard', '/yard')`;
  });
  const settings = configuredSettings(desk.context.config);
  let clock = 0;
  let known = 0;
  return {
    desk,
    now: () => clock,
    close: () => desk.close(),
    see: async (at, ...sights) => {
      clock = at;
      await storePicture(desk, at, sights);
    },
    newEvents: async () => {
      const now = new Date(clock + 2 * minuteMs);
      await desk.db.transaction((sql) => closeDueBatches(sql, now, settings));
      const { items } = await desk.ask("listEvents", { query: "limit=100" });
      const fresh = items.filter(({ id }) => id > known).toSorted((a, b) => a.id - b.id);
      known = Math.max(known, ...fresh.map(({ id }) => id));
      return fresh;
    },
  };
}

async function storePicture(desk: Desk, at: number, sights: readonly (Sight & { readonly confidence?: number })[]): Promise<void> {
  const now = new Date(at);
  const settings = configuredSettings(desk.context.config);
  await desk.db.transaction(async (sql) => {
    await closeDueBatches(sql, now, settings);
    const [row] = await sql<[{ imageId: number; jobId: number; claim: number }]>`
      with image as (
        insert into images (camera_id, path, size_bytes, modified_ns, media_type, width, height, found_by, found_at, taken_at, status)
        values ('yard', ${`/yard/${at}.jpg`}, 1, ${at}, 'image/jpeg', ${size.width}, ${size.height}, 'watch', ${now}, ${now}, 'pending')
        returning image_id
      )
      insert into jobs (queue, subject, priority, position, available_at, status, claims)
      select 'detect', i.image_id::text, 0, ${now}, ${now}, 'running', 1
      from image i
      returning subject::bigint as "imageId", job_id as "jobId", claims as claim
    `;
    const image: LedgerImage = {
      ...{ imageId: row.imageId, cameraId: "yard", path: `/yard/${at}.jpg`, sizeBytes: 1, modifiedNs: BigInt(at), mediaType: "image/jpeg" },
      ...({
        ...size,
        foundBy: "watch",
        foundAt: now,
        takenAt: now,
        status: "pending",
        sameContentAs: null,
        continues: null,
        privateParts: [],
      } as const),
    };
    const job = {
      ...{ jobId: row.jobId, claim: row.claim, subject: String(row.imageId), priority: 0, position: now },
      ...{ attempts: 1, deferrals: 0, blamed: 0 },
    };
    const detections = sights.map(({ objectType, box, confidence = 0.8 }) => ({
      objectType: objectType as "car",
      confidence,
      // Rounds like detectors that round position and size separately: a box may end one pixel beyond the edge.
      box: {
        x: Math.max(0, Math.round(box.x * size.width)),
        y: Math.max(0, Math.round(box.y * size.height)),
        width: Math.round(box.width * size.width),
        height: Math.round(box.height * size.height),
      },
    }));
    const seen = { kind: "detected", detector: "test", inferenceMs: 1, width: null, height: null, detections, leftOut: [] } as const;
    const picture = { job, image, seen, findings: detections.map((found) => ({ found, frame: null })), detail: null, startedAt: now };
    await storeFindings(sql, [picture], { settings, batchMaxDetections: 500, enrichmentWaitMs: 0, parking, now });
  });
}
