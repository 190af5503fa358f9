import { statfs } from "node:fs/promises";
import { hostname, networkInterfaces } from "node:os";
import process from "node:process";
import type { Machine } from "../../src/admin/doctor/machine.ts";
import { localTimeZone } from "../../src/base/clock/time-zone.ts";
import type { Io } from "../io.ts";

/** The machine of this process. */
export function thisMachine({ host, global }: Io): Machine {
  return {
    nodeVersion: process.versions.node,
    timeZone: localTimeZone(),
    zoneVariable: host.env["TZ"],
    uid: process.getuid?.(),
    hostName: hostname(),
    addresses: Object.values(networkInterfaces()).flatMap((each) => each?.map(({ address }) => address) ?? []),
    environmentNames: Object.keys(host.env),
    cwd: host.cwd,
    configPath: global.config,
    proc: "/proc",
    run: "/run",
    cgroup: "/sys/fs/cgroup",
    ffmpeg: "ffmpeg",
    nvidiaSmi: "nvidia-smi",
    stat: "stat",
    getent: "getent",
    statfs,
  };
}
