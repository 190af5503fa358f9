import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { Home } from "./home.ts";

/** The attacker has this many machines; each has its own rate limits. */
const machines = 6;

/** A machine of an attack: each attack has its own. */
export interface Machine {
  readonly attack: number;
  readonly machine?: number;
}

function addressOf({ attack, machine = 0 }: Machine): string {
  return `198.51.${attack}.${1 + (machine % machines)}`;
}

/** Opens a connection that reads nothing until it is closed with the signal. Its errors do not matter. */
export function deafConnection({ port }: Home, signal: AbortSignal): Socket {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {});
  socket.pause();
  const end = (): void => void socket.destroy();
  signal.addEventListener("abort", end);
  socket.once("close", () => signal.removeEventListener("abort", end));
  return socket;
}

/** The beginning of a request, up to the empty line. */
export function head(line: string, from: Machine, headers: Readonly<Record<string, string | number>> = {}): string {
  const all = { Host: "localhost", "X-Forwarded-For": addressOf(from), ...headers };
  const fields = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${line} HTTP/1.1\r\n${fields.join("")}\r\n`;
}

/** Sends a request and reads the answer, whatever it is; a signal can abort it. */
export async function request(home: Home, signal: AbortSignal, path: string, from: Machine, body?: string): Promise<void> {
  const headers = { "Content-Type": "application/json", "X-Forwarded-For": addressOf(from) };
  const init = body === undefined ? { headers, signal } : { method: "POST", headers, signal, body };
  const answered = fetch(`${home.url}${path}`, init).then((response) => response.text());
  await answered.catch(() => undefined);
}

/** A masked frame with a key of zeros, whose header claims `length` bytes. */
export function frame(opcode: number, payload: string, length = payload.length): Buffer {
  const start = Buffer.alloc(length < 126 ? 2 : length < 65_536 ? 4 : 10);
  start[0] = 0x80 | opcode;
  start[1] = 0x80 | (length < 126 ? length : length < 65_536 ? 126 : 127);
  if (start.length === 4) start.writeUInt16BE(length, 2);
  if (start.length === 10) start.writeBigUInt64BE(BigInt(length), 2);
  return Buffer.concat([start, Buffer.alloc(4), Buffer.from(payload)]);
}

/** WebSocket clients that send `bytes` every `everyMs` and read nothing. */
export interface DeafClients {
  readonly clients: number;
  readonly path: string;
  readonly attack: number;
  readonly bytes: Buffer;
  readonly everyMs: number;
}

/** Runs them until the signal aborts. A client that homesec disconnects is replaced by a new one. */
export async function deafClients(home: Home, signal: AbortSignal, { clients, path, attack, bytes, everyMs }: DeafClients): Promise<void> {
  const sockets: (Socket | undefined)[] = [];
  const upgrade = {
    Connection: "Upgrade",
    Upgrade: "websocket",
    "Sec-WebSocket-Version": 13,
    "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==",
  };
  for (let opened = 0; !signal.aborted; ) {
    for (let at = 0; at < clients; at += 1) {
      let socket = sockets[at];
      if (!socket || socket.closed) {
        socket = deafConnection(home, signal);
        socket.write(head(`GET ${path}`, { attack, machine: opened }, upgrade));
        opened += 1;
        sockets[at] = socket;
      }
      if (socket.writableLength < 1024 * 1024) socket.write(bytes);
    }
    await sleep(everyMs, undefined, { signal }).catch(() => undefined);
  }
}
