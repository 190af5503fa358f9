import { resolve } from "node:path";
import { defineCommand } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { textArgument } from "../input/arguments.ts";
import { flag } from "../input/options.ts";
import { printRecord } from "../output/output.ts";

export const backUpDatabase = defineCommand({
  name: "db backup",
  summary: "Write all tables into one file, also while the daemon runs",
  description:
    "Writes all tables, as they are at one moment, into one compressed file. The daemon may run or not, and is not held up. The file is there when it is complete, readable for you alone. Pictures, thumbnails and the key file are not in it. A file that is there already is a conflict (5), one that cannot be written a failure (1); with Ctrl-C nothing is left (130).",
  arguments: { file: textArgument("Where it goes, such as homesec-2026-01-31.backup") },
  options: { yes: flag("Replace a file that is there") },
  examples: [
    { command: "homesec db backup /mnt/usb/homesec.backup", note: "everything but pictures and the key file" },
    { command: "homesec db backup --yes /mnt/usb/homesec.backup", note: "the same again, in its place" },
  ],
  endsOnSignal: true,
  prints: async () => (await import("./backup-view.ts")).backupView,
  async run({ arguments: { file }, options: { yes } }, io) {
    const [{ backUp }, { backupView }, { keyNote, pictureNote }, { showing }, { progressLine }, { orEnded }] = await Promise.all([
      import("../../src/admin/backup/backup.ts"),
      import("./backup-view.ts"),
      import("./notes.ts"),
      import("./progress.ts"),
      import("../output/progress.ts"),
      import("./or-ended.ts"),
    ]);
    const { config } = await io.configuration();
    const db = await io.database();
    const { clock, version, signal } = io.host;
    const progress = await progressLine(io);
    const path = resolve(io.host.cwd, file);
    return await orEnded(signal, progress, async () => {
      const report = await backUp({ db, path, replace: yes, version, clock, signal, onProgress: showing(progress) });
      progress.clear();
      await printRecord(io.output, report, backupView);
      io.output.note(keyNote(config.secretKeyPath));
      io.output.note(pictureNote(config));
      return exitCodes.ok;
    });
  },
});
