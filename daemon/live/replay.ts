import { createSemaphore } from "../../src/base/async/semaphore.ts";
import type { Database } from "../../src/platform/database/database.ts";
import { readAfter, readHead } from "../../src/work/journal/journal-repository.ts";
import type { Client } from "./client.ts";
import { type Follower, page } from "./follower.ts";
import { type Frame, journalFrame } from "./frame.ts";

/** Maximum number of concurrent page reads, however many clients reconnect at once: the pipeline needs the database too. */
const maxConcurrentReads = 2;
/** Maximum size of a page in bytes, unless its first message is larger: it stays in memory until the client has taken it. */
const pageBytes = 256 * 1024;

export interface Replay {
  /**
   * Brings a client from `since` to the present: it sends history page by page, each page once the connection has taken the previous one,
   * and then, in one step, sends the rest from memory and makes the client live. Calls `greet` before the first journal message, and after
   * `gap` if the history right after `since` is gone. Resolves to the number of replayed messages once the client is live or gone; rejects
   * if the database does not reply.
   */
  resume(client: Client, since: number, greet: () => void): Promise<number>;
}

/**
 * Splits ordered frames where a sequence is missing: journals of earlier versions have such holes. Returns at least one run, which may be
 * empty.
 */
function unbrokenRuns(frames: readonly Frame[]): Frame[][] {
  const runs: Frame[][] = [[]];
  for (const frame of frames) {
    const last = runs.at(-1)?.at(-1);
    if (last && frame.sequence > last.sequence + 1) runs.push([]);
    runs.at(-1)?.push(frame);
  }
  return runs;
}

/** Creates the replay. Few clients read at the same time; the others wait. */
export function createReplay(db: Database, follower: Follower): Replay {
  const readSlots = createSemaphore({ max: maxConcurrentReads });

  const resume: Replay["resume"] = async (client, since, greet) => {
    let position = await reachable(client, since);
    let replayed = 0;
    let greeted = false;
    let atOnce = page;
    const greetOnce = (): void => {
      if (!greeted) greet();
      greeted = true;
    };

    while (client.open) {
      // nothing is awaited from here to `goLive`, so no frame can arrive in between
      const rest = position >= follower.head ? [] : follower.recent.after(position);
      if (rest) {
        greetOnce();
        client.goLive(position);
        client.deliver(rest);
        return replayed + rest.length;
      }
      // the head before the read: rows numbered during the read are not gone
      const { head } = follower;
      const { frames, isCut } = await readPage(position, atOnce);
      // after long messages the next page reads little more than fits
      if (isCut) atOnce = 2 * frames.length;
      else if (frames.length === atOnce) atOnce = Math.min(page, 2 * atOnce);
      for (const run of unbrokenRuns(frames)) {
        const next = run[0]?.sequence ?? head + 1;
        if (next > position + 1) client.gap(position + 1, next - 1);
        greetOnce();
        replayed += await client.replay(run);
        position = run.at(-1)?.sequence ?? next - 1;
      }
    }
    return replayed;
  };

  const readPage = async (position: number, atOnce: number): Promise<{ readonly frames: readonly Frame[]; readonly isCut: boolean }> => {
    const rows = await readSlots.run(() => db.query((sql) => readAfter(sql, position, atOnce)));
    const frames = rows.map(journalFrame);
    let bytes = 0;
    const tooMany = frames.findIndex((frame, at) => {
      bytes += frame.bytes.length;
      return at > 0 && bytes > pageBytes;
    });
    return tooMany === -1 ? { frames, isCut: false } : { frames: frames.slice(0, tooMany), isCut: true };
  };

  /**
   * A client that is ahead of the journal has seen another journal, or this one before a restore. It gets a `gap` for the sequences that do
   * not exist here, and continues after the newest one.
   */
  const reachable = async (client: Client, since: number): Promise<number> => {
    if (since <= follower.head) return since;
    const head = await readSlots.run(() => db.query(readHead));
    if (since <= head) return since;
    client.gap(head + 1, since);
    return head;
  };

  return { resume };
}
