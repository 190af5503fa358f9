import { resolve } from "node:path";
import type { RestoreReport } from "../../src/admin/backup/restore.ts";
import { rootsOf } from "../../src/monitoring/cameras/roots.ts";
import { defineCommand } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { textArgument } from "../input/arguments.ts";
import { flag, text } from "../input/options.ts";
import { printRecord } from "../output/output.ts";
import type { View } from "../output/view.ts";

const view: View<RestoreReport> = {
  plural: "restores",
  fields: () => ["path", "tables", "rows", "created_at", "version", "host", "camera_root", "held", "replaced", "left_out"],
  id: ({ path }) => path,
  columns: [],
  details: ({ path, tables, rows, created_at, version, host, camera_root, held, replaced, left_out }) => [
    ["restored", { text: path, paint: "bold" }],
    ["content", { text: `${rows} rows of ${tables} tables` }],
    ["created", { text: `${created_at.toISOString()}${host === null ? "" : ` on ${host}`}, by homesec ${version}` }],
    ...(camera_root === null ? [] : [["cameras", { text: `they were in ${camera_root}` }] as const]),
    ...(held === 0 ? [] : [["held", { text: `${held} outstanding messages` }] as const]),
    ...(left_out.length === 0 ? [] : [["skipped", { text: `${left_out.join(", ")}: not a table of homesec` }] as const]),
    ["before", { text: replaced ? "existing data was replaced" : "the database was empty" }],
  ],
};

export const restoreDatabase = defineCommand({
  name: "db restore",
  summary: "Restore the database from a backup, with the daemon stopped",
  description:
    "Restores a backup into the configured database, and migrates backups of older versions. homesec checks the whole file first and restores it in one transaction: if that fails, the previous data stays. On a terminal it shows what the backup is and what it replaces, and asks. Cameras below the CAMERA_ROOT of the backup get the same folders below the CAMERA_ROOT of this machine. Messages that were outstanding are held back as dead letters, and what was over before the restore raises no alerts, unless you add --send-outstanding. Exits with 5 if a daemon runs, if the database has data or if the backup is newer than this version, with 3 if the file does not exist, and with 1 if it is damaged.",
  arguments: { file: textArgument("Backup file written by `homesec db backup`") },
  options: {
    yes: flag("Replace all existing data without asking"),
    send_outstanding: flag("Send outstanding messages, and alerts about earlier events"),
    former_camera_root: text("folder", "CAMERA_ROOT of the backup (default: as it says)"),
  },
  examples: [
    { command: "homesec db restore /mnt/usb/homesec.backup", note: "asks first on a terminal" },
    { command: "homesec --data-dir /tmp/rehearsal db restore /mnt/usb/homesec.backup", note: "test a backup in another folder" },
  ],
  endsOnSignal: true,
  prints: () => view,
  async run({ arguments: { file }, options }, io) {
    const [{ restore }, { tellEvidenceKey }, { restoredNotes }, { withProgress }, { askBefore }] = await Promise.all([
      import("../../src/admin/backup/restore.ts"),
      import("../../src/platform/secrets/open-sealer.ts"),
      import("./notes.ts"),
      import("./with-progress.ts"),
      import("./ask-before-restore.ts"),
    ]);
    const { config } = await io.configuration();
    const { db, kind } = await io.ownDatabase();
    tellEvidenceKey({ db, keyPath: config.secretKeyPath });
    const { clock, signal } = io.host;
    const path = resolve(io.host.cwd, file);
    const { replace, outstanding } = await askBefore(io, db, { path, cameraRoot: config.cameraRoot, ...options });
    const formerRoot = options.former_camera_root && resolve(io.host.cwd, options.former_camera_root);
    const fitting = { roots: rootsOf(config), formerRoot, outstanding };
    return await withProgress(io, async (onProgress, clear) => {
      const report = await restore({ db, path, replace, alone: kind === "embedded", fitting, clock, signal, onProgress });
      clear();
      await printRecord(io.output, report, view);
      for (const note of await restoredNotes(config, db, report)) io.output.note(note);
      return exitCodes.ok;
    });
  },
});
