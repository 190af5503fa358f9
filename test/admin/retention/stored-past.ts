import { mkdir, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterEach } from "vitest";
import { thumbnailPathOf } from "../../../src/monitoring/detections/detection.ts";
import { type Desk, openDesk } from "../../support/operations.ts";

const dayMs = 86_400_000;

/** Creates past events in the database and the data folder of a desk. */
export interface StoredPast {
  readonly now: Date;
  /** This many days ago. */
  ago(days: number): Date;
  /** A picture of a camera with its file. Returns its ledger entry. */
  picture(
    days: number,
    how?: { readonly status?: string; readonly bytes?: number; readonly name?: string; readonly file?: boolean },
  ): Promise<{
    readonly id: number;
    readonly path: string;
  }>;
  /** A detection with a thumbnail of this many bytes. */
  detection(
    days: number,
    how?: { readonly eventId?: number; readonly imageId?: number; readonly thumbnail?: number; readonly batchId?: string },
  ): Promise<number>;
  event(days: number, how?: { readonly deleted?: boolean; readonly batchId?: string }): Promise<number>;
  batch(days: number, status: "open" | "closed"): Promise<string>;
  thumbnail(detectionId: number, bytes: number): Promise<string>;
  log(day: string, bytes: number): Promise<void>;
  count(table: string): Promise<number>;
}

export async function storedPast(desk: Desk, now: Date): Promise<StoredPast> {
  const { db, cameraRoot, dataDir } = desk;
  desk.at(now);
  const folder = join(cameraRoot, "yard");
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "upload.part"), "");
  await db.query((sql) => sql`insert into cameras (camera_id, name, folder_path) values ('yard', 'Yard', ${folder})`);
  const ago = (days: number): Date => new Date(now.getTime() - days * dayMs);
  let pictures = 0;
  const write = async (path: string, bytes: number): Promise<void> => {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, Buffer.alloc(bytes));
  };
  return {
    now,
    ago,
    picture: async (days, { status = "processed", bytes = 100, name, file = true } = {}) => {
      pictures += 1;
      const path = join(folder, name ?? `${pictures}.jpg`);
      const time = ago(days);
      if (file) {
        await write(path, bytes);
        await utimes(path, time, time);
      }
      const modifiedNs = `${time.getTime()}000000`;
      const [row] = await db.query(
        (sql) => sql<[{ id: number }]>`
          insert into images (camera_id, path, size_bytes, modified_ns, found_by, found_at, taken_at, status)
          values ('yard', ${path}, ${bytes}, ${modifiedNs}::text::bigint, 'watch', ${time}, ${time}, ${status})
          returning image_id as id
        `,
      );
      return { id: row.id, path };
    },
    detection: async (days, { eventId, imageId, thumbnail, batchId } = {}) => {
      const [row] = await db.query(
        (sql) => sql<[{ id: number }]>`
          insert into detections (camera_id, image_id, event_id, batch_id, file_path, detected_at, object_type, confidence)
          values ('yard', ${imageId ?? null}, ${eventId ?? null}, ${batchId ?? null}::uuid, '/x', ${ago(days)}, 'person', 0.9)
          returning detection_id as id
        `,
      );
      if (thumbnail !== undefined) {
        await write(join(dataDir, keptThumbnail(row.id)), thumbnail);
        await db.query((sql) => sql`update detections set thumbnail_path = ${keptThumbnail(row.id)} where detection_id = ${row.id}`);
      }
      return row.id;
    },
    event: async (days, { deleted = false, batchId } = {}) => {
      const [row] = await db.query(
        (sql) => sql<[{ id: number }]>`
          insert into events (camera_id, started_at, ended_at, batch_id, deleted_at)
          values ('yard', ${ago(days)}, ${ago(days)}, ${batchId ?? null}, ${deleted ? now : null})
          returning event_id as id
        `,
      );
      await db.query(
        (sql) => sql`
          insert into analysis_attempts (event_id, attempt, started_at, finished_at, outcome)
          values (${row.id}, 1, ${ago(days)}, ${ago(days)}, 'completed')
        `,
      );
      return row.id;
    },
    batch: async (days, status) => {
      const time = ago(days);
      const [row] = await db.query(
        (sql) => sql<[{ id: string }]>`
          insert into batches (camera_id, status, started_at, last_detection_at, due_at, opened_at, joined_at, closed_at)
          values ('yard', ${status}, ${time}, ${time}, ${time}, ${time}, ${time}, ${status === "closed" ? time : null})
          returning batch_id as id
        `,
      );
      return row.id;
    },
    thumbnail: async (detectionId, bytes) => {
      const path = join(dataDir, keptThumbnail(detectionId));
      await write(path, bytes);
      return path;
    },
    log: (day, bytes) => write(join(dataDir, "logs", `${day}.ndjson`), bytes),
    count: async (table) => {
      const [row] = await db.query((sql) => sql<[{ count: number }]>`select count(*) as count from ${sql(table)}`);
      return row.count;
    },
  };
}

/** Path of a past detection's thumbnail. */
export const keptThumbnail = (id: number): string =>
  thumbnailPathOf({ id, filePath: "/x", videoOffsetSeconds: null, objectType: "person", confidence: 0.9, box: null, privateParts: [] });

/** The current time at these desks. */
export const now = new Date("2026-03-01T12:00:00Z");

/**
 * Returns a function that opens a desk with a retention of 30 days and the tools to create its past. The desks are closed after each
 * test.
 */
export function pastDesks(): (variables?: Readonly<Record<string, string>>) => Promise<{ desk: Desk; past: StoredPast }> {
  const desks: Desk[] = [];
  afterEach(async () => {
    for (const desk of desks.splice(0)) await desk.close();
  });
  return async (variables = {}) => {
    const desk = await openDesk({ RETENTION_DAYS: "30", ...variables });
    desks.push(desk);
    return { desk, past: await storedPast(desk, now) };
  };
}

/** Runs a cleanup like a user. */
export const cleanUpAt = (desk: Desk, dryRun = false) => desk.ask("cleanUp", { query: `dry_run=${dryRun}` });
