import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { offsetIn } from "../../../base/clock/time-zone.ts";
import { packageRoot } from "../../../base/version.ts";
import { hasFfmpeg } from "../../../monitoring/images/video.ts";
import { createNvidiaSmi, NvidiaSmiAbsent } from "../../gpu/nvidia-smi.ts";
import { type Check, finding, notPossible, type Outcome, ok, parts, skipped } from "../check.ts";
import { livingVersions, newestVideoWithoutFfmpeg } from "../doctor-repository.ts";
import type { Examination } from "../examination.ts";
import { exists } from "../folders.ts";
import type { Machine } from "../machine.ts";
import { bytesText, listed, reasonOf } from "../wording.ts";

/** Files that the program reads besides its own code. */
const requiredFiles = [
  "migrations",
  "mail-templates",
  "demo",
  join("dist", "daemon", "builtin", "detector", "main.js"),
  join("dist", "bin", "homesec.js"),
];

/** The check of the program's files below its root folder. */
export function programFiles(root: () => string = packageRoot): Check {
  return {
    id: "program-files",
    group: "program",
    title: "Program files",
    severity: "error",
    finds: "Files of homesec are missing: the build or the installation is incomplete",
    fix: "npm ci, or npm run build in a clone",
    async run() {
      const folder = root();
      const found = await Promise.all(requiredFiles.map((path) => exists(join(folder, path))));
      const missing = requiredFiles.filter((_, at) => !found[at]);
      if (missing.length === 0) return ok(folder);
      return finding(
        `${listed(missing, 3, ", ")} ${missing.length === 1 ? "is" : "are"} missing in ${folder}`,
        `Install homesec again: cd ${folder} && npm ci && npm run build`,
      );
    },
  };
}

const version: Check = {
  id: "version",
  group: "program",
  title: "Version",
  severity: "warning",
  finds: "A running homesec has another version: it was not restarted after an update, or another machine was not updated",
  fix: "Restart homesec; run one version on all machines that share a database",
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
  severity: "error",
  finds: "Node.js is older than 20.19, or an odd version, which gets no security fixes",
  fix: "Install an LTS version from https://nodejs.org",
  run: ({ machine: { nodeVersion } }) => {
    const [major = 0, minor = 0] = nodeVersion.split(".").map(Number);
    const fix = "Install the current LTS version of Node.js from https://nodejs.org and start homesec with it";
    if (major < 20 || (major === 20 && minor < 19)) return finding(`Node.js ${nodeVersion} is too old; homesec needs 20.19 or newer`, fix);
    if (major % 2 === 1)
      return finding(`Node.js ${nodeVersion} gets no security fixes after a few months, like all odd versions`, fix, "warning");
    return ok(nodeVersion);
  },
};

/** With less, the built-in detector and PostgreSQL compete for memory. */
const minMemoryBytes = 256 * 1024 * 1024;
/** Enough for 1,000 live clients, the camera folders and the database. */
const minOpenFiles = 4_096;

const limits: Check = {
  id: "memory",
  replaces: ["open-files"],
  group: "program",
  title: "Memory and open files",
  severity: "warning",
  finds: "Less than 256 MiB of memory is free, or this user may open fewer than 4096 files",
  fix: "Stop other programs, add memory or swap, or move the detector (DETECTOR_URL); set LimitNOFILE=65536 in the unit file",
  run: ({ machine }) =>
    parts(
      () => freeMemory(machine),
      () => openFiles(machine),
    ),
};

async function freeMemory({ proc }: Machine): Promise<Outcome> {
  const text = await readFile(join(proc, "meminfo"), "utf8").catch(() => "");
  const [, kilobytes] = /^MemAvailable:\s+(\d+) kB/m.exec(text) ?? [];
  if (kilobytes === undefined) return skipped("this system does not report free memory");
  const free = Number(kilobytes) * 1024;
  if (free >= minMemoryBytes) return ok(`${bytesText(free)} free`);
  return finding(
    `Only ${bytesText(free)} of memory is free`,
    "Stop other programs or add swap; or run the detector on another machine (DETECTOR_URL)",
  );
}

