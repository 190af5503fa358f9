import type { Sql } from "../../platform/database/database.ts";

/** Counts of stored data. */
export interface StoredCounts {
  readonly events: number;
  readonly detections: number;
  readonly imageFiles: number;
  readonly imageBytes: number;
  readonly databaseBytes: number;
}

/** Reads counts from the stored totals, and the size of the database. Soft-deleted events do not count. */
export async function storedCounts(sql: Sql): Promise<StoredCounts> {
  const [row] = await sql<[StoredCounts]>`
    select
      (select coalesce(sum(t.count), 0)::bigint from totals t where t.kind = 'events') as events,
      (select coalesce(sum(t.count), 0)::bigint from totals t where t.kind = 'detections') as detections,
      (select coalesce(sum(i.file_count), 0)::bigint from image_totals i) as "imageFiles",
      (select coalesce(sum(i.size_bytes), 0)::bigint from image_totals i) as "imageBytes",
      pg_database_size(current_database()) as "databaseBytes"
  `;
  return row;
}
