import type { AddressInfo } from "node:net";
import { SMTPServer, type SMTPServerAuthentication, type SMTPServerDataStream, type SMTPServerSession } from "smtp-server";
import { createSemaphore } from "../../../src/base/async/semaphore.ts";
import { minuteMs } from "../../../src/base/clock/clock.ts";
import type { KnownLogin } from "../../../src/monitoring/receivers/logins-repository.ts";
import type { Config } from "../../../src/platform/config/config.ts";
import type { KeyPair } from "../../../src/platform/tls/key-pair.ts";
import type { Arrivals } from "../arrivals.ts";
import { clientOf, type Guard } from "../guard.ts";
import { DeliveryRefused, type Inbox } from "../inbox.ts";
import type { KnownLogins } from "../known-logins.ts";
import type { Receiver } from "../receivers.ts";
import { tlsFault } from "../tls-fault.ts";
import { MailDelivery, type MailOutcome } from "./deliver-mail.ts";
import { loginFor, usernameOf } from "./mailbox.ts";

/** Mails that are read at a time: each takes several times its size in memory. */
const mostAtOnce = 2;
/** A mail up to this size arrives without waiting for the others. */
const smallMail = 1024 * 1024;
const idleMs = minuteMs;
const mailMs = 5 * minuteMs;
/** A mail is larger than its files by the encoding. */
const encodingFactor = 1.4;

/** Dependencies of the mail receiver. */
export interface MailParts {
  readonly logins: KnownLogins;
  readonly inbox: Inbox;
  readonly guard: Guard;
  readonly arrivals: Arrivals;
  readonly config: Pick<Config, "receiverHost" | "mailPort" | "receiverMaxFileMb">;
  /** The certificate for STARTTLS; without one, it is not offered. */
  readonly keyPair: () => KeyPair | undefined;
  /** Time for a whole mail; tests shorten it. */
  readonly mailMs?: number;
}

/** A mail did not arrive whole in time. */
class TooSlow extends Error {}

/** An answer of the mail server. */
class Reply extends Error {
  readonly responseCode: number;

  constructor(code: number, message: string) {
    super(message);
    this.responseCode = code;
  }
}

/** Receives mails with pictures from cameras. It passes no mail on. */
export class MailReceiver implements Receiver {
  readonly protocol = "mail";
  readonly #parts: MailParts;
  readonly #delivery: MailDelivery;
  readonly #reading = createSemaphore({ max: mostAtOnce });
  readonly #releases = new Map<string, () => void>();
  readonly #running = new Set<Promise<unknown>>();
  #server: SMTPServer | undefined;
  #port: number | undefined;

  constructor(parts: MailParts) {
    this.#parts = parts;
    this.#delivery = new MailDelivery(parts);
  }

