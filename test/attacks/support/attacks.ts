import { execFileSync } from "node:child_process";
import type { Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { faultyMessages, faultyRules, manyAlerts } from "./bodies.ts";
import type { Home } from "./home.ts";
import { deafClients, deafConnection, frame, head, request } from "./wire.ts";

/** An attack, repeated until the signal aborts. */
export interface Attack {
  readonly name: string;
  /** Also runs in the short form. */
  readonly isShort?: true;
  readonly run: (home: Home, signal: AbortSignal) => Promise<void>;
}

const ping = frame(1, '{"type":"ping"}');
const nothing = Buffer.alloc(0);

const webSocketAttacks: readonly Attack[] = [
  {
    name: "20 WebSocket clients that ping as fast as they can and never read",
    isShort: true,
    run: (home, signal) =>
      deafClients(home, signal, { clients: 20, path: "/ws", attack: 1, bytes: Buffer.concat(Array(500).fill(ping)), everyMs: 20 }),
  },
  {
    name: "60 WebSocket clients that ping 15 times a second and never read",
    run: (home, signal) => deafClients(home, signal, { clients: 60, path: "/ws", attack: 2, bytes: ping, everyMs: 66 }),
  },
  {
    name: "40 WebSocket clients that ask for the whole history and never read",
    run: (home, signal) => deafClients(home, signal, { clients: 40, path: "/ws?since=0", attack: 3, bytes: nothing, everyMs: 500 }),
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
    run: (home, signal) => deafClients(home, signal, { clients: 300, path: "/ws", attack: 5, bytes: nothing, everyMs: 1_000 }),
  },
];

/** Calls `send` again and again, with a pause, until the signal aborts. */
async function repeat(signal: AbortSignal, everyMs: number, send: (round: number) => unknown): Promise<void> {
  for (let round = 0; !signal.aborted; round += 1) {
    await send(round);
    await sleep(everyMs, undefined, { signal }).catch(() => undefined);
  }
}

/** Keeps this many connections open and sends a part of a request on each, every second. */
async function slowConnections(home: Home, signal: AbortSignal, parts: (at: number, round: number) => string | Buffer): Promise<void> {
  const sockets: { socket: Socket; rounds: number }[] = [];
  await repeat(signal, 1_000, () => {
    for (let at = 0; at < 300; at += 1) {
      let slow = sockets[at];
      if (!slow || slow.socket.closed) {
        slow = { socket: deafConnection(home, signal), rounds: 0 };
        sockets[at] = slow;
      }
      slow.socket.write(parts(at, slow.rounds));
      slow.rounds += 1;
    }
  });
}

const requestAttacks: readonly Attack[] = [
  {
    name: "lists of long events that are never read",
    isShort: true,
    run: (home, signal) =>
      repeat(signal, 150, (machine) => {
        const limit = machine % 3 === 0 ? 1_000 : 150;
        deafConnection(home, signal).write(head(`GET /api/events?limit=${limit}`, { attack: 6, machine }));
      }),
  },
  {
    name: "alerts by the ten thousand in messages of 8 MB",
    isShort: true,
    run: (home, signal) =>
      repeat(signal, 500, (machine) => request(home, signal, "/api/webhooks/alerts", { attack: 7, machine }, manyAlerts())),
  },
  {
    name: "messages of 8 MB that are wrong everywhere",
    run: (home, signal) =>
      repeat(signal, 500, (machine) => {
        const bodies = faultyMessages();
        return request(home, signal, "/api/webhooks/alerts", { attack: 8, machine }, bodies[machine % bodies.length]);
      }),
  },
  {
    name: "bodies of 8 MB of which the last byte never comes",
    run: (home, signal) =>
      repeat(signal, 300, (machine) => {
        const headers = { "Content-Type": "application/json", "Content-Length": 8 * 1024 * 1024 };
        const socket = deafConnection(home, signal);
        socket.write(head("POST /api/events/bulk", { attack: 9, machine }, headers));
        socket.write(Buffer.alloc(8 * 1024 * 1024 - 1, " "));
      }),
  },
  {
    name: "bodies of 1 MiB with half a million faults",
    isShort: true,
    run: (home, signal) =>
      repeat(signal, 300, (machine) =>
        request(home, signal, "/api/alerts/rules", { attack: 10, machine }, faultyRules[machine % faultyRules.length]),
      ),
  },
  {
    name: "300 connections with headers that never end",
    run: (home, signal) => slowConnections(home, signal, (at) => `GET /health HTTP/1.1\r\nX-${at}: `.slice(0, 1 + (at % 20))),
  },
  {
    name: "300 connections with bodies that come byte by byte",
    run: (home, signal) => {
      const headers = { "Content-Type": "application/json", "Content-Length": 100_000 };
      return slowConnections(home, signal, (at, round) =>
        round === 0 ? head("POST /api/webhooks/alerts", { attack: 12, machine: at }, headers) : " ",
      );
    },
  },
  {
    name: "detections of a video that is a pipe",
    run: async (home, signal) => {
      const pipe = join(home.cameraFolder, `pipe-${Date.now()}.mp4`);
      execFileSync("mkfifo", [pipe]);
      const item = { camera_id: "front", file_path: pipe, file_type: "video/mp4", detected_at: new Date().toISOString(), confidence: 1 };
      const body = JSON.stringify({ detections: Array(20).fill({ ...item, object_type: "person" }) });
      await request(home, signal, "/api/detections/bulk", { attack: 13 }, body);
      const rows = await home.database.db.query(
        (sql) =>
          sql<
            { id: number }[]
          >`select d.detection_id as id from detections d cross join camera_root r where r.path || '/' || d.file_path = ${pipe}`,
      );
      await repeat(signal, 200, (machine) => {
        const id = rows[machine % Math.max(1, rows.length)]?.id ?? 0;
        void request(home, signal, `/api/detections/${id}/thumbnail`, { attack: 13, machine });
      });
    },
  },
];

/** The attacks on the availability: each alone must be harmless, and all at once. */
export const attacks: readonly Attack[] = [...webSocketAttacks, ...requestAttacks];
