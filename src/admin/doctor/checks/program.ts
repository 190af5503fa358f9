import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { offsetIn } from "../../../base/clock/time-zone.ts";
import { hasFfmpeg } from "../../../monitoring/images/video.ts";
import { createNvidiaSmi, NvidiaSmiAbsent } from "../../gpu/nvidia-smi.ts";
import { type Check, finding, notPossible, type Outcome, ok, parts, skipped } from "../check.ts";
import { controlGroup } from "../control-group.ts";
import { livingVersions, newestVideoWithoutFfmpeg } from "../doctor-repository.ts";
import type { Examination } from "../examination.ts";
import { entriesOf, exists } from "../folders.ts";
import { bytesText, listed, reasonOf } from "../wording.ts";

const version: Check = {
  id: "version",
  replaces: ["program-files"],
  group: "program",
  title: "Version",
  severity: "warning",
  finds: "A running homesec has another version: it was not restarted after an update, or another machine was not updated",
  async run(examination) {
    const own = examination.version;
    const daemon = await examination.lookForDaemon();
    if ("client" in daemon && daemon.version !== own) {
      return finding(
        `The daemon at ${daemon.url} is version ${daemon.version}, this program is ${own}`,
        "Restart homesec to run the installed version: systemctl restart homesec",
      );
    }
    const others = (await examination.rows().then((db) => db.query(livingVersions), notPossible)) ?? [];
    const different = others.filter((other) => other.version !== own);
    if (different.length === 0) return ok(own);
    return finding(
      `${listed(different.map((other) => `${other.host} runs ${other.version}`))} on this database, this program is ${own}`,
      `Install version ${own} there too, and restart it`,
    );
  },
};

const nodeVersion: Check = {
  id: "node-version",
  group: "program",
  title: "Node.js",
  severity: "warning",
  finds: "Node.js has an odd version, which gets no security fixes",
  run: ({ machine: { nodeVersion } }) => {
    if (Number.parseInt(nodeVersion, 10) % 2 === 1)
      return finding(
        `Node.js ${nodeVersion} gets no security fixes after a few months, like all odd versions`,
        "Install the current LTS version of Node.js from https://nodejs.org and start homesec with it",
      );
    return ok(nodeVersion);
  },
};

/** What everything needs as delivered, with room for bursts (docs/sizing.md). */
const minLimitBytes = 512 * 1024 * 1024;
/** With less, the built-in detector and PostgreSQL compete for memory. */
const minMemoryBytes = 256 * 1024 * 1024;
const memory: Check = {
  id: "memory",
  replaces: ["open-files"],
  group: "program",
  title: "Memory",
  severity: "warning",
  finds: "Less than 256 MiB of memory is free; homesec may use less than 512 MiB; the kernel killed a part of it because memory ran out",
  run: parts(freeMemory, limitOfHomesec),
};

async function freeMemory({ machine }: Examination): Promise<Outcome> {
  const text = await readFile(join(machine.proc, "meminfo"), "utf8").catch(() => "");
  const [, kilobytes] = /^MemAvailable:\s+(\d+) kB/m.exec(text) ?? [];
  if (kilobytes === undefined) return skipped("this system does not report free memory");
  const free = Number(kilobytes) * 1024;
  if (free >= minMemoryBytes) return ok(`${bytesText(free)} free`);
  return finding(
    `Only ${bytesText(free)} of memory is free`,
    "Stop other programs or add swap; or run the detector on another machine (DETECTOR_URL)",
  );
}

/** Judges the control group (container, systemd unit) of the daemon on this data folder, or of this process. */
async function limitOfHomesec(examination: Examination): Promise<Outcome> {
  const holder = await examination.holder().catch(notPossible);
  const group = await controlGroup(examination.machine, holder?.lives ? holder.pid : "self");
  if (group === undefined) return skipped("this system does not report a memory limit");
  if (group.limit === undefined) return ok("no limit");
  const limit = bytesText(group.limit);
  const fix =
    "Raise the limit to 512 MiB (MemoryMax= of the unit, mem_limit of the container); or run the detector on another machine (DETECTOR_URL)";
  if (group.kills > 0)
    return finding(`The kernel killed ${group.kills} processes of homesec because memory ran out; the limit is ${limit}`, fix, "error");
  if (group.limit < minLimitBytes) return finding(`homesec may use only ${limit} of memory`, fix);
  return ok(`limited to ${limit}`);
}

/** homesec did not exist before this day, so the clock cannot be right. */
const earliest = new Date("2025-01-01T00:00:00Z");
const clockToleranceMs = 60_000;
const setClock = "Set the clock and keep it in sync: sudo timedatectl set-ntp true";

const clock: Check = {
  id: "clock",
  replaces: ["clock-synchronised"],
  group: "program",
  title: "Clock",
  severity: "error",
  reads: "folders",
  finds: "The clock is years behind, or behind files that homesec wrote; a warning when systemd-timesyncd has reached no time server",
  run: parts(timeOfClock, clockSync),
};

