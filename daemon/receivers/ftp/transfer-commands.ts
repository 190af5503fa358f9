import { randomUUID } from "node:crypto";
import type { Socket } from "node:net";
import type { KnownLogin } from "../../../src/monitoring/receivers/logins-repository.ts";
import { DeliveryRefused, type Upload } from "../inbox.ts";
import type { Answer } from "./commands.ts";
import type { DataChannel } from "./data-channel.ts";
import { TransferFault } from "./limits.ts";
import { listingText } from "./listing.ts";
import type { Reply, Session } from "./session.ts";
import { isTemporaryName, type SessionFile } from "./session-files.ts";
import { receiveFile, secured, sendText } from "./transfer.ts";
import { resolvePath, type VirtualPath } from "./virtual-path.ts";

/** The commands that use a data connection. */
export const transferCommands: Readonly<Record<string, Answer>> = {
  STOR: (session, argument) => store(session, argument),
  // A file is processed as soon as it is complete, so nothing can be added to it: the data are a separate file.
  APPE: (session, argument) => store(session, argument),
  STOU: (session, argument) => store(session, argument.trim() === "" ? `picture-${randomUUID().slice(0, 8)}` : argument, true),
  LIST: (session, argument) => list(session, "LIST", argument),
  NLST: (session, argument) => list(session, "NLST", argument),
  MLSD: (session, argument) => list(session, "MLSD", argument),
};

async function store(session: Session, argument: string, tellsName = false): Promise<Reply> {
  const path = resolvePath(session.folder, argument);
  const { login } = session;
  return await session.transfer(async (channel, signal): Promise<Reply> => {
    if (!path || path.length === 0 || argument.trim() === "" || !login) return [553, "The name of the file is missing, or it is too deep"];
    if (!channel) return [425, "Send PASV or EPSV first"];
    if (!session.parts.guard.mayDeliver(login)) {
      session.fault("Sent more files per minute than RECEIVER_FILES_PER_MINUTE allows; let the camera send fewer, or raise it");
      return [450, "Too many files; try later"];
    }
    try {
      const file = await storeFrom(session, {
        login,
        path,
        channel,
        signal,
        greeting: tellsName ? `FILE: ${path.at(-1)}` : "Send the file",
      });
      await session.files.add(path, file);
      return [226, file.bytes === 0 ? "The file is empty and was not stored" : "Stored"];
    } catch (error) {
      return refused(session, error);
    }
  });
}

interface Store {
  readonly login: KnownLogin;
  readonly path: VirtualPath;
  readonly channel: DataChannel;
  readonly signal: AbortSignal;
  readonly greeting: string;
}

/** Receives a file and puts it into the camera's folder, or on hold if its name is a temporary one. It is durable afterwards. */
async function storeFrom(session: Session, { login, path, channel, signal, greeting }: Store): Promise<SessionFile> {
  const { inbox, limits, logins } = session.parts;
  const upload = await inbox.begin(login);
  try {
    session.send([150, greeting]);
    const socket = await dataSocket(session, channel);
    await receiveFile(socket, upload, limits, signal);
    if (signal.aborted) throw new TransferFault(426, `The upload was aborted after ${upload.bytes} bytes`);
    const { bytes } = upload;
    if (bytes === 0) {
      session.fault(`Sent the file ${path.at(-1)} without content; look at the camera's picture settings`);
      await upload.discard();
      return { bytes, at: new Date() };
    }
    const stored = await finish(upload, path);
    logins.noteDelivered(login);
    return { bytes, at: new Date(), ...stored };
  } catch (error) {
    await upload.discard();
    throw error;
  }
}

async function finish(upload: Upload, path: VirtualPath): Promise<Pick<SessionFile, "held" | "storedAt">> {
  const name = path.at(-1) ?? "";
  const folders = path.slice(0, -1);
  return isTemporaryName(name) ? { held: await upload.hold(finalName(name), folders) } : { storedAt: await upload.finish(name, folders) };
}

/** Returns the name of a file whose temporary name was never changed: `porch.jpg` for `porch.jpg.tmp`. */
export function finalName(name: string): string {
  let final = name;
  while (isTemporaryName(final)) {
    const shorter = final.startsWith(".") ? final.slice(1) : final.replace(final.endsWith("~") ? /~+$/ : /\.[^.]*$/, "");
    if (shorter === final || shorter === "") return "picture";
    final = shorter;
  }
  return final;
}

/** Returns the data connection, encrypted if the client asked for that. */
async function dataSocket(session: Session, channel: DataChannel): Promise<Socket> {
  const socket = await channel.connect();
  if (!session.protectsData) return socket;
  const secureContext = session.parts.secureContext();
  if (!secureContext) throw new TransferFault(425, "TLS was switched off");
  try {
    return await secured(socket, secureContext, session.parts.limits.connectMs);
  } catch (error) {
    throw new TransferFault(425, `The TLS handshake of the data connection failed: ${(error as Error).message}`);
  }
}

async function list(session: Session, verb: "LIST" | "NLST" | "MLSD", argument: string): Promise<Reply> {
  // options such as -la are for programs that print for people
  const path = resolvePath(session.folder, argument.replace(/^(?:-\S+\s*)+/, ""));
  return await session.transfer(async (channel, signal): Promise<Reply> => {
    if (!channel) return [425, "Send PASV or EPSV first"];
    try {
      session.send([150, "Here is the listing"]);
      const socket = await dataSocket(session, channel);
      await sendText(socket, listingText(verb, path ? session.files.list(path, new Date()) : []), session.parts.limits, signal);
      return signal.aborted ? [426, "Aborted"] : [226, "Done"];
    } catch (error) {
      return refused(session, error);
    }
  });
}

/** Notes why something failed and returns the reply for it. A camera tries again later after a code that begins with 4. */
export function refused(session: Session, error: unknown): Reply {
  if (error instanceof TransferFault) {
    if (!error.isNoted) session.fault(error.message);
    return [error.code, "The data connection failed; see the faults in homesec"];
  }
  if (!(error instanceof DeliveryRefused)) throw error;
  session.fault(error.message);
  if (error.kind === "too_large") return [552, "The file is too large"];
  if (error.kind === "permanent") return [553, "This name cannot be used"];
  const { code } = (error.cause ?? {}) as NodeJS.ErrnoException;
  return code === "ENOSPC" || code === "EDQUOT" ? [452, "The disk is full; try later"] : [451, "The folder cannot be used now; try later"];
}
