import type { Change } from "./data/fold.ts";
import { createFrames } from "./frames.ts";
import type { Effect } from "./ui/effect.ts";
import type { State } from "./ui/ui.ts";
import { type Action, update } from "./ui/update.ts";

/** The state, and who is told of it. */
export interface Store {
  /** With everything that has happened. */
  current(): State;
  /** As it was when the last frame was drawn. */
  shown(): State;
  /** `listener` is called for each frame. Returns how to end that. */
  subscribe(listener: () => void): () => void;
  /** What the daemon told; taken up with the next frame. */
  change(change: Change): void;
  /** What the person did, or what came of it. */
  dispatch(action: Action): void;
  /** The frame is on the screen. */
  drawn(): void;
  stop(): void;
}

interface Options {
  readonly first: State;
  readonly onEffect: (effect: Effect) => void;
  /** A monotonic clock in ms. */
  readonly now: () => number;
}

/** Holds the state. A burst of messages is taken up in one go, with the frame that shows it. */
export function createStore({ first, onEffect, now }: Options): Store {
  let state = first;
  let shown = first;
  let waiting: Change[] = [];
  const listeners = new Set<() => void>();
  const takeUp = (): void => {
    if (waiting.length === 0) return;
    const changes = waiting;
    waiting = [];
    ({ state } = update(state, { kind: "data", changes }));
  };
  const frames = createFrames(() => {
    takeUp();
    shown = state;
    for (const listener of listeners) listener();
  }, now);
  return {
    current() {
      takeUp();
      return state;
    },
    shown: () => shown,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    change(change) {
      waiting.push(change);
      frames.request(false);
    },
    dispatch(action) {
      takeUp();
      const { state: next, effect } = update(state, action);
      state = next;
      frames.request(action.kind !== "tick");
      if (effect !== undefined) onEffect(effect);
    },
    drawn: frames.drawn,
    stop: frames.stop,
  };
}