async function timeOfClock(examination: Examination): Promise<Outcome> {
  const now = examination.clock.now();
  if (now < earliest) return finding(`The clock of this machine shows ${now.toISOString()}, years in the past`, setClock);
  const { dataDir } = examination.config();
  const files = (await Promise.all([dataDir, join(dataDir, "logs")].map(entriesOf))).flat();
  const newest = files.toSorted((one, other) => other.modified - one.modified)[0];
  const aheadMs = newest === undefined ? 0 : newest.modified - now.getTime();
  if (newest === undefined || aheadMs <= clockToleranceMs) return ok(now.toISOString());
  return finding(
    `The clock shows ${now.toISOString()}, but ${newest.path} was written ${Math.round(aheadMs / 1000)} s later: the clock was set back`,
    setClock,
  );
}

async function clockSync({ machine }: Examination): Promise<Outcome> {
  const folder = join(machine.run, "systemd", "timesync");
  if (!(await exists(folder))) return skipped("systemd-timesyncd does not run here, so time synchronisation is unknown");
  if (await exists(join(folder, "synchronized"))) return ok("synchronised");
  return finding(
    "systemd-timesyncd has reached no time server since this machine started: the clock may be wrong",
    "Allow UDP port 123 to a time server, or set one in /etc/systemd/timesyncd.conf and run `sudo systemctl restart systemd-timesyncd`",
    "warning",
  );
}

const timeZone: Check = {
  id: "time-zone",
  replaces: ["time-zone-data"],
  group: "program",
  title: "Time zone",
  severity: "warning",
  finds: "TZ names a time zone that does not exist",
  run: ({ machine: { zoneVariable, timeZone } }) => {
    const given = zoneVariable?.replace(/^:/, "") ?? "";
    if (given === "" || given.startsWith("/") || isZone(given)) return ok(timeZone);
    return finding(
      `TZ=${given} is not a time zone: logs, the daily cleanup and mails use ${timeZone}`,
      "Set TZ to a name such as Europe/Berlin, or remove it to use the time zone of the machine",
    );
  },
};

/** Whether Node.js knows the zone. It also accepts the POSIX form, `CET-1CEST`. */
export function isZone(name: string): boolean {
  if (/^[A-Za-z]{3,}[-+]?\d/.test(name)) return true;
  try {
    offsetIn(name)(0);
    return true;
  } catch {
    return false;
  }
}

const ffmpeg: Check = {
  id: "ffmpeg",
  group: "program",
  title: "ffmpeg",
  severity: "error",
  finds: "Cameras upload videos, but ffmpeg is not installed or does not run",
  async run(examination) {
    const { ffmpeg: command, hostName } = examination.machine;
    const runsHere = await hasFfmpeg(command);
    const waiting = await examination.rows().then((db) => db.query(newestVideoWithoutFfmpeg), notPossible);
    // another machine may process the videos; the detail of a waiting video names it
    const elsewhere = waiting?.detail && !waiting.detail.includes(`machine ${hostName}.`) ? waiting.detail : undefined;
    if (elsewhere !== undefined)
      return finding(
        `Cameras upload videos, and some cannot be processed: ${elsewhere}`,
        "Then restart homesec on that machine; it processes the videos that wait",
      );
    if (runsHere) return ok("runs");
    if (!waiting) return skipped("ffmpeg does not run here; only videos need it, and none are waiting");
    return finding(
      "Cameras upload videos, but ffmpeg is not installed, so homesec cannot process them",
      "sudo apt-get install ffmpeg, then restart homesec; it processes the videos that wait",
    );
  },
};

const gpuTimeoutMs = 5_000;

const nvidiaSmi: Check = {
  id: "nvidia-smi",
  group: "program",
  title: "Graphics card",
  severity: "warning",
  finds: "An NVIDIA driver is installed, but nvidia-smi is missing, fails or hangs: the GPU metrics are empty",
  async run({ machine }, signal) {
    try {
      const xml = await createNvidiaSmi({ command: machine.nvidiaSmi, timeoutMs: gpuTimeoutMs }).ask(signal);
      return ok(/<product_name>([^<]*)</.exec(xml)?.[1] ?? "answers");
    } catch (error) {
      // EACCES: a folder on the PATH that this user may not enter
      if (!(error instanceof NvidiaSmiAbsent) && (error as NodeJS.ErrnoException).code !== "EACCES") {
        return finding(
          `nvidia-smi does not work: ${reasonOf(error)}`,
          "Run nvidia-smi and read its output; after an update of the driver, restart the machine",
        );
      }
      if (!(await exists(join(machine.proc, "driver", "nvidia")))) return skipped("this machine has no NVIDIA card, or no driver for it");
      return finding(
        "An NVIDIA driver is installed, but nvidia-smi is not",
        "Install it in the version of the driver: sudo apt-get install nvidia-smi",
      );
    }
  },
};

export const programChecks: readonly Check[] = [version, nodeVersion, memory, clock, timeZone, ffmpeg, nvidiaSmi];
