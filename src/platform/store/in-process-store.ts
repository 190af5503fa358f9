import { HitWindows } from "./hit-windows.ts";
import type { Store } from "./store.ts";

/** The store of a single process. It is there as long as the process is. */
export function inProcessStore(): Store {
  const windows = new HitWindows();
  return {
    kind: "in-process",
    version: async () => "in-process",
    hit: async (key, at, rule) => windows.hit(key, at, rule),
    close: async () => {},
  };
}
