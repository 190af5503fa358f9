import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { isRecorded, kindOf } from "../../../src/monitoring/images/picture.ts";
import type { Sql } from "../../../src/platform/database/database.ts";

/** A picture on disk: another size or time would be another version. */
export interface OnDisk {
  readonly path: string;
  readonly size: number;
  readonly modifiedNs: bigint;
}

const atOnce = 10_000;

/** All finished pictures below a folder. */
export async function picturesIn(root: string): Promise<readonly OnDisk[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile() && isRecorded(kindOf(entry.name)))
    .map((entry) => join(entry.parentPath, entry.name));
  const found: OnDisk[] = [];
  for (let at = 0; at < paths.length; at += 500) {
    const part = paths.slice(at, at + 500).map(async (path) => {
      const { size, mtimeNs } = await lstat(path, { bigint: true });
      return { path, size: Number(size), modifiedNs: mtimeNs };
    });
    found.push(...(await Promise.all(part)));
  }
  return found;
}

/** Loads the files on disk, with their paths as they are stored, into a temporary table of this connection. */
export async function tellOfFiles(sql: Sql, files: readonly OnDisk[]): Promise<void> {
  await sql`create temporary table on_disk (path text, size_bytes bigint, modified_ns bigint, primary key (path))`;
  for (let at = 0; at < files.length; at += atOnce) {
    const part = files.slice(at, at + atOnce);
    await sql`
      insert into on_disk (path, size_bytes, modified_ns)
      select coalesce(substr(u.path, length(r.path) + 2), u.path), u.size_bytes, u.modified_ns
      from unnest(
        ${part.map(({ path }) => path)}::text[],
        ${part.map(({ size }) => size)}::bigint[],
        ${part.map(({ modifiedNs }) => String(modifiedNs))}::bigint[]
      ) as u (path, size_bytes, modified_ns)
      left join camera_root r on starts_with(u.path, r.path || '/')
    `;
  }
  await sql`analyze on_disk`;
}

/** Counts files without a matching row. */
export async function withoutRow(sql: Sql): Promise<number> {
  const [row] = await sql<[{ n: number }]>`
    select count(*) as n
    from on_disk f
    where not exists (select from images i where i.path = f.path and i.size_bytes = f.size_bytes and i.modified_ns = f.modified_ns)
  `;
  return row.n;
}

/**
 * Counts violations: each file on disk was processed once, so its row is processed, or skipped because the same content was processed
 * under another name or time. Files that are gone have an outcome that says so.
 */
export async function wrongPictures(sql: Sql): Promise<readonly string[]> {
  const wrong = await sql<{ what: string; n: number; example: string }[]>`
    select case
        when w.status is null then 'a file without a row'
        when w.rows > 1 then 'a file with more than one row'
        when not w.on_disk then 'a file that is gone, and its row is'
        else 'a file whose row is'
      end || coalesce(' ' || w.status, '') || coalesce(' ' || w.reason, '')
        -- who reads this asks why
        || case when w.status = 'failed' then coalesce(' (' || w.detail || ')', '') else '' end as what, count(*) as n, min(w.path) as example
    from (
      select coalesce(i.path, f.path) as path, i.status, i.reason, i.detail, f.path is not null as on_disk, i.sha256, i.image_id,
        count(*) over (partition by i.path, i.size_bytes, i.modified_ns) as rows
      from on_disk f
      full join images i on i.path = f.path and i.size_bytes = f.size_bytes and i.modified_ns = f.modified_ns
    ) w
    where (
        w.status = 'processed'
        or w.status = 'skipped' and w.reason in ('reupload', 'moved')
          and exists (select from images o where o.sha256 = w.sha256 and o.image_id <> w.image_id and o.status = 'processed')
        or w.status = 'skipped' and not w.on_disk and w.reason in ('missing', 'overwritten', 'replaced', 'incomplete', 'moved', 'reupload')
      ) is not true
      or w.rows > 1
    group by 1
    order by 1
  `;
  return wrong.map(({ what, n, example }) => `${n} x ${what}, such as ${example}`);
}
