import { execFileSync } from "node:child_process";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Home } from "./home.ts";

/** An attack, repeated until the signal aborts. */
export interface Attack {
  readonly name: string;
  readonly run: (home: Home, signal: AbortSignal) => Promise<void>;
}

const mib = 1024 * 1024;

/** The attacker has this many machines; each has its own rate limits. */
const machines = 6;
const addressOf = (machine: number, attack: number): string => `198.51.${attack}.${1 + (machine % machines)}`;

/** Opens a connection that reads nothing until it is closed with the signal. Its errors do not matter. */
function deafConnection({ port }: Home, signal: AbortSignal): Socket {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {});
  socket.pause();
  const end = (): void => void socket.destroy();
  signal.addEventListener("abort", end);
  socket.once("close", () => signal.removeEventListener("abort", end));
  return socket;
}

const upgrade = (path: string, address: string): string =>
  `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nX-Forwarded-For: ${address}\r\n` +
  `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${Buffer.alloc(16).toString("base64")}\r\n\r\n`;

/** A masked frame with a key of zeros, whose header claims `length` bytes. */
function frame(opcode: number, payload: string, length = payload.length): Buffer {
  const head = Buffer.alloc(length < 126 ? 2 : length < 65_536 ? 4 : 10);
  head[0] = 0x80 | opcode;
  head[1] = 0x80 | (length < 126 ? length : length < 65_536 ? 126 : 127);
  if (head.length === 4) head.writeUInt16BE(length, 2);
  if (head.length === 10) head.writeBigUInt64BE(BigInt(length), 2);
  return Buffer.concat([head, Buffer.alloc(4), Buffer.from(payload)]);
}

/** Opens this many WebSocket clients, which send `bytes` every `everyMs` and read nothing, and opens a new one for each that is closed. */
async function deafClients(
  home: Home,
  signal: AbortSignal,
  { clients, path, attack, bytes, everyMs }: { clients: number; path: string; attack: number; bytes: Buffer; everyMs: number },
): Promise<void> {
  const sockets: (Socket | undefined)[] = [];
  for (let opened = 0; !signal.aborted; ) {
    for (let at = 0; at < clients; at += 1) {
      let socket = sockets[at];
      if (!socket || socket.closed) {
        socket = deafConnection(home, signal);
        socket.write(upgrade(path, addressOf(opened, attack)));
        opened += 1;
        sockets[at] = socket;
      }
      if (socket.writableLength < mib) socket.write(bytes);
    }
    await sleep(everyMs);
  }
}

/** Sends a request and ignores the answer. */
async function request(home: Home, path: string, { attack, machine = 0, body }: { attack: number; machine?: number; body?: string }) {
  const headers = { "Content-Type": "application/json", "X-Forwarded-For": addressOf(machine, attack) };
  const asked = fetch(`${home.url}${path}`, body === undefined ? { headers } : { method: "POST", headers, body });
  await asked.then((response) => response.text()).catch(() => "");
}

const ping = frame(1, '{"type":"ping"}');

const alertsOfEightMegabytes = (): string => {
  const alert = (n: number): string =>
    `{"status":"firing","labels":{"alertname":"Flood","severity":"critical","n":"${n}"},"annotations":{"summary":"Flood ${n}",` +
    `"description":"${"The disk is nearly full. ".repeat(5)}"},"startsAt":"2026-11-21T05:00:13.790Z","fingerprint":"${n}-${Math.random()}"}`;
  const alerts = Array.from({ length: 25_000 }, (_, n) => alert(n)).join(",");
  const shared = '"groupLabels":{},"commonLabels":{},"commonAnnotations":{},"externalURL":"http://alertmanager.example"';
  return `{"version":"4","groupKey":"{}","status":"firing","receiver":"homesec",${shared},"alerts":[${alerts}]}`;
};

