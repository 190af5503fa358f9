import type { Socket } from "node:net";
import type { SecureContext } from "node:tls";
import type { Log } from "../../../src/base/log/log.ts";
import type { KnownLogin } from "../../../src/monitoring/receivers/logins-repository.ts";
import { clientOf } from "../guard.ts";
import type { Inbox } from "../inbox.ts";
import type { KnownLogins } from "../known-logins.ts";
import { tlsFault } from "../tls-fault.ts";
import { type Command, CommandLines } from "./command-lines.ts";
import type { DataChannel } from "./data-channel.ts";
import type { FtpLimits } from "./limits.ts";
import type { PassivePorts } from "./passive-ports.ts";
import { SessionFiles } from "./session-files.ts";
import { secured } from "./transfer.ts";
import type { VirtualPath } from "./virtual-path.ts";

/** A reply: its code and text. */
export type Reply = readonly [code: number, text: string | readonly string[]];

/** The receiver's part of a session. */
export interface SessionParts {
  readonly logins: KnownLogins;
  readonly inbox: Inbox;
  readonly guard: {
    mayDeliver(login: KnownLogin): boolean;
    wrongPassword(address: string): Promise<void>;
  };
  readonly ports: PassivePorts;
  /** The address in the reply to PASV, if it is configured. */
  readonly passiveHost: () => string | undefined;
  /** The certificate now in use; undefined without TLS. */
  readonly secureContext: () => SecureContext | undefined;
  readonly handle: (session: Session, command: Command) => Promise<Reply | undefined> | Reply | undefined;
  readonly limits: FtpLimits;
  readonly log: Log;
}

/** Commands that wait while another one runs; the client is not read from until they are fewer. */
const mostWaiting = 50;
/** Time for the last reply to leave. */
const lingerMs = 1_000;

/**
 * The connection of one client. Commands run one after the other, except ABOR, which ends the running transfer at once. The session ends
 * with QUIT, with the connection, after a time without a command, when its login changes, or when the receiver stops. All
 * acknowledged files are in the camera's folder afterwards, and nothing else.
 */
export class Session {
  readonly parts: SessionParts;
  readonly client: string;
  readonly files = new SessionFiles();
  /** The user name of the last USER. */
  username: string | undefined;
  login: KnownLogin | undefined;
  wrongPasswords = 0;
  folder: VirtualPath = [];
  /** The file that the next RNTO renames. */
  renamed: VirtualPath | undefined;
  /** Data connections are encrypted. */
  protectsData = false;
  isSecure = false;
  /** Resolves once the session has ended and its files are settled. */
  readonly done: Promise<void>;
  #socket: Socket;
  readonly #lines: CommandLines;
  #waiting: Command[] = [];
  #running: Promise<void> = Promise.resolve();
  #isRunning = false;
  #isEnding = false;
  #commandsBeforeLogin = 0;
  #channel: DataChannel | undefined;
  #transfer: AbortController | undefined;
  #wantsTls = false;
  #idle: NodeJS.Timeout | undefined;
  #settle: () => void = () => {};

  constructor(socket: Socket, parts: SessionParts) {
    this.parts = parts;
    this.client = clientOf(socket.remoteAddress);
    this.#socket = socket;
    this.#lines = new CommandLines(parts.limits.lineBytes);
    this.done = new Promise((resolve) => {
      this.#settle = resolve;
    });
  }

  /** The address on this machine that the client came to. */
  get localAddress(): string {
    return this.#socket.localAddress ?? "";
  }

  /** Greets the client. `isImplicit`: it begins with the TLS handshake. */
  async start(isImplicit: boolean): Promise<void> {
    this.#socket.setNoDelay(true);
    this.#socket.setKeepAlive(true, this.parts.limits.idleMs / 2);
    this.protectsData = isImplicit;
    if (isImplicit) await this.#secure();
    else this.#attach(this.#socket);
    this.#rest();
    this.send([220, "homesec accepts pictures from cameras"]);
  }