  async open(): Promise<void> {
    const { receiverHost: host, mailPort } = this.#parts.config;
    const server = this.#createServer();
    await new Promise<void>((resolve, reject) => {
      server.once("error", (error: NodeJS.ErrnoException) => reject(listenFault(error, host, mailPort)));
      server.listen(mailPort, host, resolve);
    });
    server.removeAllListeners("error");
    server.on("error", (error: Error & { remoteAddress?: string; remote?: string }) => this.#noteConnectionFault(error));
    this.#port = (server.server.address() as AddressInfo).port;
    this.#server = server;
  }

  async close(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (server) await new Promise<void>((resolve) => server.close(resolve));
    await Promise.allSettled(this.#running);
  }

  address(): { readonly host: string; readonly port: number } {
    const { receiverHost, mailPort } = this.#parts.config;
    return { host: receiverHost, port: this.#port ?? mailPort };
  }

  connections(): number {
    return this.#parts.guard.connections;
  }

  #createServer(): SMTPServer {
    const pair = this.#parts.keyPair();
    return new SMTPServer({
      ...(pair && { key: pair.key, cert: pair.cert }),
      ...{ name: "homesec", banner: "homesec receives pictures from cameras", logger: false, disableReverseLookup: true },
      ...{ authMethods: ["PLAIN", "LOGIN"], authOptional: true, allowInsecureAuth: true },
      disabledCommands: pair ? [] : ["STARTTLS"],
      ...{ size: this.#mostBytes, socketTimeout: idleMs, closeTimeout: 1_000 },
      onConnect: (session, done) => this.#settle(done, () => this.#admit(session)),
      onClose: (session) => this.#release(session),
      onAuth: (auth, session, done) => {
        this.#authenticate(auth, session).then(
          (user) => done(null, { user }),
          (error: Error) => done(error),
        );
      },
      onRcptTo: ({ address }, session, done) => this.#settle(done, () => this.#checkRecipient(address, session)),
      onData: (stream, session, done) => {
        const work = this.#receive(stream, session).then(
          (message) => (done as (error: null, message: string) => void)(null, message),
          (error: Error) => {
            stream.resume();
            done(error);
          },
        );
        this.#running.add(work);
        void work.finally(() => this.#running.delete(work));
      },
    });
  }

  get #mostBytes(): number {
    return Math.round(this.#parts.config.receiverMaxFileMb * 1_000_000 * encodingFactor);
  }

  #settle(done: (error?: Error | null) => void, work: () => Promise<void>): void {
    work().then(() => done(), done);
  }

  async #admit(session: SMTPServerSession): Promise<void> {
    const release = this.#parts.guard.admit(clientOf(session.remoteAddress));
    if (!release) throw new Reply(421, "Too many connections; try again later");
    this.#releases.set(session.id, release);
  }

