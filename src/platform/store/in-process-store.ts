import { HitWindows } from "./hit-windows.ts";
import type { Store } from "./store.ts";

/** Creates the store of a single process, which lasts as long as the process. */
export function inProcessStore(): Store {
  const windows = new HitWindows();
  return {
    kind: "in-process",
    version: async () => "in-process",
    hit: async (key, at, rule) => windows.hit(key, at, rule),
    close: async () => {},
  };
}
