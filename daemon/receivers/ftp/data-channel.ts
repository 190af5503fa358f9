import { connect, createServer, type Server, type Socket } from "node:net";
import { clientOf } from "../guard.ts";
import { type FtpLimits, TransferFault } from "./limits.ts";
import type { PassivePorts } from "./passive-ports.ts";

/** A client that drops a passive connection sooner has not waited for it. */
const hastyMs = 2_000;

/** The way to the data connection of the next transfer. */
export interface DataChannel {
  /** Resolves to the connection. Throws `TransferFault` if it does not come. */
  connect(): Promise<Socket>;
  /** Ends the attempt. A connection that `connect` returned stays open. */
  close(): void;
}

/** The session's part of a passive channel. */
export interface PassiveOptions {
  /** The address of the control connection on this machine. */
  readonly host: string;
  /** The address in the reply to the client. */
  readonly address: string;
  /** The only address that may connect. */
  readonly client: string;
  readonly ports: PassivePorts;
  readonly limits: FtpLimits;
  /** Called with the reason if the connection has not come in time, or the session ended before it came. */
  readonly onFault: (message: string) => void;
}

/** A port that listens for one connection from the client. */
export class PassiveChannel implements DataChannel {
  readonly port: number;
  readonly #options: PassiveOptions;
  readonly #server: Server;
  readonly #arrival: Promise<Socket>;
  readonly #timer: NodeJS.Timeout;
  #resolve: (socket: Socket) => void = () => {};
  #reject: (fault: TransferFault) => void = () => {};
  #waiting: Socket | undefined;
  #state: "listening" | "arrived" | "closed" = "listening";
  readonly #openedAt = performance.now();

  private constructor(server: Server, port: number, options: PassiveOptions) {
    this.port = port;
    this.#options = options;
    this.#server = server;
    this.#arrival = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.#arrival.catch(() => {});
    server.on("connection", (socket) => this.#accept(socket));
    this.#timer = setTimeout(() => this.#fail(), options.limits.connectMs).unref();
  }

  /** Opens a port. Throws `TransferFault` if there is none. */
  static async open(options: PassiveOptions): Promise<PassiveChannel> {
    const server = createServer({ pauseOnConnect: true });
    const port = await options.ports.listen(server, options.host, options.limits.portMs);
    server.on("error", () => {});
    return new PassiveChannel(server, port, options);
  }

  connect(): Promise<Socket> {
    return this.#arrival.finally(() => {
      this.#waiting = undefined;
    });
  }

  close(): void {
    // a client that asks again at once, or only tries the login, has no problem
    if (this.#state === "listening" && performance.now() - this.#openedAt > hastyMs) this.#noteFault();
    this.#end("closed");
    this.#waiting?.destroy();
    this.#reject(new TransferFault(425, "The data connection was given up", true));
  }

  #accept(socket: Socket): void {
    socket.on("error", () => {});
    if (this.#state !== "listening" || clientOf(socket.remoteAddress) !== this.#options.client) {
      socket.destroy();
      return;
    }
    this.#end("arrived");
    this.#waiting = socket;
    this.#resolve(socket);
  }

  #fail(): void {
    const text = this.#noteFault();
    this.#end("closed");
    this.#reject(new TransferFault(425, text, true));
  }

  #end(state: "arrived" | "closed"): void {
    clearTimeout(this.#timer);
    if (this.#state === "listening") {
      this.#server.close();
      this.#options.ports.release(this.port);
    }
    this.#state = state;
  }

  #noteFault(): string {
    const { address, ports, onFault } = this.#options;
    const seconds = Math.round((performance.now() - this.#openedAt) / 1_000);
    const text = `Logged in and asked for a passive connection, but none came to ${address} port ${this.port} within ${seconds} s: a firewall or a container may block ${ports.text}`;
    onFault(text);
    return text;
  }
}

/** A port of the client to connect to. */
export class ActiveChannel implements DataChannel {
  readonly #target: { readonly client: string; readonly port: number; readonly limits: FtpLimits };
  #socket: Socket | undefined;

  constructor(target: { readonly client: string; readonly port: number; readonly limits: FtpLimits }) {
    this.#target = target;
  }

  connect(): Promise<Socket> {
    const { client, port, limits } = this.#target;
    const fault = (why: string) =>
      new TransferFault(425, `Asked for a connection to ${client} port ${port}, which failed: ${why}; let the camera use passive mode`);
    return new Promise((resolve, reject) => {
      const socket = connect({ host: client, port });
      this.#socket = socket;
      const timer = setTimeout(() => socket.destroy(new Error(`no answer within ${limits.connectMs / 1_000} s`)), limits.connectMs);
      socket.on("error", (error) => {
        clearTimeout(timer);
        reject(fault(error.message));
      });
      socket.once("connect", () => {
        clearTimeout(timer);
        this.#socket = undefined;
        socket.pause();
        resolve(socket);
      });
      socket.once("close", () => reject(fault("it was closed")));
    });
  }

  close(): void {
    this.#socket?.destroy();
  }
}
