import type { Paint } from "../../output/terminal-format.ts";
import type { State } from "./ui.ts";

const noteMs = 6_000;

/** The state with a remark in its last line. */
export function noted(state: State, text: string, paint?: Paint): State {
  const until = new Date(state.now.getTime() + noteMs);
  return { ...state, ui: { ...state.ui, note: { text, paint, until } } };
}