  /** Sends a reply. */
  send([code, text]: Reply): void {
    const lines = typeof text === "string" ? [text] : text;
    const last = lines.length - 1;
    const wire = lines
      .map((line, at) => (at === last ? `${code} ${line}\r\n` : at === 0 ? `${code}-${line}\r\n` : ` ${line}\r\n`))
      .join("");
    if (this.#socket.writable) this.#socket.write(wire);
  }

  /** Notes a fault for the camera's owner. */
  fault(message: string): void {
    const { login, username, client } = this;
    this.parts.logins.noteFault({ protocol: "ftp", login, username, client, message });
  }

  /** Replaces the channel of the next transfer. */
  setChannel(channel: DataChannel | undefined): void {
    this.#channel?.close();
    this.#channel = channel;
  }

  /** Runs a transfer over the channel, which serves one transfer only. The signal aborts with ABOR and when the session ends. */
  async transfer<T>(work: (channel: DataChannel | undefined, signal: AbortSignal) => Promise<T>): Promise<T> {
    const channel = this.#channel;
    const transfer = new AbortController();
    const close = (): void => channel?.close();
    transfer.signal.addEventListener("abort", close, { once: true });
    this.#transfer = transfer;
    try {
      return await work(channel, transfer.signal);
    } finally {
      this.#transfer = undefined;
      this.setChannel(undefined);
    }
  }

  /** Encrypts the control connection after the reply to the current command. */
  secureAfterReply(): void {
    this.#wantsTls = true;
  }

  /** Ends the session after a last reply. A running transfer is aborted. */
  end(reply?: Reply): void {
    if (this.#isEnding) return;
    if (reply) this.send(reply);
    this.#isEnding = true;
    this.#waiting = [];
    this.#transfer?.abort();
    this.#socket.end();
    setTimeout(() => this.#socket.destroy(), lingerMs).unref();
  }

  #attach(socket: Socket): void {
    socket.on("data", (chunk: Buffer) => this.#take(chunk));
    // a client may close its side and still read replies
    socket.on("end", () => void this.#drained().then(() => this.end()));
    socket.on("error", () => {});
    socket.once("close", () => void this.#finish());
    if (socket.destroyed) void this.#finish();
  }

  #take(chunk: Buffer): void {
    if (this.#isEnding) return;
    try {
      for (const command of this.#lines.push(chunk)) {
        if (command.verb === "ABOR") this.#transfer?.abort();
        this.#waiting.push(command);
      }
    } catch {
      this.end([500, "The command is too long"]);
      return;
    }
    if (this.#waiting.length > mostWaiting) this.#socket.pause();
    if (!this.#isRunning) this.#running = this.#drain();
  }

  async #drain(): Promise<void> {
    this.#isRunning = true;
    for (let command = this.#waiting.shift(); command; command = this.#waiting.shift()) {
      clearTimeout(this.#idle);
      await this.#run(command);
      if (this.#waiting.length <= mostWaiting) this.#socket.resume();
    }
    this.#isRunning = false;
    this.#rest();
  }

  async #run(command: Command): Promise<void> {
    const { limits, log } = this.parts;
    if (!this.login) this.#commandsBeforeLogin += 1;
    if (this.#commandsBeforeLogin > limits.commandsBeforeLogin) return this.end([421, "Too many commands before the login"]);
    try {
      const reply = await this.parts.handle(this, command);
      if (reply) this.send(reply);
      if (this.login) this.#commandsBeforeLogin = 0;
      if (this.#wantsTls) await this.#secure();
    } catch (error) {
      log.error({ client: this.client, verb: command.verb, error: String(error) }, "an FTP command failed");
      this.end([421, "The server failed; try again later"]);
    }
  }

  /** Waits for the commands that arrived. */
  async #drained(): Promise<void> {
    while (this.#isRunning) await this.#running;
  }

  async #secure(): Promise<void> {
    this.#wantsTls = false;
    const secureContext = this.parts.secureContext();
    if (!secureContext) return this.end();
    // Commands that came before the handshake are not from the encrypted connection: they may be injected.
    this.#waiting = [];
    this.#lines.clear();
    const plain = this.#socket;
    for (const event of ["data", "end", "close"]) plain.removeAllListeners(event);
    plain.on("error", () => {});
    try {
      this.#socket = await secured(plain, secureContext, this.parts.limits.connectMs);
      this.isSecure = true;
    } catch (error) {
      this.fault(tlsFault((error as Error).message, "use plain FTP"));
      plain.destroy();
    }
    this.#attach(this.#socket);
  }

  /** Waits for the next command. */
  #rest(): void {
    clearTimeout(this.#idle);
    if (this.#isRunning || this.#isEnding) return;
    this.#idle = setTimeout(() => this.end([421, "No command for too long; log in again"]), this.parts.limits.idleMs).unref();
  }

  /** Settles everything after the connection ended. */
  async #finish(): Promise<void> {
    this.#isEnding = true;
    clearTimeout(this.#idle);
    this.#waiting = [];
    this.#transfer?.abort();
    await this.#drained();
    this.setChannel(undefined);
    for (const error of await this.files.finishHeld()) {
      this.fault(
        `A picture under a temporary name could not be put into the folder: ${(error as Error).message}. homesec tries again later`,
      );
    }
    this.#settle();
  }
}
