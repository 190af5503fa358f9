import { idsOf, rowsOf } from "../data/rows.ts";
import type { Alert, Event } from "../records.ts";
import { listOf, type State, type Subject } from "./ui.ts";

/** A selected row: its id and its last position. */
export interface Selection {
  readonly id: string;
  readonly at: number;
}

/** The selected row of a list; its neighbour if the row no longer exists; the first row without a selection. Undefined in an empty list. */
export function selectedRow(ids: readonly string[], selection: Selection | undefined): Selection | undefined {
  const found = selection === undefined ? 0 : ids.indexOf(selection.id);
  const at = found >= 0 ? found : Math.min(selection?.at ?? 0, ids.length - 1);
  const id = ids[at];
  return id === undefined ? undefined : { id, at };
}

/** The selection after moving `by` rows; undefined beyond the top, where it follows new rows. */
export function movedSelection(ids: readonly string[], selection: Selection | undefined, by: number): Selection | undefined {
  const to = (selectedRow(ids, selection)?.at ?? 0) + by;
  const at = Math.min(ids.length - 1, to);
  const id = ids[at];
  return id === undefined ? undefined : { id, at };
}

/** The first visible row, so that the selected row is visible, in the middle if possible. */
export function firstShown(count: number, at: number, height: number): number {
  return Math.max(0, Math.min(at - Math.floor(height / 2), count - height));
}

/** The records that keys act on: those of the open details, or of the selected row. */
export interface SelectedRecords {
  readonly cameraId: string;
  readonly event: Event | undefined;
  /** The alert itself, or the open alerts of the event or camera. */
  readonly alerts: readonly Alert[];
}

/** The records that keys act on; undefined if nothing is selected. */
export function selectedRecords(state: State): SelectedRecords | undefined {
  const { data, ui } = state;
  const subject = ui.details?.subject;
  if (subject !== undefined) return recordsOfSubject(state, subject);
  const list = listOf(ui);
  if (list === undefined) return undefined;
  const rows = rowsOf(state);
  const at = selectedRow(idsOf(rows, list), ui.selections[list])?.at;
  if (at === undefined) return undefined;
  if (list === "alerts") {
    const alert = rows.alerts[at];
    return alert && { cameraId: alert.camera_id, event: data.events.find(({ id }) => id === alert.event_id), alerts: [alert] };
  }
  const id = list === "cameras" ? rows.cameras[at]?.camera_id : rows.events[at]?.id;
  return id === undefined ? undefined : recordsOfSubject(state, { kind: list === "cameras" ? "camera" : "event", id: String(id) });
}

function recordsOfSubject({ data, ui }: State, { kind, id }: Subject): SelectedRecords | undefined {
  if (kind === "camera") return { cameraId: id, event: undefined, alerts: data.alerts.filter(({ camera_id }) => camera_id === id) };
  const loaded = ui.loaded?.subject.id === id ? ui.loaded.event : undefined;
  const event = data.events.find((each) => String(each.id) === id) ?? loaded;
  if (event === undefined) return undefined;
  return { cameraId: event.camera_id, event, alerts: data.alerts.filter(({ event_id }) => event_id === event.id) };
}

/** The subject of the open details, or of the selected row. */
export function subjectOf(state: State): Subject | undefined {
  const { ui } = state;
  if (ui.details) return ui.details.subject;
  const list = listOf(ui);
  if (list === undefined) return undefined;
  const rows = rowsOf(state);
  const selection = selectedRow(idsOf(rows, list), ui.selections[list]);
  if (selection === undefined) return undefined;
  if (list === "cameras") return { kind: "camera", id: selection.id };
  return { kind: "event", id: list === "events" ? selection.id : String(rows.alerts[selection.at]?.event_id) };
}