export const attacks: readonly Attack[] = [
  {
    name: "20 WebSocket clients that ping as fast as they can and never read",
    run: (home, signal) =>
      deafClients(home, signal, { clients: 20, path: "/ws", attack: 1, bytes: Buffer.concat(Array(500).fill(ping)), everyMs: 20 }),
  },
  {
    name: "40 WebSocket clients that ping 15 times a second and never read",
    run: (home, signal) => deafClients(home, signal, { clients: 40, path: "/ws", attack: 2, bytes: ping, everyMs: 66 }),
  },
  {
    name: "40 WebSocket clients that ask for the whole history and never read",
    run: (home, signal) => deafClients(home, signal, { clients: 40, path: "/ws?since=0", attack: 3, bytes: Buffer.alloc(0), everyMs: 500 }),
  },
  {
    name: "40 WebSocket clients with a message that never ends",
    run: (home, signal) => {
      const bytes = frame(1, "x".repeat(200 * 1024), 255 * 1024);
      return deafClients(home, signal, { clients: 40, path: "/ws", attack: 4, bytes, everyMs: 30_000 });
    },
  },
  {
    name: "300 WebSocket clients at once",
    run: (home, signal) => deafClients(home, signal, { clients: 300, path: "/ws", attack: 5, bytes: Buffer.alloc(0), everyMs: 1_000 }),
  },
  {
    name: "lists of long events that are never read",
    run: async (home, signal) => {
      for (let asked = 0; !signal.aborted; asked += 1) {
        const limit = asked % 3 === 0 ? 1_000 : 150;
        const address = addressOf(asked, 6);
        deafConnection(home, signal).write(
          `GET /api/events?limit=${limit} HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: ${address}\r\n\r\n`,
        );
        await sleep(150);
      }
    },
  },
  {
    name: "alerts by the ten thousand in messages of 8 MB",
    run: async (home, signal) => {
      for (let sent = 0; !signal.aborted; sent += 1) {
        await request(home, "/api/webhooks/alerts", { attack: 7, machine: sent, body: alertsOfEightMegabytes() });
        await sleep(500, undefined, { signal }).catch(() => undefined);
      }
    },
  },
  {
    name: "bodies of 8 MB of which the last byte never comes",
    run: async (home, signal) => {
      const half = Buffer.alloc(8 * mib - 1, " ");
      for (let sent = 0; !signal.aborted; sent += 1) {
        const socket = deafConnection(home, signal);
        socket.write(
          `POST /api/events/bulk HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nX-Forwarded-For: ${addressOf(sent, 8)}\r\n` +
            `Content-Length: ${8 * mib}\r\n\r\n`,
        );
        socket.write(half);
        await sleep(300);
      }
    },
  },
  {
    name: "detections of a video that is a pipe",
    run: async (home, signal) => {
      const pipe = join(home.cameraFolder, "pipe.mp4");
      execFileSync("mkfifo", [pipe]);
      const item = { camera_id: "front", file_path: pipe, file_type: "video/mp4", detected_at: new Date().toISOString(), confidence: 1 };
      const body = JSON.stringify({ detections: Array(20).fill({ ...item, object_type: "person" }) });
      await request(home, "/api/detections/bulk", { attack: 9, body });
      const rows = await home.database.db.query(
        (sql) => sql<{ id: number }[]>`select d.detection_id as id from detections d where d.file_path = ${pipe}`,
      );
      for (let asked = 0; !signal.aborted; asked += 1) {
        const id = rows[asked % rows.length]?.id;
        void request(home, `/api/detections/${id}/thumbnail`, { attack: 9, machine: asked });
        await sleep(200);
      }
    },
  },
  {
    name: "300 connections with headers that never end",
    run: async (home, signal) => {
      const sockets: Socket[] = [];
      while (!signal.aborted) {
        for (let at = 0; at < 300; at += 1) {
          if (sockets[at]?.closed !== false) sockets[at] = deafConnection(home, signal);
          sockets[at]?.write(`GET /health HTTP/1.1\r\nX-${at}: `.slice(0, 1 + (at % 20)));
        }
        await sleep(1_000);
      }
    },
  },
];
