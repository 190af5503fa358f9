import { once } from "node:events";
import { connect, type Socket } from "node:net";

/** A control connection to an FTP server, for dialogues as cameras have them. */
export class FtpClient {
  readonly socket: Socket;
  readonly #port: number;
  #received = "";
  #waiting: (() => void)[] = [];
  #isClosed = false;

  constructor(port: number, localAddress = "127.0.0.1") {
    this.#port = port;
    this.socket = connect({ port, host: "127.0.0.1", localAddress });
    this.socket.on("error", () => {});
    this.socket.on("data", (chunk: Buffer) => {
      this.#received += chunk.toString();
      for (const wake of this.#waiting.splice(0)) wake();
    });
    this.socket.once("close", () => {
      this.#isClosed = true;
      for (const wake of this.#waiting.splice(0)) wake();
    });
  }

  /** Resolves to the next reply, all its lines; to "closed" if the connection ends before. */
  async reply(): Promise<string> {
    for (;;) {
      const end = /^\d{3} .*\r\n/m.exec(this.#received);
      if (end) {
        const length = end.index + end[0].length;
        const reply = this.#received.slice(0, length).trimEnd();
        this.#received = this.#received.slice(length);
        return reply;
      }
      if (this.#isClosed) return "closed";
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  /** Sends a command and resolves to its reply. */
  async ask(command: string, encoding: BufferEncoding = "utf8"): Promise<string> {
    this.socket.write(`${command}\r\n`, encoding);
    return await this.reply();
  }

  /** Reads the greeting and logs in. */
  async login(username: string, password: string): Promise<this> {
    await this.reply();
    await this.ask(`USER ${username}`);
    const reply = await this.ask(`PASS ${password}`);
    if (!reply.startsWith("230")) throw new Error(reply);
    return this;
  }

  /** Opens a data connection with PASV or EPSV. */
  async passive(verb: "PASV" | "EPSV" = "PASV"): Promise<Socket> {
    const reply = await this.ask(verb);
    const [high, low] = /(\d+),(\d+)\)/.exec(reply)?.slice(1).map(Number) ?? [];
    const port = /\|(\d+)\|\)/.exec(reply)?.[1] ?? (high ?? 0) * 256 + (low ?? 0);
    const socket = connect({ port: Number(port), host: "127.0.0.1", localAddress: this.socket.localAddress });
    socket.on("error", () => {});
    await once(socket, "connect");
    return socket;
  }

  /** Uploads a file and resolves to the last reply. */
  async upload(command: string, bytes: Uint8Array, verb: "PASV" | "EPSV" = "PASV", encoding: BufferEncoding = "utf8"): Promise<string> {
    const data = await this.passive(verb);
    const first = await this.ask(command, encoding);
    if (!first.startsWith("150")) {
      data.destroy();
      return first;
    }
    data.end(bytes);
    return await this.reply();
  }

  /** Asks for a listing and resolves to its text. */
  async list(command: string): Promise<string> {
    const data = await this.passive("EPSV");
    let text = "";
    data.on("data", (chunk: Buffer) => {
      text += chunk.toString();
    });
    const closed = once(data, "close");
    await this.ask(command);
    await Promise.all([this.reply(), closed]);
    return text;
  }

  get port(): number {
    return this.#port;
  }

  close(): void {
    this.socket.destroy();
  }
}
