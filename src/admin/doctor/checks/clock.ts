import { access, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { type Check, finding, ok, skipped } from "../check.ts";

/** No machine that runs this program has seen an earlier day. */
const earliest = new Date("2025-01-01T00:00:00Z");
const toleranceMs = 60_000;
const setRight = "Set the clock right and keep it right: sudo timedatectl set-ntp true";

const clock: Check = {
  id: "clock",
  group: "program",
  title: "Clock",
  severity: "error",
  finds: "The clock stands before files that homesec wrote earlier, or years in the past",
  remedy: "sudo timedatectl set-ntp true",
  async run(examination) {
    const now = examination.clock.now();
    if (now < earliest) return finding(`The clock of this machine shows ${now.toISOString()}, years in the past`, setRight);
    const { dataDir } = examination.config();
    const newest = await newestFile([dataDir, join(dataDir, "logs")]);
    if (newest === undefined) return ok(now.toISOString());
    const aheadMs = newest.modified - now.getTime();
    if (aheadMs <= toleranceMs) return ok(now.toISOString());
    return finding(
      `The clock shows ${now.toISOString()}, but ${newest.path} was written ${Math.round(aheadMs / 1000)} s later than that: the clock was set back`,
      setRight,
    );
  },
};

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

const synchronised: Check = {
  id: "clock-synchronised",
  group: "program",
  title: "Time of the network",
  severity: "warning",
  finds: "systemd-timesyncd runs but has not reached a time server since the start of the machine",
  remedy: "Let the machine reach a time server, or name one in /etc/systemd/timesyncd.conf",
  async run({ machine }) {
    const folder = join(machine.run, "systemd", "timesync");
    const isThere = (path: string): Promise<boolean> =>
      access(path).then(
        () => true,
        () => false,
      );
    if (!(await isThere(folder))) return skipped("systemd-timesyncd does not run here; what keeps the clock right is not known");
    if (await isThere(join(folder, "synchronized"))) return ok("a time server was reached");
    return finding(
      "No time server was reached since this machine was started: its clock may be wrong",
      "Let this machine reach a time server (UDP port 123), or name one in /etc/systemd/timesyncd.conf and run `sudo systemctl restart systemd-timesyncd`",
    );
  },
};

export const clockChecks: readonly Check[] = [clock, synchronised];
