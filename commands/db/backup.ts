import { hostname } from "node:os";
import { resolve } from "node:path";
import type { BackupReport } from "../../src/admin/backup/backup.ts";
import { defineCommand } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { textArgument } from "../input/arguments.ts";
import { flag } from "../input/options.ts";
import { printRecord } from "../output/output.ts";
import { sizeText } from "../output/terminal-format.ts";
import type { View } from "../output/view.ts";

const view: View<BackupReport> = {
  plural: "backups",
  fields: () => ["path", "bytes", "tables", "rows", "created_at", "schema"],
  id: ({ path }) => path,
  columns: [],
  details: ({ path, bytes, tables, rows, created_at, schema }) => [
    ["backup", { text: path, paint: "bold" }],
    ["size", { text: sizeText(bytes) }],
    ["content", { text: `${rows} rows of ${tables} tables` }],
    ["created", { text: created_at.toISOString() }],
    ["schema", { text: schema }],
  ],
};

export const backUpDatabase = defineCommand({
  name: "db backup",
  summary: "Back up the database to one file, even while running",
  description:
    "Writes a consistent copy of all tables to one compressed file that only you can read. The daemon may run and is not slowed down. Pictures, thumbnails and the key file are not included. Exits with 5 if the file exists, with 1 if it cannot be written, and with 130 after Ctrl-C; then no file remains.",
  arguments: { file: textArgument("Backup file, such as homesec-2026-01-31.backup") },
  options: { yes: flag("Replace an existing file") },
  examples: [
    { command: "homesec db backup /mnt/usb/homesec.backup", note: "everything except pictures and the key file" },
    { command: "homesec db backup --yes /mnt/usb/homesec.backup", note: "replace the previous backup" },
  ],
  endsOnSignal: true,
  prints: () => view,
  async run({ arguments: { file }, options: { yes } }, io) {
    const [{ backUp }, { keyNote, pictureNote }, { withProgress }] = await Promise.all([
      import("../../src/admin/backup/backup.ts"),
      import("./notes.ts"),
      import("./with-progress.ts"),
    ]);
    const { config } = await io.configuration();
    const db = await io.database();
    const { clock, version, signal } = io.host;
    const path = resolve(io.host.cwd, file);
    return await withProgress(io, async (onProgress, clear) => {
      const report = await backUp({
        db,
        path,
        replace: yes,
        version,
        host: hostname(),
        cameraRoot: config.cameraRoot,
        clock,
        signal,
        onProgress,
      });
      clear();
      await printRecord(io.output, report, view);
      io.output.note(keyNote(config.secretKeyPath));
      io.output.note(pictureNote(config));
      return exitCodes.ok;
    });
  },
});
