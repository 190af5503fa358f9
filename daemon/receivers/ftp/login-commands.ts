import type { Answer } from "./commands.ts";
import type { Reply, Session } from "./session.ts";

const noTls: Reply = [502, "TLS is off here; set TLS_MODE in the configuration of homesec, or let the camera use plain FTP"];

/** The commands for logging in, encryption, and the end. */
export const loginCommands: Readonly<Record<string, Answer>> = {
  USER: (session, argument) => {
    if (argument === "") return [501, "The user name is missing"];
    session.username = argument;
    session.login = undefined;
    return [331, "Password, please"];
  },

  PASS: async (session, argument) => {
    const { logins, guard, limits } = session.parts;
    const { username } = session;
    if (username === undefined) return [503, "Send USER first"];
    const login = logins.check("ftp", username, argument);
    if (login) {
      session.login = login;
      session.wrongPasswords = 0;
      logins.noteConnected(login);
      return [230, "Logged in"];
    }
    noteWrongLogin(session, username);
    session.wrongPasswords += 1;
    await guard.wrongPassword(session.client);
    if (session.wrongPasswords < limits.wrongPasswords) return [530, "User name or password is wrong"];
    session.end([421, "User name or password is wrong"]);
    return undefined;
  },

  AUTH: (session, argument) => {
    if (!session.parts.secureContext()) return noTls;
    if (session.isSecure) return [503, "The connection is encrypted already"];
    if (!/^(?:TLS|TLS-C|SSL|TLS-P)$/i.test(argument)) return [504, "Use AUTH TLS"];
    session.secureAfterReply();
    return [234, "Begin the handshake"];
  },

  PBSZ: (session) => (session.isSecure ? [200, "PBSZ=0"] : [503, "Send AUTH TLS first"]),

  PROT: (session, argument) => {
    if (!session.isSecure) return [503, "Send AUTH TLS first"];
    if (!/^[PC]$/i.test(argument)) return [536, "Use PROT P or PROT C"];
    session.protectsData = /^P$/i.test(argument);
    return [200, session.protectsData ? "Data connections are encrypted" : "Data connections are not encrypted"];
  },

  QUIT: (session) => {
    session.end([221, "Goodbye"]);
    return undefined;
  },
};

function noteWrongLogin(session: Session, username: string): void {
  const login = session.parts.logins.find("ftp", username);
  const message = login ? `Wrong password for user ${username}` : `Unknown user ${username}: no camera has this FTP login`;
  session.parts.logins.noteFault({ protocol: "ftp", login, username, client: session.client, message });
}