async function openFiles({ proc }: Machine): Promise<Outcome> {
  const text = await readFile(join(proc, "self", "limits"), "utf8").catch(() => "");
  // the hard limit: Node.js raises the soft limit to it at startup
  const [, hard] = /^Max open files\s+\S+\s+(\S+)/m.exec(text) ?? [];
  if (hard === undefined) return skipped("this system does not report the limit of open files");
  if (hard === "unlimited" || Number(hard) >= minOpenFiles) return ok(`${hard} open files`);
  return finding(
    `This user may open only ${hard} files at a time; live clients and camera folders need more`,
    "Set LimitNOFILE=65536 in the unit file of homesec, or run `ulimit -n 65536` before you start it",
  );
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
  fix: "sudo timedatectl set-ntp true",
  run: (examination) =>
    parts(
      () => timeOfClock(examination),
      () => clockSync(examination.machine),
    ),
};

async function timeOfClock(examination: Examination): Promise<Outcome> {
  const now = examination.clock.now();
  if (now < earliest) return finding(`The clock of this machine shows ${now.toISOString()}, years in the past`, setClock);
  const { dataDir } = examination.config();
  const newest = await newestFile([dataDir, join(dataDir, "logs")]);
  const aheadMs = newest === undefined ? 0 : newest.modified - now.getTime();
  if (newest === undefined || aheadMs <= clockToleranceMs) return ok(now.toISOString());
  return finding(
    `The clock shows ${now.toISOString()}, but ${newest.path} was written ${Math.round(aheadMs / 1000)} s later: the clock was set back`,
    setClock,
  );
}

async function newestFile(folders: readonly string[]): Promise<{ readonly path: string; readonly modified: number } | undefined> {
  let newest: { readonly path: string; readonly modified: number } | undefined;
  for (const folder of folders) {
    for (const name of await readdir(folder).catch(() => [])) {
      const path = join(folder, name);
      const modified = (await stat(path).catch(() => undefined))?.mtimeMs ?? 0;
      if (modified > (newest?.modified ?? 0)) newest = { path, modified };
    }
  }
  return newest;
}

async function clockSync({ run }: Machine): Promise<Outcome> {
  const folder = join(run, "systemd", "timesync");
  if (!(await exists(folder))) return skipped("systemd-timesyncd does not run here, so time synchronisation is unknown");
  if (await exists(join(folder, "synchronized"))) return ok("synchronised");
  return finding(
    "systemd-timesyncd has reached no time server since this machine started: the clock may be wrong",
    "Allow UDP port 123 to a time server, or set one in /etc/systemd/timesyncd.conf and run `sudo systemctl restart systemd-timesyncd`",
    "warning",
  );
}

/** Countries change their clock rules every few years. */
const zoneDataYears = 3;

const timeZone: Check = {
  id: "time-zone",
  replaces: ["time-zone-data"],
  group: "program",
  title: "Time zone",
  severity: "warning",
  finds: "TZ names a time zone that does not exist, or the time-zone data of Node.js is missing or more than three years old",
  fix: "Correct or remove TZ; install a newer Node.js",
  run: ({ machine: { zoneVariable, timeZone, zoneDataVersion }, clock }) => {
    const given = zoneVariable?.replace(/^:/, "") ?? "";
    const isKnown = given === "" || given.startsWith("/") || isZone(given);
    return [
      isKnown
        ? ok(timeZone)
        : finding(
            `TZ=${given} is not a time zone: logs, the daily cleanup and mails use ${timeZone}`,
            "Set TZ to a name such as Europe/Berlin, or remove it to use the time zone of the machine",
          ),
      zoneDataAge(zoneDataVersion, clock.now().getUTCFullYear()),
    ];
  },
};

function zoneDataAge(version: string | undefined, thisYear: number): Outcome {
  const fix = "Install the current LTS version of Node.js, which includes the data";
  const year = Number(/^\d{4}/.exec(version ?? "")?.[0] ?? Number.NaN);
  if (version === undefined || Number.isNaN(year))
    return finding("This Node.js has no time-zone data, so schedules of rules do not work", fix, "error");
  if (thisYear - year <= zoneDataYears) return ok(version);
  return finding(`The time-zone data of this Node.js is from ${version}; later changes of local time are missing`, fix);
}

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
  fix: "apt-get install ffmpeg, and restart homesec",
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
  fix: "Install nvidia-smi in the version of the driver; restart the machine after an update of the driver",
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

export const programChecks: readonly Check[] = [programFiles(), version, nodeVersion, limits, clock, timeZone, ffmpeg, nvidiaSmi];
