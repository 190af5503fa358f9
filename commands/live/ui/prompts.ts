import { graphemesOf } from "../../../src/base/text/format.ts";
import type { Key } from "./key.ts";
import type { Effect } from "./ui.ts";
import { type Prompt, type State, type Ui, type ViewName, views, withNote } from "./ui.ts";

/** The durations of a silence. */
export const silenceSpans = [
  { label: "30 min", seconds: 1_800 },
  { label: "1 h", seconds: 3_600 },
  { label: "2 h", seconds: 7_200 },
  { label: "8 h", seconds: 28_800 },
] as const;

const longestText = 200;

export interface ReducerResult {
  readonly state: State;
  readonly effect?: Effect | undefined;
}

/** Handles a key while a prompt is open. */
export function reducePromptKey(state: State, prompt: Prompt, key: Key): ReducerResult {
  if (key === "escape") {
    const filter = prompt.kind === "filter" ? prompt.before : state.ui.filter;
    return { state: withUi(state, { prompt: undefined, filter }) };
  }
  switch (prompt.kind) {
    case "filter":
      return reduceFilterKey(state, prompt, key);
    case "view":
      return reduceViewKey(state, prompt, key);
    case "confirm":
      return reduceConfirmKey(state, prompt, key);
    case "silence":
      return reduceSilenceKey(state, prompt, key);
    default:
      return prompt satisfies never;
  }
}

/** Applies the filter while it is typed. */
function reduceFilterKey(state: State, prompt: Extract<Prompt, { kind: "filter" }>, key: Key): ReducerResult {
  if (key === "enter") return { state: withUi(state, { prompt: undefined }) };
  const text = edited(prompt.text, key);
  return { state: withUi(state, { prompt: { ...prompt, text }, filter: text }) };
}

function reduceViewKey(state: State, prompt: Extract<Prompt, { kind: "view" }>, key: Key): ReducerResult {
  const fitting = viewsLike(prompt.text);
  if (key === "tab") return { state: withUi(state, { prompt: { ...prompt, text: fitting[0] ?? prompt.text } }) };
  if (key !== "enter") return { state: withUi(state, { prompt: { ...prompt, text: edited(prompt.text, key) } }) };
  const typed = prompt.text.trim();
  if (typed === "q" || typed === "quit") return { state, effect: { kind: "quit" } };
  const [view] = fitting;
  if (typed !== "" && view !== undefined) return { state: withUi(state, { prompt: undefined, view, details: undefined, scroll: 0 }) };
  const closed = withUi(state, { prompt: undefined });
  return { state: typed === "" ? closed : withNote(closed, `unknown view ${typed}; views are ${views.join(", ")}`, "yellow") };
}

/** The views with this prefix. */
export function viewsLike(text: string): readonly ViewName[] {
  return views.filter((view) => view.startsWith(text.trim().toLowerCase()));
}

function reduceConfirmKey(state: State, { effect }: Extract<Prompt, { kind: "confirm" }>, key: Key): ReducerResult {
  const closed = withUi(state, { prompt: undefined });
  const agreed = typeof key === "object" && key.text.toLowerCase() === "y";
  return agreed ? { state: closed, effect } : { state: withNote(closed, "cancelled") };
}

function reduceSilenceKey(state: State, prompt: Extract<Prompt, { kind: "silence" }>, key: Key): ReducerResult {
  const { span, reason, cameraId } = prompt;
  if (key === "enter") {
    // A silence needs a reason, shown wherever alerts are missing
    if (reason.trim() === "") return { state };
    const { seconds } = silenceSpans[span] ?? silenceSpans[0];
    return { state: withUi(state, { prompt: undefined }), effect: { kind: "silence", cameraId, seconds, reason: reason.trim() } };
  }
  const step = ({ left: -1, up: -1, right: 1, down: 1, tab: 1, "back-tab": -1 } as const)[key as "left"];
  if (step !== undefined) {
    const next = (span + step + silenceSpans.length) % silenceSpans.length;
    return { state: withUi(state, { prompt: { ...prompt, span: next } }) };
  }
  return { state: withUi(state, { prompt: { ...prompt, reason: edited(reason, key) } }) };
}

/** The text after a key. */
function edited(text: string, key: Key): string {
  if (typeof key === "object") return (text + key.text).slice(0, longestText);
  if (key === "clear") return "";
  if (key === "clear-word") return text.replace(/\S*\s*$/, "");
  if (key !== "backspace") return text;
  return [...graphemesOf(text)]
    .slice(0, -1)
    .map(({ segment }) => segment)
    .join("");
}

/** The state with these parts of its `ui` replaced. */
export function withUi(state: State, ui: Partial<Ui>): State {
  return { ...state, ui: { ...state.ui, ...ui } };
}
