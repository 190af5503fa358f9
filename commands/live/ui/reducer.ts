import { idsOf, rowsOf } from "../data/rows.ts";
import type { Key } from "./key.ts";
import { type ReducerResult, reducePromptKey, withUi } from "./prompts.ts";
import { scrolled, scrolledSystem } from "./scroll.ts";
import { movedSelection, selectedRecords, subjectOf } from "./selection.ts";
import type { Effect } from "./ui.ts";
import { listOf, lists, type State, withNote } from "./ui.ts";

/** Handles a key. Pure; work outside the state is returned as the effect. */
export function reduceKey(state: State, key: Key): ReducerResult {
  if (key === "interrupt") return { state, effect: { kind: "interrupt" } };
  if (key === "redraw") return { state, effect: { kind: "redraw" } };
  const quiet = state.ui.note === undefined ? state : withUi(state, { note: undefined });
  const { prompt } = quiet.ui;
  if (prompt !== undefined) return reducePromptKey(quiet, prompt, key);
  return typeof key === "object" ? reduceCharacter(quiet, key.text) : { state: reduceNamedKey(quiet, key) };
}

function reduceNamedKey(state: State, key: Exclude<Key, object>): State {
  const { ui } = state;
  switch (key) {
    case "up":
      return move(state, -1);
    case "down":
      return move(state, 1);
    case "page-up":
      return move(state, -page(state));
    case "page-down":
      return move(state, page(state));
    case "home":
      return move(state, Number.NEGATIVE_INFINITY);
    case "end":
      return move(state, Number.POSITIVE_INFINITY);
    case "left":
      return turnPicture(state, -1);
    case "right":
      return turnPicture(state, 1);
    case "tab":
      return focusNext(state, 1);
    case "back-tab":
      return focusNext(state, -1);
    case "enter":
      return open(state);
    case "escape":
      if (ui.details !== undefined) return withUi(state, { details: undefined });
      if (ui.filter !== "") return withUi(state, { filter: "" });
      return withUi(state, { view: "overview" });
    default:
      return state;
  }
}

function reduceCharacter(state: State, text: string): ReducerResult {
  switch (text) {
    case "q":
      return { state, effect: { kind: "quit" } };
    case "?":
      return { state: withUi(state, { view: "help", details: undefined }) };
    case "/":
      return { state: withUi(state, { prompt: { kind: "filter", text: state.ui.filter, before: state.ui.filter } }) };
    case ":":
      return { state: withUi(state, { prompt: { kind: "view", text: "" } }) };
    case "j":
      return { state: move(state, 1) };
    case "k":
      return { state: move(state, -1) };
    case "g":
      return { state: move(state, Number.NEGATIVE_INFINITY) };
    case "G":
      return { state: move(state, Number.POSITIVE_INFINITY) };
    case "a":
      return { state: settle(state, "acknowledgeAlert") };
    case "d":
      return { state: settle(state, "dismissAlert") };
    case "r":
      return review(state);
    case "s":
      return { state: silence(state) };
    default:
      return { state };
  }
}

/** The rows of a page, less two for context. */
const page = ({ ui }: State): number => Math.max(1, ui.size.rows - 8);

function move(state: State, by: number): State {
  const { ui } = state;
  if (ui.details !== undefined) {
    return withUi(state, { details: { ...ui.details, scroll: scrolled(state, ui.details, by) } });
  }
  if (ui.view === "system") return withUi(state, { scroll: scrolledSystem(state, by) });
  const list = listOf(ui);
  if (list === undefined) return state;
  const selection = movedSelection(idsOf(rowsOf(state), list), ui.selections[list], by);
  const { [list]: _, ...others } = ui.selections;
  return withUi(state, { selections: selection === undefined ? others : { ...others, [list]: selection } });
}

/** Shows the next or previous picture of the event. */
function turnPicture(state: State, by: number): State {
  const { details, loaded } = state.ui;
  // The loaded details may still belong to another subject
  if (details === undefined || loaded?.subject.kind !== details.subject.kind || loaded.subject.id !== details.subject.id) return state;
  const count = loaded.event?.detections.length ?? 0;
  if (count === 0) return state;
  return withUi(state, { details: { ...details, picture: (details.picture + by + count) % count } });
}

function focusNext(state: State, by: number): State {
  const { ui } = state;
  if (ui.view !== "overview" || ui.details !== undefined) return state;
  const focus = lists[(lists.indexOf(ui.focus) + by + lists.length) % lists.length] ?? "events";
  return withUi(state, { focus });
}

function open(state: State): State {
  const subject = subjectOf(state);
  return subject === undefined || state.ui.details !== undefined ? state : withUi(state, { details: { subject, scroll: 0, picture: 0 } });
}

const verbs = { acknowledgeAlert: "Acknowledge", dismissAlert: "Dismiss" } as const;

function settle(state: State, operation: "acknowledgeAlert" | "dismissAlert"): State {
  const alerts = selectedRecords(state)?.alerts ?? [];
  const [first] = alerts;
  if (first === undefined) return withNote(state, "no open alerts here", "yellow");
  const which =
    alerts.length === 1
      ? `the ${first.severity} alert “${first.alert_metadata.rule_name}” of event ${first.event_id} at ${first.camera_id}`
      : `${alerts.length} alerts at ${first.camera_id}`;
  return ask(state, `${verbs[operation]} ${which}?`, { kind: "settle", operation, alerts });
}

function ask(state: State, question: string, effect: Effect): State {
  return withUi(state, { prompt: { kind: "confirm", question, effect } });
}

function review(state: State): ReducerResult {
  const event = selectedRecords(state)?.event;
  if (event === undefined) return { state: withNote(state, "select an event to mark it as reviewed", "yellow") };
  return { state, effect: { kind: "review", eventId: event.id, reviewed: !event.reviewed } };
}

function silence(state: State): State {
  const cameraId = selectedRecords(state)?.cameraId;
  if (cameraId === undefined) return withNote(state, "select a camera or one of its events to silence it", "yellow");
  return withUi(state, { prompt: { kind: "silence", cameraId, span: 1, reason: "" } });
}
