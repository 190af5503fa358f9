import { idsOf, rowsOf } from "../data/rows.ts";
import type { Effect } from "./effect.ts";
import type { Key } from "./key.ts";
import { noted } from "./notes.ts";
import { type Pressed, pressInPrompt, withUi } from "./prompts.ts";
import { scrolled, scrolledSystem } from "./scroll.ts";
import { chosenOf, moved, subjectOf } from "./selection.ts";
import { listOf, lists, type State } from "./ui.ts";

/** What a key does. Pure: what it asks for elsewhere is the effect. */
export function press(state: State, key: Key): Pressed {
  if (key === "interrupt") return { state, effect: { kind: "interrupt" } };
  if (key === "redraw") return { state, effect: { kind: "redraw" } };
  const quiet = state.ui.note === undefined ? state : withUi(state, { note: undefined });
  const { prompt } = quiet.ui;
  if (prompt !== undefined) return pressInPrompt(quiet, prompt, key);
  return typeof key === "object" ? pressText(quiet, key.text) : { state: pressNamed(quiet, key) };
}

function pressNamed(state: State, key: Exclude<Key, object>): State {
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
      return turn(state, -1);
    case "right":
      return turn(state, 1);
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

function pressText(state: State, text: string): Pressed {
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

/** A screenful of rows, but for two that stay to be recognised. */
const page = ({ ui }: State): number => Math.max(1, ui.size.rows - 8);

function move(state: State, by: number): State {
  const { ui } = state;
  if (ui.details !== undefined) {
    return withUi(state, { details: { ...ui.details, scroll: scrolled(state, ui.details, by) } });
  }
  if (ui.view === "system") return withUi(state, { scroll: scrolledSystem(state, by) });
  const list = listOf(ui);
  if (list === undefined) return state;
  const pick = moved(idsOf(rowsOf(state), list), ui.picks[list], by);
  const { [list]: _, ...others } = ui.picks;
  return withUi(state, { picks: pick === undefined ? others : { ...others, [list]: pick } });
}

/** To the next or previous picture of the event. */
function turn(state: State, by: number): State {
  const { details, loaded } = state.ui;
  // what is loaded may be another one's still
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
  const alerts = chosenOf(state)?.alerts ?? [];
  const [first] = alerts;
  if (first === undefined) return noted(state, "there is no open alert here", "yellow");
  const which =
    alerts.length === 1
      ? `the ${first.severity} alert “${first.alert_metadata.rule_name}” of event ${first.event_id} at ${first.camera_id}`
      : `${alerts.length} alerts at ${first.camera_id}`;
  return ask(state, `${verbs[operation]} ${which}?`, { kind: "settle", operation, alerts });
}

function ask(state: State, question: string, effect: Effect): State {
  return withUi(state, { prompt: { kind: "confirm", question, effect } });
}

function review(state: State): Pressed {
  const event = chosenOf(state)?.event;
  if (event === undefined) return { state: noted(state, "choose an event to mark it as reviewed", "yellow") };
  return { state, effect: { kind: "review", eventId: event.id, reviewed: !event.reviewed } };
}

function silence(state: State): State {
  const cameraId = chosenOf(state)?.cameraId;
  if (cameraId === undefined) return noted(state, "choose a camera, or something that it saw, to silence it", "yellow");
  return withUi(state, { prompt: { kind: "silence", cameraId, span: 1, reason: "" } });
}
