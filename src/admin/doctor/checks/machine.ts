import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Check, finding, ok, skipped } from "../check.ts";
import { bytesText } from "../wording.ts";

/** Below this the built-in detector and PostgreSQL push each other out of memory. */
const leastMemory = 256 * 1024 * 1024;
/** A thousand live clients, the folders and the database leave some to spare. */
const leastFiles = 4_096;

const nodeVersion: Check = {
  id: "node-version",
  group: "program",
  title: "Node.js",
  severity: "error",
  finds: "Older than 20.19, or a version between two long-term ones, which gets no security fixes",
  remedy: "Install a long-term version from https://nodejs.org",
  run: ({ machine: { nodeVersion } }) => {
    const [major = 0, minor = 0] = nodeVersion.split(".").map(Number);
    const remedy = "Install the current long-term version of Node.js from https://nodejs.org and start homesec with it";
    if (major < 20 || (major === 20 && minor < 19))
      return finding(`Node.js ${nodeVersion} is too old; homesec needs 20.19 or newer`, remedy);
    if (major % 2 === 1) return finding(`Node.js ${nodeVersion} gets no security fixes for long: odd versions never do`, remedy, "warning");
    return ok(nodeVersion);
  },
};

const memory: Check = {
  id: "memory",
  group: "program",
  title: "Free memory",
  severity: "warning",
  finds: "Less than 256 MiB of memory can be used without pushing other programs out",
  remedy: "End other programs, add memory or swap, or point DETECTOR_URL at another machine",
  async run({ machine }) {
    const text = await readFile(join(machine.proc, "meminfo"), "utf8").catch(() => "");
    const [, kilobytes] = /^MemAvailable:\s+(\d+) kB/m.exec(text) ?? [];
    if (kilobytes === undefined) return skipped("this system does not tell how much memory is free");
    const free = Number(kilobytes) * 1024;
    if (free >= leastMemory) return ok(`${bytesText(free)} free`);
    return finding(
      `Only ${bytesText(free)} of memory are free`,
      "End other programs or add swap; or have another machine look at the pictures: set DETECTOR_URL",
    );
  },
};

const openFiles: Check = {
  id: "open-files",
  group: "program",
  title: "Open files",
  severity: "warning",
  finds: "This user may open fewer than 4096 files at a time",
  remedy: "LimitNOFILE=65536 in the unit file, or `ulimit -n 65536` before the start",
  async run({ machine }) {
    const text = await readFile(join(machine.proc, "self", "limits"), "utf8").catch(() => "");
    // the hard limit: Node.js raises the other one to it when it starts
    const [, hard] = /^Max open files\s+\S+\s+(\S+)/m.exec(text) ?? [];
    if (hard === undefined) return skipped("this system does not tell how many files may be open");
    if (hard === "unlimited" || Number(hard) >= leastFiles) return ok(`${hard} at a time`);
    return finding(
      `Only ${hard} files may be open at a time: live clients and folders need more`,
      "Put LimitNOFILE=65536 into the unit file of homesec, or run `ulimit -n 65536` before the start",
    );
  },
};

export const machineChecks: readonly Check[] = [nodeVersion, memory, openFiles];
