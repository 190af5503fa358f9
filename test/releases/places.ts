import { resolve } from "node:path";
import type { Database } from "../../src/platform/database/database.ts";

/** Moves everything below one camera root to another. */
export async function moveCameras(db: Database, from: string, to: string): Promise<void> {
  const places = [
    ["cameras", "folder_path"],
    ["images", "path"],
    ["detections", "file_path"],
    ["scene_changes", "file_path"],
    // sentences that name the root
    ["cameras", "status_reason"],
    ["camera_incidents", "reason"],
    ["events", "summary"],
  ] as const;
  for (const [table, column] of places) {
    await db.query((sql) => sql`update ${sql(table)} set ${sql(column)} = replace(${sql(column)}, ${from}, ${to})`);
  }
  for (const table of ["journal", "webhook_deliveries"]) {
    await db.query(
      (sql) => sql`
        update ${sql(table)} set data = replace(data::text, ${from}, ${to})::jsonb where data::text like ${`%${from}%`}
      `,
    );
  }
}

/** Folders below a camera root that belong to cameras that are not deleted. */
export async function cameraFolders(db: Database, root: string): Promise<readonly string[]> {
  const rows = await db.query((sql) => sql<{ folder: string }[]>`select c.folder_path as folder from cameras c where c.deleted_at is null`);
  return rows.map(({ folder }) => resolve(root, folder)).filter((folder) => folder.startsWith(`${root}/`));
}
