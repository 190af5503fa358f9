import type { Paint } from "../../output/terminal-format.ts";
import { type Change, fold } from "../data/fold.ts";
import { idsOf, rowsOf } from "../data/rows.ts";
import type { Key } from "./key.ts";
import { noted } from "./notes.ts";
import { type Pressed, withUi } from "./prompts.ts";
import { press } from "./reducer.ts";
import { type Pick, picked } from "./selection.ts";
import { type ListName, type Loaded, lists, type Size, type State } from "./ui.ts";

/** All that can happen. */
export type Action =
  | { readonly kind: "data"; readonly changes: readonly Change[] }
  | { readonly kind: "tick"; readonly now: Date }
  | { readonly kind: "size"; readonly size: Size }
  | { readonly kind: "key"; readonly key: Key }
  | { readonly kind: "loaded"; readonly loaded: Loaded }
  | { readonly kind: "note"; readonly text: string; readonly paint?: Paint };

/** What is shown after something happened, and what is to be done about it. Pure. */
export function update(state: State, action: Action): Pressed {
  switch (action.kind) {
    case "data":
      return { state: settled({ ...state, data: action.changes.reduce(fold, state.data) }) };
    case "tick":
      return { state: withoutOldNote({ ...state, now: action.now }) };
    case "size":
      return { state: withUi(state, { size: action.size }) };
    case "key": {
      const { state: pressed, effect } = press(state, action.key);
      return { state: settled(pressed), effect };
    }
    case "loaded":
      return { state: withUi(state, { loaded: action.loaded }) };
    case "note":
      return { state: noted(state, action.text, action.paint) };
    default:
      return action satisfies never;
  }
}

/** Picks know where their rows are now, so that a neighbour takes the place of one that goes. */
function settled(state: State): State {
  const { picks } = state.ui;
  if (Object.keys(picks).length === 0) return state;
  const rows = rowsOf(state);
  const now = lists.flatMap((list): [ListName, Pick][] => {
    const pick = picks[list] && picked(idsOf(rows, list), picks[list]);
    return pick ? [[list, pick]] : [];
  });
  return withUi(state, { picks: Object.fromEntries(now) });
}

function withoutOldNote(state: State): State {
  const { note } = state.ui;
  return note !== undefined && note.until <= state.now ? withUi(state, { note: undefined }) : state;
}
