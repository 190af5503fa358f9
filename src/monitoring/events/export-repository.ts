import { cursorBatches } from "../../base/async/cursor.ts";
import type { Sql } from "../../platform/database/database.ts";
import { type Cell, zonedTitle } from "../../platform/spreadsheet/csv.ts";
import { zonesOfEvent } from "../zones/zones-repository.ts";
import { type EventFilter, filterConditions } from "./events-repository.ts";

/** Rows in memory at a time. */
const batchSize = 250;

/** Streams all matching events in batches, newest first, each as the cells of `exportColumns`. Must run in a transaction. */
export function exportEvents(sql: Sql, filter: EventFilter): AsyncIterable<readonly (readonly Cell[])[]> {
  const statement = sql`
    select e.event_id, e.camera_id, c.name, e.started_at, e.ended_at, e.risk_score, e.risk_level, e.summary, e.reasoning,
      array_to_string(e.object_types, ', '), e.detection_count, e.reviewed, e.notes, e.analysis_status, e.analyzed_by, e.batch_id, e.created_at,
      array_to_string(${zonesOfEvent(sql)}, ', '), e.pinned_at, e.pinned_by
    from events e
    join cameras c on c.camera_id = e.camera_id
    where e.deleted_at is null
      ${filter.cameraIds ? sql`and e.camera_id = any (${[...filter.cameraIds]}::text[])` : sql``}
      ${filterConditions(sql, filter)}
    order by e.started_at desc, e.event_id desc
  `;
  return cursorBatches<Cell[][]>(sql, statement.values(), batchSize);
}

/** Returns the titles of the columns of an export; those of times name their zone. */
export function exportTitles(timeZone: string): readonly string[] {
  return exportColumns.map(({ title }) => zonedTitle(title, timeZone));
}

/** Columns of an export, in the order of the cells. Widths are in characters. */
export const exportColumns = [
  { title: "id", width: 10 },
  { title: "camera_id", width: 18 },
  { title: "camera_name", width: 22 },
  { title: "started_at", width: 20 },
  { title: "ended_at", width: 20 },
  { title: "risk_score", width: 10 },
  { title: "risk_level", width: 10 },
  { title: "summary", width: 60 },
  { title: "reasoning", width: 60 },
  { title: "object_types", width: 20 },
  { title: "detection_count", width: 15 },
  { title: "reviewed", width: 10 },
  { title: "notes", width: 40 },
  { title: "analysis_status", width: 15 },
  { title: "analyzed_by", width: 20 },
  { title: "batch_id", width: 38 },
  { title: "created_at", width: 20 },
  { title: "zones", width: 20 },
  { title: "pinned_at", width: 20 },
  { title: "pinned_by", width: 18 },
] as const;
