import type { Change } from "./data/reducer.ts";
import { createFrames } from "./frames.ts";
import type { Effect, State } from "./ui/ui.ts";
import { type Action, update } from "./ui/update.ts";

/** The state and its listeners. */
export interface Store {
  /** The current state. */
  current(): State;
  /** The state of the last frame. */
  shown(): State;
  /** Calls `listener` for each frame. Returns a function that unsubscribes. */
  subscribe(listener: () => void): () => void;
  /** Applies a change of the daemon with the next frame. */
  change(change: Change): void;
  /** Applies an action of the user or its result at once. */
  dispatch(action: Action): void;
  /** Reports that the frame is on the screen. */
  drawn(): void;
  stop(): void;
}

interface Options {
  readonly first: State;
  readonly onEffect: (effect: Effect) => void;
  /** A monotonic clock in ms. */
  readonly now: () => number;
}

/** Creates the store. A burst of messages is applied at once, with the frame that shows it. */
export function createStore({ first, onEffect, now }: Options): Store {
  let state = first;
  let shown = first;
  let pending: Change[] = [];
  const listeners = new Set<() => void>();
  const applyPending = (): void => {
    if (pending.length === 0) return;
    const changes = pending;
    pending = [];
    ({ state } = update(state, { kind: "data", changes }));
  };
  const frames = createFrames(() => {
    applyPending();
    shown = state;
    for (const listener of listeners) listener();
  }, now);
  return {
    current() {
      applyPending();
      return state;
    },
    shown: () => shown,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    change(change) {
      pending.push(change);
      frames.request(false);
    },
    dispatch(action) {
      applyPending();
      const { state: next, effect } = update(state, action);
      state = next;
      frames.request(action.kind !== "tick");
      if (effect !== undefined) onEffect(effect);
    },
    drawn: frames.drawn,
    stop: frames.stop,
  };
}
