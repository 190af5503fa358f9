import type { ReplyOf } from "../../src/contract/routes/index.ts";
import type { Values } from "../command.ts";
import type { Io } from "../io.ts";
import type { filterOptions } from "./filter.ts";
import { type Visit, visitsWith, visitText } from "./visit.ts";

/** Enough for the open batches of a home; the API returns no more at once. */
const mostDetections = 1_000;

type Filter = Partial<Values<typeof filterOptions>> & { readonly deleted?: boolean | undefined };
type Batches = ReplyOf<"getPipeline">["batch_aggregator"];

/**
 * Notes the visits that are going on and match the filter of a table of events, and when they become events. Only a running daemon
 * knows them: without one (--direct), says nothing. Never throws.
 */
export async function noteVisits(io: Io, filter: Filter): Promise<void> {
  if (io.output.format !== "table" || io.global.direct || io.global.quiet || !mayMatch(filter)) return;
  try {
    const { batch_aggregator: batches } = await io.call("getPipeline", {});
    const ids = new Set(batches.batches.map(({ batch_id }) => batch_id));
    if (ids.size === 0) return;
    const visits = await visitsOf(io, batches, filter);
    for (const visit of visits.filter(({ batchId }) => ids.has(batchId)).filter((each) => matches(each, filter)))
      io.output.note(`${visitText(visit, io.host.clock.now())}; ${becomesText(batches)}`);
  } catch {
    // The list is complete without the note
  }
}

async function visitsOf(io: Io, { batches }: Batches, { camera_id }: Filter): Promise<readonly Visit[]> {
  const start_date = new Date(Math.min(...batches.map(({ started_at }) => started_at.getTime())));
  const { items } = await io.call("listDetections", { query: { camera_id, start_date, limit: mostDetections } });
  return [...items.reverse().reduce(visitsWith, new Map<string, Visit>()).values()].reverse();
}

/** A visit has no score, no review and no incident. */
function mayMatch({ deleted, reviewed, kind, risk_level, min_risk_score }: Filter): boolean {
  return !deleted && reviewed !== true && kind !== "camera_health" && risk_level === undefined && min_risk_score === undefined;
}

function matches({ cameraId, startedAt, counts }: Visit, { camera_id, object_type, start_date, end_date }: Filter): boolean {
  return (
    (!camera_id || camera_id.includes(cameraId)) &&
    (!object_type || object_type.some((type) => Object.hasOwn(counts, type))) &&
    (!start_date || startedAt >= start_date) &&
    (!end_date || startedAt <= end_date)
  );
}

function becomesText({ idle_timeout_seconds: idle, batch_window_seconds: window }: Batches): string {
  return `becomes an event ${idle} s after its last detection, or ${window} s after its first`;
}
