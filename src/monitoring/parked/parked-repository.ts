import type { Sql } from "../../platform/database/database.ts";
import { lockBatchesOf } from "../batches/batches-repository.ts";
import { emptyMemory, Memory } from "./place.ts";

/** The memory of a camera. */
export interface CameraMemory {
  readonly cameraId: string;
  readonly memory: Memory;
  /** Whether a row exists. */
  readonly isStored: boolean;
  /** The camera shows black, another view than before, or always the same picture. */
  readonly isBlind: boolean;
}

/**
 * Returns the memories of these cameras, except those for which it is turned off. Lock the batches of the cameras first, so that one
 * picture after the other reads and changes them.
 */
export async function memoriesOf(sql: Sql, cameraIds: readonly string[]): Promise<readonly CameraMemory[]> {
  const rows = await sql<{ cameraId: string; memory: unknown; isStored: boolean; isBlind: boolean }[]>`
    select c.camera_id as "cameraId", p.memory, p.camera_id is not null as "isStored",
      exists (
        select
        from camera_incidents i
        where i.camera_id = c.camera_id
          and i.ended_at is null
          and i.cause in ('black', 'view', 'frozen')
      ) as "isBlind"
    from cameras c
    left join camera_parking p on p.camera_id = c.camera_id
    where c.camera_id = any (${[...cameraIds]}::text[])
      and p.enabled is not false
  `;
  return rows.map(({ memory, ...row }) => ({ ...row, memory: memoryIn(memory) }));
}

/** Reads a stored memory; one that another version stored in another form counts as empty. */
function memoryIn(stored: unknown): Memory {
  return Memory.safeParse(stored).data ?? emptyMemory;
}

/** Stores the memories of cameras. */
export async function storeMemories(sql: Sql, memories: ReadonlyMap<string, Memory>): Promise<void> {
  if (memories.size === 0) return;
  const cameraIds = [...memories.keys()].toSorted();
  await sql`
    insert into camera_parking as p (camera_id, memory)
    select n.camera_id, n.memory::jsonb
    from unnest(
      ${cameraIds}::text[],
      ${cameraIds.map((cameraId) => JSON.stringify(memories.get(cameraId)))}::text[]
    ) as n (camera_id, memory)
    on conflict (camera_id) do update
    set memory = excluded.memory
    where p.enabled
  `;
}

/** Empties the memory of a camera, for example because the camera was moved. Locks its batches until the end of the transaction. */
export async function forgetParked(sql: Sql, cameraId: string): Promise<void> {
  await lockBatchesOf(sql, [cameraId]);
  await sql`
    update camera_parking p
    set memory = null
    where p.camera_id = ${cameraId}
  `;
}

/** Returns whether parked objects are recognised at a camera, and its memory. */
export async function parkingOf(sql: Sql, cameraId: string): Promise<{ readonly enabled: boolean; readonly memory: Memory }> {
  const [row] = await sql<[{ enabled: boolean; memory: unknown }?]>`
    select p.enabled, p.memory
    from camera_parking p
    where p.camera_id = ${cameraId}
  `;
  return { enabled: row?.enabled ?? true, memory: memoryIn(row?.memory) };
}

/** Turns the recognition of parked objects on or off for a camera, and empties its memory. */
export async function setParking(sql: Sql, cameraId: string, enabled: boolean): Promise<void> {
  await sql`
    insert into camera_parking (camera_id, enabled)
    values (${cameraId}, ${enabled})
    on conflict (camera_id) do update
    set enabled = excluded.enabled, memory = null
  `;
}
