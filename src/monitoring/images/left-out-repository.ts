import { dayMs } from "../../base/clock/clock.ts";
import type { Sql } from "../../platform/database/database.ts";
import type { LeftOut, RecentAnswers } from "../upstream/left-out.ts";

const maxAnswers = 20;
const maxPictures = 2_000;

/** Returns the newest answers of the last day with parts that were left out, and whether homesec could use the others. */
export async function recentAnswers(sql: Sql, detector: string, now: Date): Promise<RecentAnswers> {
  const since = new Date(now.getTime() - dayMs);
  const answers = await sql<{ leftOut: readonly LeftOut[]; finishedAt: Date }[]>`
    select i.left_out as "leftOut", i.finished_at as "finishedAt"
    from images i
    where i.left_out is not null
      and i.finished_at >= ${since}
      and i.detector = ${detector}
    order by i.finished_at desc
    limit ${maxAnswers}
  `;
  const oldest = answers.at(-1)?.finishedAt;
  if (!oldest) return { leftOut: [], kept: 0, knowsClasses: true };
  const [row] = await sql<[{ kept: number; knowsClasses: boolean }]>`
    select coalesce(sum(n.detection_count), 0)::int as kept, exists (select 1 from detections d where d.detected_at >= ${since}) as "knowsClasses"
    from (
      select i.detection_count
      from images i
      where i.started_at is not null
        and i.finished_at >= ${oldest}
        and i.detector = ${detector}
      order by i.finished_at desc
      limit ${maxPictures}
    ) n
  `;
  return { leftOut: answers.map(({ leftOut }) => leftOut), ...row };
}
