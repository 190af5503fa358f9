import { rootsOf } from "../../src/monitoring/cameras/roots.ts";
import type { RecentEvents } from "../health/recent-events.ts";
import { clientAddressBehind } from "../http/client-address.ts";
import { createWrongKeys } from "../http/wrong-keys.ts";
import type { WorkerContext } from "../pipeline/worker-context.ts";
import type { Tls } from "../tls/tls.ts";
import type { Worker } from "../workers/loop.ts";
import { Arrivals } from "./arrivals.ts";
import { FtpReceiver } from "./ftp/ftp-receiver.ts";
import { Guard } from "./guard.ts";
import { Ingest } from "./http/ingest.ts";
import { createInbox, type Inbox } from "./inbox.ts";
import { KnownLogins } from "./known-logins.ts";
import { MailReceiver } from "./mail/mail-receiver.ts";
import { createMqttReceiver } from "./mqtt/mqtt-receiver.ts";
import { createReceivers, type Receiver, type Receivers } from "./receivers.ts";

/** What every receiver uses. Each has a dedicated guard. */
export interface ReceiverParts {
  readonly logins: KnownLogins;
  readonly inbox: Inbox;
  readonly guard: Guard;
}

/** Creates the receivers of this daemon and their workers. */
export function createAllReceivers(
  { context, peers, runtime }: WorkerContext,
  { tls, recentEvents }: { readonly tls: Pick<Tls, "pair"> | undefined; readonly recentEvents: Pick<RecentEvents, "setCondition"> },
): { readonly receivers: Receivers; readonly mqttReceiver: Worker } {
  const { db, clock, config } = context;
  const log = context.log.child({ part: "receivers" });
  const logins = new KnownLogins({ db, clock, log });
  const mostBytes = config.receiverMaxFileMb * 1_000_000;
  const inbox = createInbox({ roots: rootsOf(config), mostBytes, refusalOf: logins.refusalOf });
  const wrongPasswords = createWrongKeys({ clock, log, what: "camera password" });
  const parts = (): ReceiverParts => ({
    ...{ logins, inbox },
    guard: new Guard({
      ...{ mostConnections: config.receiverMaxConnections, filesPerMinute: config.receiverFilesPerMinute },
      wrongPasswords,
    }),
  });
  const arrivals = new Arrivals({ db, clock });
  const ingest = new Ingest({
    ...{ ...parts(), arrivals, mostBytes, clientAddress: clientAddressBehind(config.trustedProxyIps) },
    address: () => ({ host: config.host, port: portOf(runtime.url()) }),
  });
  const mail = new MailReceiver({ ...parts(), arrivals, config, keyPair: () => tls?.pair });
  const ftp = new FtpReceiver({ ...parts(), config, keyPair: () => tls?.pair, log });
  const receivers: readonly Receiver[] = [ftp, mail, ingest];
  return {
    receivers: {
      ...createReceivers({ logins, inbox, receivers, log, isAlone: () => peers.alone }),
      uploads: ingest.handle,
      wrongPasswords: wrongPasswords.total,
      onPictures: arrivals.registered,
    },
    mqttReceiver: createMqttReceiver({ ...parts(), arrivals, context, recentEvents }),
  };
}

function portOf(url: string): number {
  const { port, protocol } = new URL(url);
  return port === "" ? (protocol === "https:" ? 443 : 80) : Number(port);
}
