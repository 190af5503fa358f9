import type { ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Log } from "../../src/base/log/log.ts";
import { Problem } from "../../src/contract/problem.ts";
import { isDisconnect } from "./connection.ts";

/** Smaller replies fit into the buffers of the operating system and do not count. */
const smallReply = 64 * 1024;
/** Number of bytes to hand to the connection at once. */
const chunkBytes = 256 * 1024;
const mib = 1024 * 1024;
/** Most bytes of unread replies. A client that has taken nothing for `stalledAfterMs` makes way for other replies. */
const defaultLimits = { perClient: 16 * mib, inAll: 48 * mib, stalledAfterMs: 5_000 };

/** A reply in memory that its client has not read completely. */
interface Unsent {
  readonly client: string;
  readonly bytes: number;
  readonly response: ServerResponse;
  /** When the client last took a part, in milliseconds of `performance.now()`. */
  takenAt: number;
}

/** Sends replies from memory and limits the memory that unread ones take, per client and in all. */
export interface UnsentReplies {
  /**
   * Sends the body of a reply and resolves when it is sent or the client has disconnected. If there is no room for it, disconnects clients
   * that have stopped reading; if that is not enough, throws `Problem("unavailable")` before anything is sent.
   */
  send(client: string, response: ServerResponse, content: Buffer): Promise<void>;
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

  return {
    send: async (client, response, content) => {
      if (content.length > smallReply && !(makeRoom(content.length, perClient, client) && makeRoom(content.length, inAll))) {
        const unread = Math.round(bytesOf(client) / mib);
        throw new Problem("unavailable", `Too much is unread, ${unread} MiB of it yours; read the replies you asked for, then try again`);
      }
      response.setHeader("Content-Length", content.length);
      if (content.length <= smallReply || response.req.method === "HEAD") {
        response.end(content);
        return;
      }
      const reply: Unsent = { client, bytes: content.length, response, takenAt: performance.now() };
      replies.add(reply);
      try {
        await pipeline(Readable.from(partsOf(content, reply)), response);
      } catch (error) {
        if (!isDisconnect(error)) throw error;
      } finally {
        replies.delete(reply);
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