  #release({ id }: SMTPServerSession): void {
    this.#releases.get(id)?.();
    this.#releases.delete(id);
  }

  async #authenticate({ username, password }: SMTPServerAuthentication, session: SMTPServerSession): Promise<string> {
    const { logins, guard } = this.#parts;
    const name = usernameOf(username);
    const login = logins.check("mail", name, password ?? "");
    if (login) {
      logins.noteConnected(login);
      return login.username;
    }
    const known = logins.find("mail", name);
    const message = known
      ? `Wrong password for user ${name}; enter the one that homesec showed, or create a new login`
      : `No camera has the user name ${JSON.stringify(name)} for mail; create a login, or correct the name`;
    const client = clientOf(session.remoteAddress);
    logins.noteFault({ protocol: "mail", login: known, username: name, client, message });
    await guard.wrongPassword(client);
    throw new Reply(535, `5.7.8 ${known ? "Wrong password" : "Unknown user"}`);
  }

  async #checkRecipient(address: string, session: SMTPServerSession): Promise<void> {
    const { logins, guard } = this.#parts;
    const found = loginFor(logins, address, this.#loggedIn(session));
    if ("cameraId" in found) {
      const before = this.#loginOf(session);
      if (before && before.cameraId !== found.cameraId) throw new Reply(452, "4.5.3 One camera per mail; send the others separately");
      if (!session.user) logins.noteConnected(found);
      return;
    }
    const client = clientOf(session.remoteAddress);
    const username = address.split(/[+@]/, 1)[0];
    const login = username === undefined ? undefined : logins.find("mail", username);
    logins.noteFault({ protocol: "mail", login, username, client, message: found.message });
    if (found.isGuess) await guard.wrongPassword(client);
    throw new Reply(found.code, found.message);
  }

  #loggedIn({ user }: SMTPServerSession): KnownLogin | undefined {
    return typeof user === "string" ? this.#parts.logins.find("mail", user) : undefined;
  }

  /** The login of the recipients that were accepted. */
  #loginOf(session: SMTPServerSession): KnownLogin | undefined {
    const [recipient] = session.envelope.rcptTo;
    if (!recipient) return undefined;
    const found = loginFor(this.#parts.logins, recipient.address, this.#loggedIn(session));
    return "cameraId" in found ? found : undefined;
  }

  async #receive(stream: SMTPServerDataStream, session: SMTPServerSession): Promise<string> {
    const { logins, guard } = this.#parts;
    const client = clientOf(session.remoteAddress);
    const login = this.#loginOf(session);
    if (!login) throw new Reply(535, "5.7.8 The password of the camera has changed; enter the new one");
    const refuse = (code: number, message: string): Reply => {
      logins.noteFault({ protocol: "mail", login, client, message });
      return new Reply(code, message);
    };
    if (!guard.mayDeliver(login)) throw refuse(450, "The camera sends too many mails per minute; see RECEIVER_FILES_PER_MINUTE");
    try {
      const outcome = await this.#readAndStore(stream, login, session);
      if (outcome === "too_large") {
        throw refuse(552, "The mail is too large; let the camera send smaller pictures, or raise RECEIVER_MAX_FILE_MB");
      }
      if (outcome.remark !== undefined) logins.noteFault({ protocol: "mail", login, client, message: outcome.remark });
      if (outcome.stored + outcome.known > 0) return answerTo(outcome);
      const message = "A mail arrived without a picture; switch on 'attach picture' or 'snapshot' in the camera";
      logins.noteFault({ protocol: "mail", login, client, message });
      return "2.0.0 The mail holds no picture";
    } catch (error) {
      if (error instanceof Reply) throw error;
      // 421 ends the connection; after another answer, a sender of a byte a second would keep it
      if (error instanceof TooSlow)
        throw refuse(421, "The mail took too long; look at the network of the camera, or let it send smaller pictures");
      if (!(error instanceof DeliveryRefused))
        throw refuse(451, `The mail could not be stored: ${String(error)}; the camera should try again`);
      throw refuse(error.kind === "temporary" ? 452 : error.kind === "too_large" ? 552 : 554, error.message);
    }
  }

  /** Reads a mail and stores its pictures. A large one is read only when its turn comes; until then the camera waits. */
  async #readAndStore(
    stream: SMTPServerDataStream,
    login: KnownLogin,
    { envelope: { mailFrom } }: SMTPServerSession,
  ): Promise<MailOutcome | "too_large"> {
    const chunks: Buffer[] = [];
    let bytes = 0;
    let release: (() => void) | undefined;
    const late = setTimeout(() => stream.destroy(new TooSlow()), this.#parts.mailMs ?? mailMs);
    try {
      for await (const chunk of stream as AsyncIterable<Buffer>) {
        bytes += chunk.length;
        if (bytes > smallMail) release ??= await this.#reading.take();
        if (bytes <= this.#mostBytes) chunks.push(chunk);
        else chunks.length = 0;
      }
      if (bytes > this.#mostBytes || stream.sizeExceeded) return "too_large";
      release ??= await this.#reading.take();
      const sender = mailFrom === false ? "" : mailFrom.address;
      return await this.#delivery.deliver(login, { bytes: Buffer.concat(chunks), sender });
    } finally {
      clearTimeout(late);
      release?.();
    }
  }

  /** Notes that a connection failed, if a person can do something about it. */
  #noteConnectionFault(error: Error & { readonly remoteAddress?: string; readonly remote?: string }): void {
    if (!/SSL|TLS|wrong version|unsupported protocol|handshake/i.test(error.message)) return;
    const client = clientOf(error.remoteAddress ?? error.remote);
    this.#parts.logins.noteFault({ protocol: "mail", client, message: tlsFault(error.message, "switch encryption off in the camera") });
  }
}

function answerTo({ stored, known }: MailOutcome): string {
  if (stored === 0) return "2.0.0 The camera delivered these pictures before";
  return `2.0.0 Stored ${stored} ${stored === 1 ? "picture" : "pictures"}${known > 0 ? `, ${known} delivered before` : ""}`;
}

function listenFault({ code, message }: NodeJS.ErrnoException, host: string, port: number): Error {
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: "is in use by another program; stop it, or choose another port with MAIL_PORT",
    EACCES: "needs more privileges than this user has; choose a port above 1023 with MAIL_PORT",
    EADDRNOTAVAIL: "is not an address of this machine; correct RECEIVER_HOST",
  };
  return new Error(`${host}:${port} ${reasons[code ?? ""] ?? `cannot be used: ${message}`}`);
}
