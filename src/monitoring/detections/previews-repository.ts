import type { Sql, SqlFragment } from "../../platform/database/database.ts";
import { fingerprint } from "../../platform/database/fingerprint.ts";
import { privatePartsOf } from "../cameras/cameras-repository.ts";
import type { Preview } from "../images/preview.ts";
import type { Detection, DetectionSource } from "./detection.ts";

/**
 * The version in the address of the preview of `detections d`. It changes when the detection moves to another picture, and when a restore
 * gives its id to another detection, so that a browser may keep the preview for good; and when the private zones of its camera change.
 */
export const previewVersion = (sql: Sql) =>
  fingerprint(sql, [
    sql`d.detection_id`,
    sql`d.image_id`,
    sql`d.video_offset_seconds`,
    sql`extract(epoch from d.created_at)`,
    sql`d.file_path || array_to_string(${privatePartsOf(sql, sql`d.camera_id`)}, '')`,
  ]);

/** The address of the preview of `detections d`. */
const previewUrl = (sql: Sql) => sql`'/api/detections/' || d.detection_id || '/preview?v=' || ${previewVersion(sql)}`;

/** The box of `detections d` in fractions of its picture; null without a box, or while the size of the picture is unknown. */
const previewBox = (sql: Sql) => sql`
  (
    select jsonb_build_object(
      'x', round(d.bbox_x::numeric / p.width, 4), 'y', round(d.bbox_y::numeric / p.height, 4),
      'width', round(d.bbox_width::numeric / p.width, 4), 'height', round(d.bbox_height::numeric / p.height, 4)
    )
    from (
      select coalesce(d.picture_width, (select i.width from images i where i.image_id = d.image_id)) as width,
        coalesce(d.picture_height, (select i.height from images i where i.image_id = d.image_id)) as height
    ) p
    where p.width > 0
      and p.height > 0
      and d.bbox_x is not null
  )
`;

/** Columns about the picture of a detection's record, for `detections d`. */
export const pictureColumns = (sql: Sql) => sql`${previewUrl(sql)} as preview_url, d.blur_hash, ${previewBox(sql)} as preview_box`;

/** What the record of an event or entity says about the preview of its best detection. */
export type PreviewOfBest = Pick<Detection, "preview_url" | "blur_hash" | "preview_box">;

/** Of a record without a detection. */
export const noPreview: PreviewOfBest = { preview_url: null, blur_hash: null, preview_box: null };

/** Selects `PreviewOfBest` of the detection with this id; null without one. */
export const previewOfBest = (sql: Sql, id: SqlFragment) => sql`
  (
    select jsonb_build_object('preview_url', ${previewUrl(sql)}, 'blur_hash', d.blur_hash, 'preview_box', ${previewBox(sql)})
    from detections d
    where d.detection_id = ${id}
  )
`;

/**
 * Stores blur hash and size of a detection's picture for all detections in that picture, and the hash in the ledger. False if the detection is
 * deleted or has another picture by now.
 */
export async function notePreview(
  sql: Sql,
  { id, previewVersion: version }: Pick<DetectionSource, "id" | "previewVersion">,
  { blurHash, width, height }: Preview["picture"],
): Promise<boolean> {
  const [row] = await sql<[{ found: boolean }]>`
    with shown as (
      select d.detection_id, d.image_id, d.video_offset_seconds
      from detections d
      where d.detection_id = ${id}
        and ${previewVersion(sql)} = ${version}
    ),
    beside as (
      update detections d
      set blur_hash = ${blurHash}, picture_width = ${width}, picture_height = ${height}
      from shown s
      where d.detection_id = s.detection_id
        or (d.image_id = s.image_id and d.video_offset_seconds is not distinct from s.video_offset_seconds)
    ),
    entry as (
      update images i
      set blur_hash = ${blurHash}
      from shown s
      where i.image_id = s.image_id
        and s.video_offset_seconds is null
    )
    select exists (select from shown) as found
  `;
  return row.found;
}
