import { unlink } from "node:fs/promises";
import { isSideFile } from "../../../src/monitoring/images/picture.ts";
import { isGone } from "../../../src/platform/disk/files.ts";
import type { Answer } from "./commands.ts";
import { timeText } from "./listing.ts";
import type { Reply, Session } from "./session.ts";
import { isTemporaryName, type SessionFile } from "./session-files.ts";
import { refused } from "./transfer-commands.ts";
import { resolvePath, type VirtualPath } from "./virtual-path.ts";

const noFile: Reply = [550, "You uploaded no such file in this session"];

/** The commands about files that the camera uploaded in this session. */
export const fileCommands: Readonly<Record<string, Answer>> = {
  SIZE: (session, argument) => {
    const [, file] = find(session, argument);
    return file ? [213, String(file.bytes)] : noFile;
  },

  MDTM: (session, argument) => {
    const [, file] = find(session, argument);
    return file ? [213, timeText(file.at)] : noFile;
  },

  RNFR: (session, argument) => {
    const [path, file] = find(session, argument);
    if (!file) return noFile;
    session.renamed = path;
    return [350, "Send RNTO"];
  },

  RNTO: async (session, argument) => {
    const from = session.renamed;
    session.renamed = undefined;
    const to = resolvePath(session.folder, argument);
    const file = from && session.files.file(from);
    if (!from || !file) return [503, "Send RNFR first"];
    if (!to || to.length === 0) return [553, "The name is missing, or it is too deep"];
    try {
      return await moveTo(session, { from, to, file });
    } catch (error) {
      return refused(session, error);
    }
  },

  DELE: async (session, argument) => {
    const [path, file] = find(session, argument);
    if (!path || !file) return noFile;
    if (file.storedAt !== undefined) {
      if (!isSideFile(file.storedAt)) return [550, "Pictures stay: homesec is processing it"];
      await unlink(file.storedAt).catch((error: unknown) => {
        if (!isGone(error)) throw error;
      });
    }
    session.files.remove(path);
    await file.held?.discard();
    return [250, "Deleted"];
  },
};

function find(session: Session, argument: string): readonly [path: VirtualPath | undefined, file: SessionFile | undefined] {
  const path = resolvePath(session.folder, argument);
  return [path, path && session.files.file(path)];
}

interface Move {
  readonly from: VirtualPath;
  readonly to: VirtualPath;
  readonly file: SessionFile;
}

/**
 * Renames a file. One under a temporary name gets into the camera's folder now. One that is there already is renamed there: the ledger
 * recognises it as moved if it was processed before. A file that is gone from the folder counts as renamed, as a deleted one would be gone.
 */
async function moveTo(session: Session, { from, to, file }: Move): Promise<Reply> {
  const { files, login, parts } = session;
  const name = to.at(-1) ?? "";
  const folders = to.slice(0, -1);
  let after = file;
  if (!isTemporaryName(name) && login) {
    const { held, ...facts } = file;
    if (held) after = { ...facts, storedAt: await held.finish(name, folders) };
    else if (file.storedAt !== undefined) after = { ...file, storedAt: await parts.inbox.rename(login, file.storedAt, name, folders) };
  }
  files.remove(from);
  await files.add(to, after);
  return [250, "Renamed"];
}
