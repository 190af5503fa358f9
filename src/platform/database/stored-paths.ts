import { cameraRootOf, type Sql, type SqlFragment } from "./database.ts";

/*
 * Paths below the folder that the database names (`camera_root`) are stored relative to it, so that a restore fits them to a machine with
 * another CAMERA_ROOT:
 *
 *   stored       full path
 *   yard/1.jpg   CAMERA_ROOT/yard/1.jpg
 *   .            CAMERA_ROOT
 *   ./1.jpg      1.jpg, which a client gave as it is
 *   /mnt/1.jpg   /mnt/1.jpg
 *
 * Columns are compared in their stored form, so that indexes serve. The conversions are expressions, not SQL functions: inlining a function
 * costs 0.1 ms for each call in each statement.
 */

/** Returns the stored form of a path. */
export function storedPath(sql: Sql, path: string): string {
  const root = cameraRootOf(sql);
  if (root === undefined) return path;
  if (path === root) return ".";
  if (!path.startsWith("/")) return `./${path}`;
  const rest = path.startsWith(`${root}/`) ? path.slice(root.length + 1) : "";
  // Others, such as ROOT//1.jpg, would not be read as they were written
  return rest === "" || rest === "." || rest.startsWith("/") || rest.startsWith("./") ? path : rest;
}

/** Returns the expression for the full path of a stored one. */
export function fullPath(sql: Sql, stored: SqlFragment): SqlFragment {
  const root = cameraRootOf(sql);
  if (root === undefined) return stored;
  return sql`
    case
      when starts_with(${stored}, '/') then ${stored}
      when starts_with(${stored}, './') then substr(${stored}, 3)
      when ${stored} = '.' then ${root}::text
      else ${`${root}/`}::text || ${stored}
    end
  `;
}

/**
 * Returns the expression for the part that the stored paths in a stored folder have in common. The folder itself may be stored in full, if
 * another camera has its short form.
 */
export function storedPrefix(sql: Sql, folder: SqlFragment): SqlFragment {
  const root = cameraRootOf(sql);
  if (root === undefined) return sql`(${folder} || '/')`;
  return sql`
    case
      when ${folder} in ('.', ${root}::text) then ''
      when ${isLong(sql, folder, root)} then ${shortened(sql, folder, root)} || '/'
      else ${folder} || '/'
    end
  `;
}

/** Returns the condition that a stored path begins with this part, as `storedPrefix` returns it. */
export function hasPrefix(sql: Sql, path: SqlFragment, prefix: SqlFragment): SqlFragment {
  return sql`(starts_with(${path}, ${prefix}) and (${prefix} <> '' or not (starts_with(${path}, '/') or starts_with(${path}, './'))))`;
}

/** Returns the expression for the stored form of a path that is stored in full, and below this folder. */
export function shortened(sql: Sql, path: SqlFragment, root: string): SqlFragment {
  return sql`case when ${path} = ${root}::text then '.' else substr(${path}, length(${root}::text) + 2) end`;
}

/** Returns the condition that a path is stored in full, although it is below this folder. */
export function isLong(sql: Sql, path: SqlFragment, root: string): SqlFragment {
  return sql`
    (
      ${path} = ${root}::text
      or starts_with(${path}, ${`${root}/`}::text) and substr(${path}, length(${root}::text) + 2) !~ '^(/|\\./|\\.?$)'
    )
  `;
}
