import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Machine } from "./machine.ts";

/** The memory of a control group (version 2) with all groups above it. */
export interface ControlGroup {
  /** The smallest limit in bytes; undefined without one. */
  readonly limit: number | undefined;
  /** Processes of the group that the kernel killed because memory ran out. */
  readonly kills: number;
}

/** Reads the control group of a process; undefined without version 2 of control groups. Never rejects. */
export async function controlGroup({ proc, cgroup }: Machine, pid: number | "self"): Promise<ControlGroup | undefined> {
  const read = (path: string): Promise<string> => readFile(path, "utf8").catch(() => "");
  const [, path] = /^0::(\/.*)$/m.exec(await read(join(proc, String(pid), "cgroup"))) ?? [];
  if (path === undefined) return undefined;
  const [, kills = "0"] = /^oom_kill (\d+)$/m.exec(await read(join(cgroup, path, "memory.events"))) ?? [];
  const limits: number[] = [];
  for (let at = path; ; at = dirname(at)) {
    const limit = (await read(join(cgroup, at, "memory.max"))).trim();
    if (/^\d+$/.test(limit)) limits.push(Number(limit));
    if (at === dirname(at)) break;
  }
  return { limit: limits.length === 0 ? undefined : Math.min(...limits), kills: Number(kills) };
}
