import { setFlagsFromString } from "node:v8";

/**
 * Lets the heap double before all of it is gone through for what is no longer needed. Left to itself V8 does that, once the process was idle,
 * for each third that is added, and counts the contents of pictures among it: under load that was every 80 to 170 pictures, on all processors,
 * and up to half of what the daemon used of them (decision 20). A version of Node.js without this setting says so on stderr and goes on; 20, 22,
 * 24 and 25 have it.
 */
export function letHeapGrow(): void {
  setFlagsFromString("--heap-growing-percent=100");
}
