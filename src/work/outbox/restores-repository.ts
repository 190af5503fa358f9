import type { Sql, SqlFragment } from "../../platform/database/database.ts";

/** A restore that holds back messages about what was over before it. */
export interface HoldingRestore {
  readonly restoredAt: Date;
  readonly backupCreatedAt: Date;
  /** The machine that made the backup, and its CAMERA_ROOT; null if the backup does not name them. */
  readonly host: string | null;
  readonly cameraRoot: string | null;
}

/** Stores a restore that holds messages back. */
export async function insertRestore(sql: Sql, restore: HoldingRestore): Promise<void> {
  await sql`
    insert into restores (restored_at, backup_created_at, host, camera_root)
    values (${restore.restoredAt}, ${restore.backupCreatedAt}, ${restore.host}, ${restore.cameraRoot})
    on conflict do nothing
  `;
}

/**
 * Returns the time of the restore before which `events e` was over; null if there is none. The end of an incident says when it was noticed
 * to be over, so an incident counts by the time it was noticed.
 */
export const restoredAfterEvent = (sql: Sql): SqlFragment => sql`
  (select max(r.restored_at) from restores r where r.restored_at > case when e.kind = 'event' then e.ended_at else e.created_at end)
`;

/** Tells whether a restore holds back messages about something that was over at a given time. */
export async function isHeldBack(sql: Sql, overAt: Date): Promise<boolean> {
  const [row] = await sql<[{ held: boolean }]>`select exists (select from restores r where r.restored_at > ${overAt}) as held`;
  return row.held;
}
