import { readdirSync, readFileSync } from "node:fs";

/** Delay of the event loop in ms; 10 ms of it are the sampling. */
export interface Lag {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
  readonly samples: number;
}

/** The program's report after a garbage collection. */
export interface Inside {
  /** JavaScript objects, and buffers, in bytes. */
  readonly heapUsed: number;
  readonly external: number;
  /** Part of the objects that is compiled code. */
  readonly code: number;
  readonly lag: Lag;
}

/** All reports of the program until now. */
export function insideReports(file: string): readonly Inside[] {
  const lines = readFileSync(file, { encoding: "utf8", flag: "a+" }).trim().split("\n");
  return lines.filter(Boolean).map((line) => JSON.parse(line) as Inside);
}

/** Open files of a process. */
export function openFiles(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

/** Resident memory of a process in MB. Throws if it has none, like a process that has just been killed. */
export function residentMb(pid: number): number {
  const kb = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  if (kb === undefined) throw new Error(`process ${pid} has no memory`);
  return Number(kb) / 1024;
}

/** Value of a metric in Prometheus text; several lines of the same name are added. */
export function metric(text: string, name: string): number {
  let sum = 0;
  for (const line of text.split("\n")) {
    const [, own, value] = /^(\w+)(?:\{[^}]*\})? (\S+)/.exec(line) ?? [];
    if (own === name) sum += Number(value);
  }
  return sum;
}

/** The median; of an even number the greater of the two middle values. Throws if there is none. */
export function middleOf(values: readonly number[]): number {
  const middle = values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
  if (middle === undefined) throw new Error("there is no value");
  return middle;
}

/** Slope per step: the median of the slopes between any two points, which outliers do not change (Theil and Sen). */
export function robustSlopeOf(points: readonly (readonly [at: number, value: number])[]): number {
  return middleOf(points.flatMap(([at, value], index) => points.slice(index + 1).map(([later, other]) => (other - value) / (later - at))));
}

/** Slope per step by least squares, and its standard error. */
export function slopeOf(points: readonly (readonly [at: number, value: number])[]): { readonly rise: number; readonly error: number } {
  const count = points.length;
  const mean = (of: (point: readonly [number, number]) => number): number => points.reduce((sum, point) => sum + of(point), 0) / count;
  const [x, y] = [mean(([at]) => at), mean(([, value]) => value)];
  const spread = points.reduce((sum, [at]) => sum + (at - x) ** 2, 0);
  const rise = points.reduce((sum, [at, value]) => sum + (at - x) * (value - y), 0) / spread;
  const rest = points.reduce((sum, [at, value]) => sum + (value - y - rise * (at - x)) ** 2, 0);
  return { rise, error: count > 2 ? Math.sqrt(rest / (count - 2) / spread) : Number.POSITIVE_INFINITY };
}
