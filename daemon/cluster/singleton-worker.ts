import { within } from "../../src/base/lifecycle/lifecycle.ts";
import type { Log } from "../../src/base/log/log.ts";
import type { Worker } from "../workers/loop.ts";
import type { Singletons } from "./singletons.ts";

/** Delay after a failed start. */
const retryMs = 1_000;
/** Time limit for a stop: a run may hang forever, and the next one must not wait for it. */
const stopTimeoutMs = 2_000;

/**
 * Wraps a worker so that it stands by until this daemon holds its singleton, runs while it does, and stops at once when it no longer does.
 * `holder` names the daemon that runs it, for the message on standby.
 */
export function singletonWorker(
  worker: Worker,
  options: { readonly singletons: Singletons; readonly holder: (name: string) => string | undefined; readonly log: Log },
): Worker {
  const { singletons, holder, log } = options;
  const { name } = worker;
  let isStarted = false;
  let isHeld = false;
  let running = false;
  let starting = false;
  let fault: string | null = null;
  let retry: NodeJS.Timeout | undefined;
  let changing: Promise<void> = Promise.resolve();

  const change = async (): Promise<void> => {
    const shouldRun = isStarted && isHeld;
    if (shouldRun === running) return;
    if (!shouldRun) {
      running = false;
      await within(stopTimeoutMs, () => worker.stop());
      return;
    }
    await worker.start();
    running = true;
    fault = null;
  };
  /** Starts or stops the wrapped worker as required, one change after the other. */
  const follow = (): Promise<void> => {
    const changed = changing.then(change);
    changing = changed.catch(() => {});
    return changed;
  };
  const followLater = (): void => {
    follow().catch((error: unknown) => {
      fault = error instanceof Error ? error.message : String(error);
      log.error({ worker: name, why: fault, retry_ms: retryMs }, "a singleton worker cannot start or stop; trying again");
      retry = setTimeout(followLater, retryMs);
    });
  };
  const setHeld = (now: boolean) => (): void => {
    isHeld = now;
    // A running start does this itself and sees the failure.
    if (!starting) followLater();
  };

  return {
    name,
    critical: worker.critical,
    stuckAfterMs: worker.stuckAfterMs,
    start: async () => {
      isStarted = true;
      starting = true;
      try {
        singletons.register(name, { gained: setHeld(true), lost: setHeld(false) });
        await follow();
      } finally {
        starting = false;
      }
      // Applies changes that came during the start.
      followLater();
    },
    stop: async () => {
      isStarted = false;
      clearTimeout(retry);
      try {
        await follow();
      } finally {
        isHeld = false;
        await singletons.withdraw(name);
      }
    },
    heartbeat: () => (running ? worker.heartbeat() : performance.now()),
    message: () => {
      if (running) return worker.message?.() ?? null;
      if (isHeld && fault !== null) return fault;
      const other = isHeld ? undefined : holder(name);
      return other === undefined ? "on standby" : `on standby: ${other} runs it`;
    },
  };
}
