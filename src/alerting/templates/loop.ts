import { equal } from "./compare.ts";
import { Fault } from "./error.ts";
import type { Run } from "./run.ts";
import { Helper, Tuple, Undefined, type Value } from "./value.ts";

/** A running loop: its position, and the value of `loop` in its body. */
export interface LoopState {
  index: number;
  readonly helper: Helper;
}

/** Creates `loop`. `recurse` prints a nested loop if the loop is marked `recursive`. */
export function loopOf(run: Run, items: readonly Value[], depth: number, recurse: ((items: Value) => string) | null): LoopState {
  const neighbour = (by: number, what: string) => {
    const item = items[state.index + by];
    return item === undefined ? new Undefined(what) : item;
  };
  let seen: Tuple | null = null;
  const cycle = new Helper("loop.cycle", ({ positional, named }) => {
    if (positional.length === 0 || named.size > 0) throw new Fault("cycle", "loop.cycle needs values; write loop.cycle('odd', 'even')");
    return positional[state.index % positional.length] as Value;
  });
  const changed = new Helper("loop.changed", ({ positional }) => {
    const now = new Tuple(positional);
    const differs = seen === null || !equal(run, seen, now);
    if (differs) seen = now;
    return differs;
  });
  const attributes: Record<string, () => Value> = {
    index: () => BigInt(state.index + 1),
    index0: () => BigInt(state.index),
    revindex: () => BigInt(items.length - state.index),
    revindex0: () => BigInt(items.length - state.index - 1),
    first: () => state.index === 0,
    last: () => state.index === items.length - 1,
    length: () => BigInt(items.length),
    depth: () => BigInt(depth),
    depth0: () => BigInt(depth - 1),
    previtem: () => (state.index === 0 ? new Undefined("loop.previtem of the first item") : neighbour(-1, "loop.previtem")),
    nextitem: () => neighbour(1, "loop.nextitem of the last item"),
    cycle: () => cycle,
    changed: () => changed,
  };
  const helper = new Helper(
    "loop",
    ({ positional, named }) => {
      const [inner] = positional;
      if (recurse === null) throw new Fault("loop", "loop() needs a loop that is marked recursive; write {% for ... recursive %}");
      if (inner === undefined || positional.length > 1 || named.size > 0)
        throw new Fault("loop", "loop() takes the items of the inner loop; write loop(item.children)");
      return recurse(inner);
    },
    new Map(Object.entries(attributes)),
  );
  const state: LoopState = { index: 0, helper };
  return state;
}
