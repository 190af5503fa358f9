import { createSemaphore } from "../../src/base/async/semaphore.ts";
import type { Database } from "../../src/platform/database/database.ts";
import { type PublishedRow, readAfter, readHead } from "../../src/work/journal/journal-repository.ts";
import type { Client } from "./client.ts";
import { type Follower, page } from "./follower.ts";
import { journalFrame } from "./frame.ts";

/** Maximum number of concurrent page reads, however many clients reconnect at once: the pipeline needs the database too. */
const maxConcurrentReads = 2;

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
 * Splits ordered rows where a sequence is missing: journals of earlier versions have such holes. Returns at least one run, which may be
 * empty.
 */
function unbrokenRuns(rows: readonly PublishedRow[]): PublishedRow[][] {
  const runs: PublishedRow[][] = [[]];
  for (const row of rows) {
    const last = runs.at(-1)?.at(-1);
    if (last && row.sequence > last.sequence + 1) runs.push([]);
    runs.at(-1)?.push(row);
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
        client.deliver(rest, Buffer.concat(rest.map((frame) => frame.bytes)));
        return replayed + rest.length;
      }
      // the head before the read: rows numbered during the read are not gone
      const { head } = follower;
      const rows = await readSlots.run(() => db.query((sql) => readAfter(sql, position, page)));
      for (const run of unbrokenRuns(rows)) {
        const next = run[0]?.sequence ?? head + 1;
        if (next > position + 1) client.gap(position + 1, next - 1);
        greetOnce();
        replayed += await client.replay(run.map(journalFrame));
        position = run.at(-1)?.sequence ?? next - 1;
      }
    }
    return replayed;
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
