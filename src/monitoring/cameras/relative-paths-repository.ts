import type { Sql } from "../../platform/database/database.ts";
import { isLong, shortened } from "../../platform/database/stored-paths.ts";

/** The tables with paths of files, with the columns of the id and of the path. */
export const pathTables = [
  { table: "images", id: "image_id", path: "path" },
  { table: "detections", id: "detection_id", path: "file_path" },
  { table: "scene_changes", id: "scene_change_id", path: "file_path" },
] as const;

/** Returns the folder to which stored paths are relative; undefined if none is named yet, or the schema is older. */
export async function storedRoot(sql: Sql): Promise<string | undefined> {
  const [table] = await sql<[{ present: boolean }]>`select to_regclass('camera_root') is not null as present`;
  if (!table.present) return undefined;
  const [row] = await sql<[{ path: string }?]>`select r.path from camera_root r`;
  return row?.path;
}

/** Names the folder to which stored paths are relative. With `replace: false`, an earlier one stays. Returns the one that holds. */
export async function nameRoot(sql: Sql, path: string, { replace }: { readonly replace: boolean }): Promise<string> {
  const [row] = await sql<[{ path: string }]>`
    insert into camera_root as r (path)
    values (${path})
    on conflict (only_row) do update
    set path = case when ${replace} then excluded.path else r.path end
    returning r.path
  `;
  return row.path;
}

/** Camera folders that can be shortened: no other camera has the short path. */
const longFolders = (sql: Sql, root: string) => sql`
  ${isLong(sql, sql`t.folder_path`, root)}
    and not exists (
      select from cameras o
      where o.folder_path = ${shortened(sql, sql`t.folder_path`, root)}
        and lower(o.file_pattern) is not distinct from lower(t.file_pattern)
    )
`;

/** Tells whether the folder of a camera is stored in full although it is below `root`. */
export async function someFolderIsLong(sql: Sql, root: string): Promise<boolean> {
  const [row] = await sql<[{ found: boolean }]>`select exists (select from cameras t where ${longFolders(sql, root)}) as found`;
  return row.found;
}

/** Shortens the folders of cameras below `root` and returns how many. */
export async function shortenFolders(sql: Sql, root: string): Promise<number> {
  const changed = await sql`
    update cameras t
    set folder_path = ${shortened(sql, sql`t.folder_path`, root)}
    where ${longFolders(sql, root)}
  `;
  return changed.count;
}

/**
 * Shortens the paths below `root` in the next rows of a table, by id: at most `limit` rows, or all. Returns how many changed, and the last id, undefined
 * at the end of the table. A version of a file that is stored under both paths keeps both.
 */
export async function shortenPaths(
  sql: Sql,
  { table, id, path }: (typeof pathTables)[number],
  { root, after, limit }: { readonly root: string; readonly after: number; readonly limit: number | undefined },
): Promise<{ readonly changed: number; readonly last: number | undefined }> {
  const stored = sql`t.${sql(path)}`;
  const [row] = await sql<[{ changed: number; last: number | null }]>`
    with slice as materialized (
      select t.${sql(id)} as id
      from ${sql(table)} t
      where t.${sql(id)} > ${after}
      order by t.${sql(id)}
      limit ${limit ?? null}
    ), changed as (
      update ${sql(table)} t
      set ${sql(path)} = ${shortened(sql, stored, root)}
      from slice s
      where t.${sql(id)} = s.id
        and ${isLong(sql, stored, root)}
        ${
          table === "images"
            ? sql`and not exists (
                select from images o
                where o.camera_id = t.camera_id
                  and o.path = ${shortened(sql, stored, root)}
                  and o.size_bytes = t.size_bytes
                  and o.modified_ns = t.modified_ns
              )`
            : sql``
        }
      returning 1
    )
    select (select count(*) from changed) as changed, (select max(s.id) from slice s) as last
  `;
  return { changed: row.changed, last: row.last ?? undefined };
}
