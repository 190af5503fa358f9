import { setImmediate as turn } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
export const collectGarbage = runInNewContext("gc") as () => void;

/** Bytes that this process holds after a garbage collection: its heap and its buffers. */
export function heldBytes(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** Tells whether an object is unreachable after garbage collection. */
export async function isForgotten(object: WeakRef<object>): Promise<boolean> {
  for (let round = 0; round < 5 && object.deref() !== undefined; round += 1) {
    await turn();
    collectGarbage();
  }
  return object.deref() === undefined;
}
