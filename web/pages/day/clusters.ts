import { riskLevels } from "../../../src/contract/constants.ts";
import type { EventRecord } from "../../parts/event-row.tsx";
import type { Level } from "../../parts/risk.tsx";

/** Events of one camera that lie so close together that they share a mark. */
export interface Cluster {
  /** Oldest first. */
  readonly events: readonly EventRecord[];
  /** The event with the highest score. */
  readonly top: EventRecord;
  readonly level: Level | null;
}

/** The level by which an event is drawn; a trouble of the camera itself counts as medium. */
function levelOf({ kind, risk_level }: EventRecord): Level | null {
  return kind === "camera_health" ? "medium" : risk_level;
}

const rankOf = (event: EventRecord): number => {
  const level = levelOf(event);
  return level === null ? -1 : riskLevels.indexOf(level) * 1_000 + (event.risk_score ?? 0);
};

/** Joins events that begin within `closeMs` of the first one of their mark. `events` are those of one camera, oldest first. */
export function clustersOf(events: readonly EventRecord[], closeMs: number): readonly Cluster[] {
  const groups: EventRecord[][] = [];
  for (const event of events) {
    const group = groups.at(-1);
    const first = group?.[0];
    if (group && first && event.started_at.getTime() - first.started_at.getTime() < closeMs) group.push(event);
    else groups.push([event]);
  }
  return groups.map((group) => {
    const top = group.reduce((best, event) => (rankOf(event) > rankOf(best) ? event : best));
    return { events: group, top, level: levelOf(top) };
  });
}
