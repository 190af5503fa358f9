import type { Log } from "../../src/base/log/log.ts";
import type { Database } from "../../src/platform/database/database.ts";
import { notifyPeers, wakeChannel } from "../../src/work/jobs/wakes-repository.ts";

/** Equal signals within this time are sent once. */
const gatherMs = 10;

/** Signals from one daemon to the others on the same database. A lost signal costs time only. */
export interface Signals {
  /** Sends a signal to the other daemons within 10 ms. Does nothing before `start`. */
  send(signal: string): void;
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** Creates the signals. `onSignal` receives those of the other daemons, never this daemon's own. */
export function createSignals(options: {
  readonly db: Database;
  readonly ownId: string;
  readonly log: Log;
  readonly onSignal: (signal: string) => void;
}): Signals {
  const { db, ownId, log } = options;
  const waiting = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let unlisten: (() => Promise<void>) | undefined;

  const flush = (): void => {
    timer = undefined;
    const signals = [...waiting];
    waiting.clear();
    db.query((sql) => notifyPeers(sql, ownId, signals)).catch((error: unknown) =>
      log.debug({ error: String(error) }, "a signal did not reach the other daemons; they poll"),
    );
  };

  return {
    send: (signal) => {
      if (!unlisten) return;
      waiting.add(signal);
      timer ??= setTimeout(flush, gatherMs);
    },
    start: async () => {
      unlisten = await db.listen(wakeChannel, (payload) => {
        const [sender, signal = ""] = payload.split(" ");
        if (sender !== ownId) options.onSignal(signal);
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
