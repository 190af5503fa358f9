import { pause } from "../../../base/lifecycle/pause.ts";
import type { Log } from "../../../base/log/log.ts";
import type { SocketAddress } from "../connection-target.ts";
import { type EmbeddedOptions, type EmbeddedPostgres, startEmbeddedPostgres } from "../embedded-postgres.ts";

const longestDelayMs = 5_000;
const steadyAfterMs = 60_000;

/** A server that is restarted at the same address whenever it ends unexpectedly. */
export interface SupervisedServer extends SocketAddress {
  stop(guestsMs?: number): Promise<void>;
}

/** Starts the server as `startEmbeddedPostgres` does, with the same errors, and keeps it running until `stop`. */
export async function superviseEmbeddedPostgres(options: EmbeddedOptions): Promise<SupervisedServer> {
  const { log } = options;
  const stopped = new AbortController();
  let server = await startEmbeddedPostgres(options);
  const { socketDir, port, user, database } = server;

  const keepRunning = async () => {
    let failures = 0;
    while (!stopped.signal.aborted) {
      const startedAt = performance.now();
      const how = await server.ended;
      if (stopped.signal.aborted) return;
      failures = performance.now() - startedAt > steadyAfterMs ? 0 : failures;
      log.error({ pid: server.pid, how }, "PostgreSQL ended unexpectedly; restarting it");
      for (let next: EmbeddedPostgres | undefined; !next && !stopped.signal.aborted; failures += 1) {
        await pause(failures === 0 ? 0 : Math.min(100 * 2 ** failures, longestDelayMs), stopped.signal);
        next = stopped.signal.aborted ? undefined : await tryStart(options, log);
        if (next) server = next;
      }
    }
  };
  const running = keepRunning().catch((error: unknown) => log.error({ err: error }, "PostgreSQL is no longer supervised"));

  return {
    socketDir,
    port,
    user,
    database,
    stop: async (guestsMs) => {
      stopped.abort();
      await server.stop(guestsMs);
      // A start in progress may have brought up another server
      await running;
      await server.stop();
    },
  };
}

async function tryStart(options: EmbeddedOptions, log: Log): Promise<EmbeddedPostgres | undefined> {
  try {
    return await startEmbeddedPostgres(options);
  } catch (error) {
    log.error({ err: error }, "PostgreSQL could not be restarted");
    return undefined;
  }
}
