import { setFlagsFromString } from "node:v8";

/**
 * Lets the heap double before V8 runs a full garbage collection. By default V8 runs one for each third that is added once the process was
 * idle, and counts the contents of pictures: under load that was every 80 to 170 pictures, on all processors, and up to half of the
 * daemon's CPU time (decision 20). A version of Node.js without this setting reports that on stderr and continues; 20, 22, 24 and 25 have
 * it.
 */
export function letHeapGrow(): void {
  setFlagsFromString("--heap-growing-percent=100");
}
