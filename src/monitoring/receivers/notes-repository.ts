import type { Sql } from "../../platform/database/database.ts";
import { storedPath } from "../../platform/database/stored-paths.ts";

/** Characters of a note that are stored. */
const mostLength = 200;
/** Notes that the language model gets about an event. */
const mostOfEvent = 5;

/** Stores what a camera said about delivered pictures, and deletes notes that are older than a month: their events are judged. */
export async function storeNote(
  sql: Sql,
  { cameraId, paths, note }: { readonly cameraId: string; readonly paths: readonly string[]; readonly note: string },
  now: Date,
): Promise<void> {
  const text = [...note.replaceAll(/[\p{Cc}\p{Cs}\s]+/gu, " ").trim()].slice(0, mostLength).join("");
  if (text === "" || paths.length === 0) return;
  await sql`
    insert into delivery_notes (camera_id, path, noted_at, note)
    select ${cameraId}, n.path, ${now}, ${text}
    from unnest(${paths.map((path) => storedPath(sql, path))}::text[]) as n (path)
    on conflict (camera_id, path) do update
    set noted_at = excluded.noted_at, note = excluded.note
  `;
  await sql`
    delete from delivery_notes n
    where n.noted_at < ${now}::timestamptz - interval '30 days'
  `;
}

/** The words of a camera about a picture. */
export interface DeliveryNote {
  readonly image_id: number;
  readonly noted_at: Date;
  readonly note: string;
}

/** Returns the notes about these pictures; most pictures have none. */
export async function notesOfImages(sql: Sql, imageIds: readonly number[]): Promise<readonly DeliveryNote[]> {
  return await sql<DeliveryNote[]>`
    select i.image_id, n.noted_at, n.note
    from images i
    join delivery_notes n on n.camera_id = i.camera_id and n.path = i.path
    where i.image_id = any (${[...imageIds]}::bigint[])
  `;
}

/** Returns the different notes about the pictures of an event, oldest first. */
export async function notesOf(sql: Sql, eventId: number): Promise<readonly string[]> {
  const rows = await sql<{ note: string }[]>`
    select n.note
    from (
      select distinct i.camera_id, i.path
      from detections d
      join images i on i.image_id = d.image_id
      where d.event_id = ${eventId}
    ) p
    join delivery_notes n on n.camera_id = p.camera_id and n.path = p.path
    group by n.note
    order by min(n.noted_at)
    limit ${mostOfEvent}
  `;
  return rows.map(({ note }) => note);
}
