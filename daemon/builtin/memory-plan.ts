import { totalmem } from "node:os";
import process from "node:process";
import type { BuiltinName } from "./spawn.ts";

const mib = 1024 * 1024;
/** Memory of the daemon with its embedded PostgreSQL, idle after a dozen pictures (docs/sizing.md). */
const baseMib = 102 + 52;
/** Memory of each built-in service, in the order in which they get what there is: without the scorer no event ends. */
const needsMib: readonly (readonly [BuiltinName, number])[] = [
  ["language_model", 23],
  ["detector", 200],
  ["enrichment", 59],
];
/** What everything needs, with room for bursts. */
export const comfortableMib = 512;

const help: Readonly<Record<BuiltinName, string>> = {
  language_model: "set LANGUAGE_MODEL_URL to one on another machine",
  detector: "set DETECTOR_URL to one on another machine",
  enrichment: "set VISION_EXTRACTION_ENABLED=false and REID_ENABLED=false",
};

/** Returns the memory in bytes that homesec may use: the limit of its control group (container, systemd unit), or that of the machine. */
export function memoryLimit(): number {
  const limit = process.constrainedMemory?.() ?? 0;
  // Without a limit, 0 or a number beyond every machine
  return limit > 0 && limit < totalmem() ? limit : totalmem();
}

/** Returns why a built-in service does not fit into a limit beside those that come before it, with the fix; undefined if it fits. */
export function shortageOf(name: BuiltinName, limitBytes: number): string | undefined {
  const at = needsMib.findIndex(([each]) => each === name);
  const sum = needsMib.slice(0, at + 1).reduce((total, [, need]) => total + need, baseMib);
  if (limitBytes >= sum * mib) return undefined;
  return `it was not started, because it does not fit into the memory limit of ${limitText(limitBytes)}: ${raise}, or ${help[name]}`;
}

/** Explains a process that the kernel killed, with the fix. */
export function killedText(name: BuiltinName, limitBytes: number): string {
  return `the kernel killed its process, most likely because memory ran out (the limit is ${limitText(limitBytes)}): ${raise}, or ${help[name]}`;
}

/** Explains a small limit at the start of a daemon; undefined if everything fits. */
export function smallLimitWarning(limitBytes: number): string | undefined {
  if (limitBytes >= comfortableMib * mib) return undefined;
  return `homesec may use only ${limitText(limitBytes)} of memory; ${raise}, or the kernel may end it`;
}

const raise = `raise the limit to ${comfortableMib} MiB (\`MemoryMax\` of the unit, \`mem_limit\` of the container)`;

function limitText(bytes: number): string {
  return `${Math.floor(bytes / mib)} MiB`;
}
