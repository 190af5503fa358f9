import type { Alert, Camera, Event } from "../records.ts";
import type { State } from "../ui/ui.ts";
import { filterableAlert, filterableCamera, filterableEvent, filterOf } from "./filter.ts";

/** The rows of the lists that match the filter. */
export interface Rows {
  readonly cameras: readonly Camera[];
  readonly alerts: readonly Alert[];
  readonly events: readonly Event[];
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

function makeRows({ cameras, alerts, events }: State["data"], filter: string): Rows {
  const ordered = [...cameras.values()].sort((a, b) => (a.camera_id < b.camera_id ? -1 : 1));
  if (filter.trim() === "") return { cameras: ordered, alerts, events };
  const passes = filterOf(filter);
  const nameOf = (id: string): string => cameras.get(id)?.name ?? "";
  return {
    cameras: ordered.filter((camera) => passes(filterableCamera(camera))),
    alerts: alerts.filter((alert) => passes(filterableAlert(alert, nameOf(alert.camera_id)))),
    events: events.filter((event) => passes(filterableEvent(event, nameOf(event.camera_id)))),
  };
}

/** The ids of a list, in its order. */
export function idsOf(rows: Rows, list: keyof Rows): readonly string[] {
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
