import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { createSecureContext, type SecureContext } from "node:tls";
import type { Log } from "../../../src/base/log/log.ts";
import type { Config } from "../../../src/platform/config/config.ts";
import type { KeyPair } from "../../../src/platform/tls/key-pair.ts";
import { clientOf, type Guard } from "../guard.ts";
import type { Inbox } from "../inbox.ts";
import type { KnownLogins } from "../known-logins.ts";
import type { Receiver } from "../receivers.ts";
import { handle } from "./commands.ts";
import { type FtpLimits, ftpLimits } from "./limits.ts";
import { PassivePorts } from "./passive-ports.ts";
import { Session, type SessionParts } from "./session.ts";

/**
 * A server of TLS 1.3 sends tickets behind the handshake. Clients that only write do not expect them, and Python's ftplib fails at the end
 * of a short listing.
 */
const maxVersion = "TLSv1.2";

export interface FtpOptions {
  readonly logins: KnownLogins;
  readonly inbox: Inbox;
  readonly guard: Guard;
  readonly config: Pick<Config, "receiverHost" | "receiverAddress" | "ftpPort" | "ftpsPort" | "ftpPassivePorts">;
  /** The certificate now in use; undefined without TLS. */
  readonly keyPair: () => KeyPair | undefined;
  readonly log: Log;
  readonly limits?: Partial<FtpLimits>;
}

/** The FTP server: it accepts uploads of cameras, and nothing else. */
export class FtpReceiver implements Receiver {
  readonly protocol = "ftp";
  readonly #options: FtpOptions;
  readonly #parts: SessionParts;
  readonly #sessions = new Set<Session>();
  #servers: Server[] = [];
  #port: number;
  #secure: { readonly pair: KeyPair; readonly context: SecureContext } | undefined;

  constructor(options: FtpOptions) {
    const { logins, inbox, guard, config, log } = options;
    this.#options = options;
    this.#port = config.ftpPort;
    this.#parts = {
      ...{ logins, inbox, guard, handle, log },
      ports: new PassivePorts(config.ftpPassivePorts),
      passiveHost: () => config.receiverAddress,
      secureContext: () => this.#secureContext(),
      limits: { ...ftpLimits, ...options.limits },
    };
    logins.onChange(() => {
      for (const session of this.#sessions) {
        if (session.login && !logins.isCurrent(session.login)) session.end([421, "The login has changed"]);
      }
    });
  }

  async open(): Promise<void> {
    const { config, keyPair, log } = this.#options;
    try {
      this.#port = await this.#listen(config.ftpPort, false);
      if (config.ftpsPort !== undefined && keyPair()) await this.#listen(config.ftpsPort, true);
      else if (config.ftpsPort !== undefined) log.warn({ port: config.ftpsPort }, "FTPS_PORT has no effect, because TLS_MODE is disabled");
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  async close(): Promise<void> {
    const servers = this.#servers.splice(0);
    for (const server of servers) server.close();
    for (const session of this.#sessions) session.end([421, "homesec stops; try later"]);
    await Promise.all([...this.#sessions].map((session) => session.done));
  }

  address(): { readonly host: string; readonly port: number } {
    return { host: this.#options.config.receiverHost, port: this.#port };
  }

  connections(): number {
    return this.#sessions.size;
  }

  async #listen(port: number, isImplicit: boolean): Promise<number> {
    const { receiverHost: host } = this.#options.config;
    const server = createServer({ allowHalfOpen: true }, (socket) => this.#accept(socket, isImplicit));
    server.listen({ host, port });
    try {
      await once(server, "listening");
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      const why = code === "EADDRINUSE" ? "another program uses it; stop that program, or set another port" : message;
      throw new Error(`The port ${port} of ${host} cannot be opened: ${why}`);
    }
    server.on("error", (error) => this.#options.log.warn({ error: String(error) }, "the FTP receiver could not accept a connection"));
    this.#servers.push(server);
    return (server.address() as AddressInfo).port;
  }

  #accept(socket: Socket, isImplicit: boolean): void {
    socket.on("error", () => {});
    const release = this.#options.guard.admit(clientOf(socket.remoteAddress));
    if (!release) {
      socket.end("421 Too many connections; try later\r\n");
      setTimeout(() => socket.destroy(), 1_000).unref();
      return;
    }
    const session = new Session(socket, this.#parts);
    this.#sessions.add(session);
    void session.done.then(() => {
      release();
      this.#sessions.delete(session);
    });
    session.start(isImplicit).catch((error: unknown) => {
      this.#options.log.error({ client: session.client, error: String(error) }, "an FTP session failed");
      socket.destroy();
    });
  }

  /** Returns the TLS context of the present certificate. */
  #secureContext(): SecureContext | undefined {
    const pair = this.#options.keyPair();
    if (!pair) return undefined;
    if (this.#secure?.pair.cert !== pair.cert) this.#secure = { pair, context: createSecureContext({ ...pair, maxVersion }) };
    return this.#secure?.context;
  }
}
