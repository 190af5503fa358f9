import type { Paint } from "../../output/terminal-format.ts";
import type { Size } from "../../picture/terminal.ts";
import { type Change, reduceData } from "../data/reducer.ts";
import { idsOf, rowsOf } from "../data/rows.ts";
import type { Key } from "./key.ts";
import { type ReducerResult, withUi } from "./prompts.ts";
import { reduceKey } from "./reducer.ts";
import { type Selection, selectedRow } from "./selection.ts";
import { type ListName, type Loaded, lists, type State, withNote } from "./ui.ts";

/** Everything that changes the state. */
export type Action =
  | { readonly kind: "data"; readonly changes: readonly Change[] }
  | { readonly kind: "tick"; readonly now: Date }
  | { readonly kind: "size"; readonly size: Size }
  | { readonly kind: "key"; readonly key: Key }
  | { readonly kind: "loaded"; readonly loaded: Loaded }
  | { readonly kind: "note"; readonly text: string; readonly paint?: Paint };

/** The root reducer: returns the next state and an effect to run. Pure. */
export function update(state: State, action: Action): ReducerResult {
  switch (action.kind) {
    case "data":
      return { state: withCurrentSelections({ ...state, data: action.changes.reduce(reduceData, state.data) }) };
    case "tick":
      return { state: withoutOldNote({ ...state, now: action.now }) };
    case "size":
      return { state: withUi(state, { size: action.size }) };
    case "key": {
      const { state: next, effect } = reduceKey(state, action.key);
      return { state: withCurrentSelections(next), effect };
    }
    case "loaded":
      return { state: withUi(state, { loaded: action.loaded }) };
    case "note":
      return { state: withNote(state, action.text, action.paint) };
    default:
      return action satisfies never;
  }
}

/** Updates the positions of selections, so that a neighbour replaces a deleted row. */
function withCurrentSelections(state: State): State {
  const { selections } = state.ui;
  if (Object.keys(selections).length === 0) return state;
  const rows = rowsOf(state);
  const now = lists.flatMap((list): [ListName, Selection][] => {
    const selection = selections[list] && selectedRow(idsOf(rows, list), selections[list]);
    return selection ? [[list, selection]] : [];
  });
  return withUi(state, { selections: Object.fromEntries(now) });
}

function withoutOldNote(state: State): State {
  const { note } = state.ui;
  return note !== undefined && note.until <= state.now ? withUi(state, { note: undefined }) : state;
}
