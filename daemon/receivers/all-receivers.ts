import { rootsOf } from "../../src/monitoring/cameras/roots.ts";
import { createWrongKeys } from "../http/wrong-keys.ts";
import type { WorkerContext } from "../pipeline/worker-context.ts";
import type { Tls } from "../tls/tls.ts";
import { FtpReceiver } from "./ftp/ftp-receiver.ts";
import { Guard } from "./guard.ts";
import { createInbox, type Inbox } from "./inbox.ts";
import { KnownLogins } from "./known-logins.ts";
import { createReceivers, type Receiver, type Receivers } from "./receivers.ts";

/** What every receiver uses. Each has a guard of its own. */
export interface ReceiverParts {
  readonly logins: KnownLogins;
  readonly inbox: Inbox;
  readonly guard: Guard;
}

/** Creates the receivers of this daemon and their worker. */
export function createAllReceivers({ context, peers }: WorkerContext, tls: Pick<Tls, "pair"> | undefined): Receivers {
  const { db, clock, config } = context;
  const log = context.log.child({ part: "receivers" });
  const logins = new KnownLogins({ db, clock, log });
  const inbox = createInbox({ roots: rootsOf(config), mostBytes: config.receiverMaxFileMb * 1_000_000 });
  const wrongPasswords = createWrongKeys({ clock, log, what: "camera password" });
  const parts = (): ReceiverParts => ({
    ...{ logins, inbox },
    guard: new Guard({
      ...{ mostConnections: config.receiverMaxConnections, filesPerMinute: config.receiverFilesPerMinute },
      wrongPasswords,
    }),
  });
  const receivers: readonly Receiver[] = [new FtpReceiver({ ...parts(), config, keyPair: () => tls?.pair, log })];
  return createReceivers({ logins, inbox, receivers, log, isAlone: () => peers.alone });
}
