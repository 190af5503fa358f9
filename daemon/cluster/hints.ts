import type { Log } from "../../src/base/log/log.ts";
import type { Database } from "../../src/platform/database/database.ts";
import { notifyPeers, wakeChannel } from "../../src/work/jobs/wakes-repository.ts";

/** What is told again and again is told once in so long. */
const gatherMs = 10;

/** Hints from one daemon to the others. Like all hints they may be lost, which costs time only. */
export interface Hints {
  /** Tells the others, soon; the same hint several times at once is one. */
  tell(hint: string): void;
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** Makes the hints. `onHint` is told what the others say, not what this daemon says itself. */
export function createHints(options: {
  readonly db: Database;
  readonly ownId: string;
  readonly log: Log;
  readonly onHint: (hint: string) => void;
}): Hints {
  const { db, ownId, log } = options;
  const waiting = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let unlisten: (() => Promise<void>) | undefined;

  const send = (): void => {
    timer = undefined;
    const hints = [...waiting];
    waiting.clear();
    db.query((sql) => notifyPeers(sql, ownId, hints)).catch((error: unknown) =>
      log.debug({ error: String(error) }, "a hint did not get to the other daemons; they look for themselves"),
    );
  };

  return {
    tell: (hint) => {
      if (!unlisten) return;
      waiting.add(hint);
      timer ??= setTimeout(send, gatherMs);
    },
    start: async () => {
      unlisten = await db.listen(wakeChannel, (payload) => {
        const [sender, hint = ""] = payload.split(" ");
        if (sender !== ownId) options.onHint(hint);
      });
    },
    stop: async () => {
      clearTimeout(timer);
      const end = unlisten;
      unlisten = undefined;
      await end?.();
    },
  };
}
