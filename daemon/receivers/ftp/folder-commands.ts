import type { Answer } from "./commands.ts";
import type { Reply, Session } from "./session.ts";
import { pathText, quoted, resolvePath } from "./virtual-path.ts";

const noFolder: Reply = [550, "There is no such folder; create it with MKD"];

/** The commands about folders. A folder is made on the disk with its first file. */
export const folderCommands: Readonly<Record<string, Answer>> = {
  PWD: ({ folder }) => [257, `${quoted(folder)} is the current folder`],
  CWD: (session, argument) => changeFolder(session, argument),
  CDUP: (session) => changeFolder(session, ".."),

  MKD: (session, argument) => {
    const path = resolvePath(session.folder, argument);
    if (!path || argument.trim() === "") return [553, "The name of the folder is missing, or it is too deep"];
    session.files.addFolder(path);
    return [257, `${quoted(path)} is ready`];
  },

  RMD: (session, argument) => {
    const path = resolvePath(session.folder, argument);
    return path && session.files.removeFolder(path) ? [250, "Removed"] : [550, "Only folders that you made in this session can be removed"];
  },
};

async function changeFolder(session: Session, argument: string): Promise<Reply> {
  const { login, files, parts } = session;
  const path = resolvePath(session.folder, argument);
  if (!path || !login) return noFolder;
  if (!files.hasFolder(path) && !(await parts.inbox.hasFolder(login, path))) return noFolder;
  files.addFolder(path);
  session.folder = path;
  return [250, `${pathText(path)} is the current folder`];
}
