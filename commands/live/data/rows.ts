import type { Visit } from "../../events/visit.ts";
import type { Alert, Camera, Event } from "../records.ts";
import type { ListName, State } from "../ui/ui.ts";
import { filterableAlert, filterableCamera, filterableEvent, filterableVisit, filterOf } from "./filter.ts";

/** The rows of the lists that match the filter. */
export interface Rows {
  readonly cameras: readonly Camera[];
  readonly alerts: readonly Alert[];
  readonly events: readonly Event[];
  /** Visits that are going on, the newest first. They cannot be selected. */
  readonly visits: readonly Visit[];
}

const cache = new WeakMap<State["data"], { readonly filter: string; readonly rows: Rows }>();

/** The filtered rows. Cached per data, since each frame needs them several times. */
export function rowsOf({ data, ui: { filter } }: State): Rows {
  const known = cache.get(data);
  if (known?.filter === filter) return known.rows;
  const rows = makeRows(data, filter);
  cache.set(data, { filter, rows });
  return rows;
}

function makeRows({ cameras, alerts, events, visits }: State["data"], filter: string): Rows {
  const ordered = [...cameras.values()].sort(byActivity);
  const open = [...visits.values()].reverse();
  if (filter.trim() === "") return { cameras: ordered, alerts, events, visits: open };
  const passes = filterOf(filter);
  const nameOf = (id: string): string => cameras.get(id)?.name ?? "";
  return {
    cameras: ordered.filter((camera) => passes(filterableCamera(camera))),
    alerts: alerts.filter((alert) => passes(filterableAlert(alert, nameOf(alert.camera_id)))),
    events: events.filter((event) => passes(filterableEvent(event, nameOf(event.camera_id)))),
    visits: open.filter((visit) => passes(filterableVisit(visit, nameOf(visit.cameraId)))),
  };
}

/** Newest picture first. Cameras without a picture are last, by id. */
function byActivity(a: Camera, b: Camera): number {
  const newest = (b.last_seen_at?.getTime() ?? 0) - (a.last_seen_at?.getTime() ?? 0);
  return newest || (a.camera_id < b.camera_id ? -1 : 1);
}

/** The ids of a list, in its order. */
export function idsOf(rows: Rows, list: ListName): readonly string[] {
  switch (list) {
    case "cameras":
      return rows.cameras.map(({ camera_id }) => camera_id);
    case "alerts":
      return rows.alerts.map(({ id }) => id);
    case "events":
      return rows.events.map(({ id }) => String(id));
    default:
      return list satisfies never;
  }
}
