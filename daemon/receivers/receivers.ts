import type { IncomingMessage, ServerResponse } from "node:http";
import { minuteMs } from "../../src/base/clock/clock.ts";
import type { Log } from "../../src/base/log/log.ts";
import type { ReceiverProtocol } from "../../src/contract/constants.ts";
import type { ReceiverState } from "../../src/work/operations/runtime.ts";
import { createLoop, type Worker } from "../workers/loop.ts";
import type { Inbox } from "./inbox.ts";
import type { KnownLogins } from "./known-logins.ts";

/** A server for one protocol. */
export interface Receiver {
  readonly protocol: ReceiverProtocol;
  /** Listens. Rejects with a reason for a person if it cannot, as with a port that another program has. */
  open(): Promise<void>;
  /** Stops listening, ends its connections, and waits for deliveries that are being stored. */
  close(): Promise<void>;
  /** Where it listens or would listen. */
  address(): { readonly host: string; readonly port: number };
  connections(): number;
}

/** Answers a request, or passes it on. */
export type RequestStep = (request: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void) => void;

/** The receivers of this daemon as a worker. */
export interface Receivers extends Worker {
  states(): readonly ReceiverState[];
  /** Answers uploads over HTTP, on the address of the API. */
  readonly uploads: RequestStep;
  /** Number of wrong passwords of cameras since the start. */
  readonly wrongPasswords: () => number;
  /** Takes pictures that are in the ledger now. */
  readonly onPictures: (cameraId: string, paths: readonly string[]) => void;
}

/** Delay before another attempt to listen. */
const retryMs = 5_000;
/** Interval between searches for what interrupted uploads left. */
const cleanMs = 10 * minuteMs;

/** Creates the worker that opens each receiver while a camera has a login for it, and closes it afterwards. */
export function createReceivers(options: {
  readonly logins: KnownLogins;
  readonly inbox: Pick<Inbox, "removeLeftovers">;
  readonly receivers: readonly Receiver[];
  readonly log: Log;
  /** Tells whether no other daemon writes into the folders of the cameras. */
  readonly isAlone: () => boolean;
}): Pick<Receivers, keyof Worker | "states"> {
  const { logins, inbox, receivers, log } = options;
  const open = new Set<ReceiverProtocol>();
  const faults = new Map<ReceiverProtocol, string>();

  const settle = async (receiver: Receiver): Promise<void> => {
    const { protocol } = receiver;
    const isWanted = logins.count(protocol) > 0;
    if (isWanted === open.has(protocol)) return void (isWanted || faults.delete(protocol));
    if (!isWanted) {
      open.delete(protocol);
      await receiver.close();
      log.info({ protocol }, "a receiver stopped: no camera has a login for it");
      return;
    }
    try {
      await receiver.open();
      open.add(protocol);
      faults.delete(protocol);
      log.info({ protocol, ...receiver.address() }, "a receiver accepts pictures from cameras");
    } catch (error) {
      const fault = error instanceof Error ? error.message : String(error);
      if (faults.get(protocol) !== fault) log.error({ protocol, why: fault, retry_ms: retryMs }, "a receiver cannot listen; trying again");
      faults.set(protocol, fault);
    }
  };
  let cleanedAt = 0;
  const clean = async (all: boolean): Promise<void> => {
    cleanedAt = performance.now();
    for (const camera of logins.cameras()) {
      await inbox.removeLeftovers(camera, all).catch((error: unknown) => {
        log.debug({ camera: camera.cameraId, error: String(error) }, "leftovers of uploads could not be removed; trying again later");
      });
    }
  };
  const loop = createLoop({
    name: "receivers",
    critical: false,
    log,
    round: async () => {
      for (const receiver of receivers) await settle(receiver);
      if (performance.now() - cleanedAt > cleanMs) await clean(false);
      return faults.size > 0 ? retryMs : 60_000;
    },
    message: () => [...faults].map(([protocol, fault]) => `${protocol}: ${fault}`).join("; ") || null,
  });
  logins.onChange(() => loop.wake());

  return {
    ...loop,
    start: async () => {
      await logins.start();
      await clean(options.isAlone());
      await loop.start();
    },
    stop: async () => {
      await loop.stop();
      const closing = receivers.filter(({ protocol }) => open.delete(protocol));
      await Promise.all(closing.map((receiver) => receiver.close()));
      await logins.stop();
    },
    states: () =>
      receivers.map((receiver) => {
        const { protocol } = receiver;
        const fault = faults.get(protocol) ?? null;
        const state = fault !== null ? "failed" : open.has(protocol) ? "listening" : "off";
        return { protocol, state, ...receiver.address(), fault, connections: receiver.connections(), login_count: logins.count(protocol) };
      }),
  };
}
