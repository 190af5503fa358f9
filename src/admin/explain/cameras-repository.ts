import type { Sql } from "../../platform/database/database.ts";

/** Why a camera is in its state; null when there is nothing to say. */
export async function statusReason(sql: Sql, cameraId: string): Promise<string | null> {
  const [row] = await sql<[{ reason: string | null }?]>`
    select c.status_reason as reason
    from cameras c
    where c.camera_id = ${cameraId}
  `;
  return row?.reason ?? null;
}
