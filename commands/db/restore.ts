import { resolve } from "node:path";
import { defineCommand } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { textArgument } from "../input/arguments.ts";
import { flag } from "../input/options.ts";
import { printRecord } from "../output/output.ts";

export const restoreDatabase = defineCommand({
  name: "db restore",
  summary: "Put a backup into the database, with the daemon stopped",
  description:
    "Puts a backup into the database of this configuration. The whole file is checked first; then everything happens at once, so that a restore which fails or is killed leaves what was there. A backup of an older version is brought up to this program. A daemon that runs, data that is there, and a backup that is newer than this program are conflicts (5), no such file is 3, a damaged file a failure (1).",
  arguments: { file: textArgument("A file that `homesec db backup` has written") },
  options: { yes: flag("Replace all data that is there") },
  examples: [
    { command: "homesec db restore /mnt/usb/homesec.backup", note: "into an empty database" },
    { command: "homesec --data-dir /tmp/rehearsal db restore /mnt/usb/homesec.backup", note: "somewhere else, to see whether it works" },
  ],
  endsOnSignal: true,
  prints: async () => (await import("./restore-view.ts")).restoreView,
  async run({ arguments: { file }, options: { yes } }, io) {
    const [{ restore }, { restoreView }, { restoredNotes }, { showing }, { progressLine }, { orEnded }] = await Promise.all([
      import("../../src/admin/backup/restore.ts"),
      import("./restore-view.ts"),
      import("./notes.ts"),
      import("./progress.ts"),
      import("../output/progress.ts"),
      import("./or-ended.ts"),
    ]);
    const { config } = await io.configuration();
    const { db, kind } = await io.ownDatabase();
    const { clock, signal } = io.host;
    const progress = await progressLine(io);
    const path = resolve(io.host.cwd, file);
    return await orEnded(signal, progress, async () => {
      const report = await restore({ db, path, replace: yes, alone: kind === "embedded", clock, signal, onProgress: showing(progress) });
      progress.clear();
      await printRecord(io.output, report, restoreView);
      for (const note of await restoredNotes(config, db, io.global)) io.output.note(note);
      return exitCodes.ok;
    });
  },
});
