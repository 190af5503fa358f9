import type { Header } from "../../src/admin/backup/format.ts";
import { headerOf } from "../../src/admin/backup/restore.ts";
import { type Contents, contentsOf } from "../../src/admin/backup/tables-repository.ts";
import { pluralize } from "../../src/base/text/format.ts";
import { Problem } from "../../src/contract/problem.ts";
import type { Database } from "../../src/platform/database/database.ts";
import { canAsk, openDialogue } from "../input/dialogue.ts";
import type { Io } from "../io.ts";
import { ago, plain, type TerminalFormat } from "../output/terminal-format.ts";

/** What a person decided about a restore. */
export interface Decision {
  /** Whether existing data may be replaced. */
  readonly replace: boolean;
  readonly outstanding: "hold" | "send";
}

/**
 * On a terminal, shows the backup and what it replaces, and asks whether to restore it, and whether to send what was outstanding. Without
 * a terminal or with `--yes`, asks nothing. Throws `Problem`: `invalid` if the person declines, and the problems of `headerOf`.
 */
export async function askBefore(
  io: Io,
  db: Database,
  given: { readonly path: string; readonly cameraRoot: string; readonly yes: boolean; readonly send_outstanding: boolean },
): Promise<Decision> {
  const outstanding = given.send_outstanding ? "send" : "hold";
  if (given.yes || !canAsk(io.host)) return { replace: given.yes, outstanding };
  const header = await headerOf(given.path);
  const contents = await db.query(contentsOf);
  for (const line of describeRestore(header, contents, given, io.output.terminal)) io.output.note(line);
  const dialogue = openDialogue(io.host);
  try {
    if (!isYes(await dialogue.ask("Restore this backup? [y/N] "))) throw new Problem("invalid", "cancelled; nothing was changed");
    if (given.send_outstanding) return { replace: true, outstanding };
    const answer = await dialogue.ask("Send the messages that were outstanding then, and alerts about what has happened since? [y/N] ");
    return { replace: true, outstanding: isYes(answer) ? "send" : "hold" };
  } finally {
    dialogue.close();
  }
}

const isYes = (answer: string): boolean => /^y(es)?$/i.test(answer);

/** Returns what the backup is, where its cameras will be, and what it replaces, one line each. */
export function describeRestore(
  header: Pick<Header, "created_at" | "host" | "camera_root" | "version">,
  contents: Contents | undefined,
  { path, cameraRoot }: { readonly path: string; readonly cameraRoot: string },
  terminal: TerminalFormat,
): readonly string[] {
  const { created_at, host, camera_root, version } = header;
  const created = new Date(created_at);
  const from = host === undefined ? "" : ` on the machine ${plain(host)}`;
  const where = camera_root === undefined ? "" : `, with its cameras in ${plain(camera_root)}`;
  const lines = [`${plain(path)} was made ${ago(terminal, created)} (${created_at})${from} by homesec ${plain(version)}${where}.`];
  if (camera_root !== undefined && camera_root !== cameraRoot)
    lines.push(`Here the cameras are in ${cameraRoot}, in folders of the same names.`);
  if (!contents || contents.cameras + contents.events === 0) return [...lines, "The database here is empty."];
  const newest = contents.newestEventAt === null ? "" : `, the newest of ${ago(terminal, contents.newestEventAt)}`;
  const held = `${pluralize(contents.cameras, "camera")} and ${pluralize(contents.events, "event")}${newest}`;
  return [...lines, `It replaces all data here: ${held}.`];
}
