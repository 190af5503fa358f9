import type { ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createSemaphore } from "../../src/base/async/semaphore.ts";
import { runInSlices, type Steps } from "../../src/base/async/slices.ts";
import type { Log } from "../../src/base/log/log.ts";
import { Problem } from "../../src/contract/problem.ts";
import { isDisconnect } from "./connection.ts";

/** Smaller replies fit into the buffers of the operating system and do not count. */
const smallReply = 64 * 1024;
/** Number of bytes to hand to the connection at once. */
const chunkBytes = 256 * 1024;
const mib = 1024 * 1024;
/** Most bytes of unread replies. A client that has taken nothing for `stalledAfterMs` makes way for other replies. */
const defaultLimits = { perClient: 16 * mib, inAll: 24 * mib, stalledAfterMs: 5_000 };

/** A reply that is serialised once there is room for it. */
export interface LongReply {
  /** Its length, approximately. */
  readonly bytes: number;
  /** Called once. Afterwards the reply no longer refers to what it was made of. */
  readonly serialize: () => Steps<Buffer>;
}

/** A reply in memory that its client has not read completely. */
interface Unsent {
  readonly client: string;
  bytes: number;
  readonly response: ServerResponse;
  /** When the client last took a part, in milliseconds of `performance.now()`. */
  takenAt: number;
}

/** Sends replies from memory and limits the memory that unread ones take, per client and in all. */
export interface UnsentReplies {
  /**
   * Sends the body of a reply and resolves when it is sent or the client has disconnected. If there is no room for it, disconnects clients
   * that have stopped reading; if that is not enough, throws `Problem("unavailable")` before anything is sent. Serialises one long reply at
   * a time.
   */
  send(client: string, response: ServerResponse, reply: Buffer | LongReply): Promise<void>;
}

/** Creates the limit of one daemon. */
export function createUnsentReplies(log: Log, { perClient, inAll, stalledAfterMs } = defaultLimits): UnsentReplies {
  /** The oldest first. */
  const replies = new Set<Unsent>();

  const bytesOf = (client?: string): number => {
    let sum = 0;
    for (const reply of replies) if (client === undefined || reply.client === client) sum += reply.bytes;
    return sum;
  };

  const isRoomFor = (bytes: number, most: number, client?: string): boolean => {
    const before = bytesOf(client);
    return before === 0 || before + bytes <= most;
  };

  /** Makes room by disconnecting stalled clients, the oldest reply first. */
  const makeRoom = (bytes: number, most: number, client?: string): boolean => {
    const stalledSince = performance.now() - stalledAfterMs;
    for (const reply of replies) {
      if (isRoomFor(bytes, most, client)) return true;
      if (reply.takenAt > stalledSince || (client !== undefined && reply.client !== client)) continue;
      log.info({ peer: reply.client, bytes: reply.bytes }, "disconnected a client that does not read its reply");
      replies.delete(reply);
      reply.response.destroy();
    }
    return isRoomFor(bytes, most, client);
  };

  const requireRoom = (bytes: number, client: string): void => {
    if (bytes <= smallReply || (makeRoom(bytes, perClient, client) && makeRoom(bytes, inAll))) return;
    const unread = Math.round(bytesOf(client) / mib);
    throw new Problem("unavailable", `Too much is unread, ${unread} MiB of it yours; read the replies you asked for, then try again`);
  };

  /** The length of a long reply was an estimate, which leaves out numbers and names. */
  const count = (unsent: Unsent, bytes: number): void => {
    replies.delete(unsent);
    requireRoom(bytes, unsent.client);
    unsent.bytes = bytes;
    if (bytes > smallReply) replies.add(unsent);
  };

  const serializing = createSemaphore({ max: 1 });
  const contentOf = (reply: Buffer | LongReply): Buffer | Promise<Buffer> =>
    Buffer.isBuffer(reply) ? reply : serializing.run(() => runInSlices(reply.serialize()));

  return {
    send: async (client, response, reply) => {
      const bytes = Buffer.isBuffer(reply) ? reply.length : reply.bytes;
      requireRoom(bytes, client);
      const unsent: Unsent = { client, bytes, response, takenAt: performance.now() };
      if (bytes > smallReply) replies.add(unsent);
      try {
        const content = await contentOf(reply);
        if (content.length !== bytes) count(unsent, content.length);
        unsent.takenAt = performance.now();
        response.setHeader("Content-Length", content.length);
        if (content.length <= smallReply || response.req.method === "HEAD") response.end(content);
        else await pipeline(Readable.from(partsOf(content, unsent)), response);
      } catch (error) {
        if (!isDisconnect(error)) throw error;
      } finally {
        replies.delete(unsent);
      }
    },
  };
}

function* partsOf(content: Buffer, reply: Unsent): Generator<Buffer> {
  for (let at = 0; at < content.length; at += chunkBytes) {
    yield content.subarray(at, at + chunkBytes);
    reply.takenAt = performance.now();
  }
}
