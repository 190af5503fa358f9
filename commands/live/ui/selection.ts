import { idsOf, rowsOf } from "../data/rows.ts";
import type { Alert, Event } from "../records.ts";
import { listOf, type State, type Subject } from "./ui.ts";

/** The row that a person chose: which it is, and where it was. */
export interface Pick {
  readonly id: string;
  readonly at: number;
}

/** The row that is chosen in a list: the picked one, or its neighbour when it is gone; without a pick the first. Undefined in an empty list. */
export function picked(ids: readonly string[], pick: Pick | undefined): Pick | undefined {
  const found = pick === undefined ? 0 : ids.indexOf(pick.id);
  const at = found >= 0 ? found : Math.min(pick?.at ?? 0, ids.length - 1);
  const id = ids[at];
  return id === undefined ? undefined : { id, at };
}

/** The pick after moving so many rows; undefined beyond the top, which follows what is new. */
export function moved(ids: readonly string[], pick: Pick | undefined, by: number): Pick | undefined {
  const to = (picked(ids, pick)?.at ?? 0) + by;
  const at = Math.min(ids.length - 1, to);
  const id = ids[at];
  return id === undefined ? undefined : { id, at };
}

/** The first of the rows that are shown when so many fit: the chosen one is among them, in the middle where there are more on either side. */
export function firstShown(count: number, at: number, height: number): number {
  return Math.max(0, Math.min(at - Math.floor(height / 2), count - height));
}

/** What the keys are about: what the details show, or the chosen row. */
export interface Chosen {
  readonly cameraId: string;
  readonly event: Event | undefined;
  /** The alert itself, or the open ones of the event or camera. */
  readonly alerts: readonly Alert[];
}

/** Undefined when nothing is chosen. */
export function chosenOf(state: State): Chosen | undefined {
  const { data, ui } = state;
  const subject = ui.details?.subject;
  if (subject !== undefined) return chosenSubject(state, subject);
  const list = listOf(ui);
  if (list === undefined) return undefined;
  const rows = rowsOf(state);
  const at = picked(idsOf(rows, list), ui.picks[list])?.at;
  if (at === undefined) return undefined;
  if (list === "alerts") {
    const alert = rows.alerts[at];
    return alert && { cameraId: alert.camera_id, event: data.events.find(({ id }) => id === alert.event_id), alerts: [alert] };
  }
  const id = list === "cameras" ? rows.cameras[at]?.camera_id : rows.events[at]?.id;
  return id === undefined ? undefined : chosenSubject(state, { kind: list === "cameras" ? "camera" : "event", id: String(id) });
}

function chosenSubject({ data, ui }: State, { kind, id }: Subject): Chosen | undefined {
  if (kind === "camera") return { cameraId: id, event: undefined, alerts: data.alerts.filter(({ camera_id }) => camera_id === id) };
  const loaded = ui.loaded?.subject.id === id ? ui.loaded.event : undefined;
  const event = data.events.find((each) => String(each.id) === id) ?? loaded;
  if (event === undefined) return undefined;
  return { cameraId: event.camera_id, event, alerts: data.alerts.filter(({ event_id }) => event_id === event.id) };
}

/** What details would be shown of: those that are open, or of the chosen row. */
export function subjectOf(state: State): Subject | undefined {
  const { ui } = state;
  if (ui.details) return ui.details.subject;
  const list = listOf(ui);
  if (list === undefined) return undefined;
  const rows = rowsOf(state);
  const pick = picked(idsOf(rows, list), ui.picks[list]);
  if (pick === undefined) return undefined;
  if (list === "cameras") return { kind: "camera", id: pick.id };
  return { kind: "event", id: list === "events" ? pick.id : String(rows.alerts[pick.at]?.event_id) };
}
