import { channelCommands } from "./channel-commands.ts";
import type { Command } from "./command-lines.ts";
import { fileCommands } from "./file-commands.ts";
import { folderCommands } from "./folder-commands.ts";
import { loginCommands } from "./login-commands.ts";
import type { Reply, Session } from "./session.ts";
import { transferCommands } from "./transfer-commands.ts";

/** Answers a command. Without a reply, the command has sent its own. */
export type Answer = (session: Session, argument: string) => Promise<Reply | undefined> | Reply | undefined;

const noDownload: Reply = [550, "homesec receives pictures and sends none; use its web page to see them"];

const general: Readonly<Record<string, Answer>> = {
  NOOP: () => [200, "OK"],
  // a transfer that was running has ended before this command runs
  ABOR: () => [226, "No transfer is running"],
  SYST: () => [215, "UNIX Type: L8"],
  FEAT: ({ parts }) => [
    211,
    [
      "Features:",
      "UTF8",
      "EPSV",
      "EPRT",
      "SIZE",
      "MDTM",
      "MLST type*;size*;modify*;",
      ...(parts.secureContext() ? ["AUTH TLS", "PBSZ", "PROT"] : []),
      "End",
    ],
  ],
  OPTS: (_, argument) => (/^UTF-?8\b/i.test(argument) ? [200, "UTF-8 is always on"] : [501, "There is no such option"]),
  TYPE: (_, argument) => (/^(?:[AI]\b|L 8)/i.test(argument) ? [200, "Files are stored as they arrive"] : [504, "Use TYPE I"]),
  MODE: (_, argument) => (/^S$/i.test(argument) ? [200, "Stream mode"] : [504, "Use MODE S"]),
  STRU: (_, argument) => (/^F$/i.test(argument) ? [200, "File structure"] : [504, "Use STRU F"]),
  // Any other answer than 200 makes some cameras repeat it without end.
  ALLO: () => [200, "No space needs to be reserved"],
  REST: (_, argument) =>
    Number(argument) === 0 && argument !== ""
      ? [350, "Starting at the beginning"]
      : [501, "Uploads cannot be resumed; send the file from its beginning"],
  RETR: () => noDownload,
};

/** Commands under the names of early FTP. */
const aliases: Readonly<Record<string, string>> = { XMKD: "MKD", XPWD: "PWD", XCWD: "CWD", XCUP: "CDUP", XRMD: "RMD" };

/** Commands that need no login. */
const open = new Set(["USER", "PASS", "AUTH", "PBSZ", "PROT", "SYST", "FEAT", "OPTS", "NOOP", "QUIT", "ABOR"]);

const answers = new Map<string, Answer>(
  Object.entries({ ...general, ...loginCommands, ...channelCommands, ...folderCommands, ...fileCommands, ...transferCommands }),
);

/** Answers a command of a session. */
export function handle(session: Session, { verb, argument }: Command): Promise<Reply | undefined> | Reply | undefined {
  const name = aliases[verb] ?? verb;
  const answer = answers.get(name);
  if (!answer) return verb === "" ? [500, "This is no command"] : [502, `homesec does not know ${verb}`];
  if (!session.login && !open.has(name)) return [530, "Log in first"];
  if (session.login && !session.parts.logins.isCurrent(session.login)) return [530, "The login has changed; log in again"];
  if (name !== "RNTO") session.renamed = undefined;
  return answer(session, argument);
}
