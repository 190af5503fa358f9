import { existsSync, readFileSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { execa } from "execa";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type WebSocket, WebSocketServer } from "ws";
import { cli } from "../support/cli.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { detection, event } from "./records.ts";

const timestamp = "2026-01-31T12:00:00.000Z";
const program = join(import.meta.dirname, "../../dist/bin/homesec.js");

/** A journal behind a WebSocket, like the daemon's. */
class Journal {
  readonly #server = new WebSocketServer({ host: "127.0.0.1", port: 0 });
  readonly #clients = new Set<WebSocket>();
  readonly #messages: { type: string; data: unknown; sequence: number; timestamp: string }[] = [];
  /** The first sequence that is still stored. */
  kept = 1;

  constructor() {
    this.#server.on("connection", (socket, request) => {
      const since = new URL(request.url ?? "/", "ws://x").searchParams.get("since");
      const data = { version: "1.2.3", last_sequence: this.#messages.length, idle_timeout_seconds: 300 };
      socket.send(JSON.stringify({ type: "connected", data, timestamp }));
      const from = since === null ? this.#messages.length : Number(since);
      if (from + 1 < this.kept) socket.send(JSON.stringify({ type: "gap", data: { from: from + 1, to: this.kept - 1 }, timestamp }));
      for (const message of this.#messages) {
        if (message.sequence > from && message.sequence >= this.kept) socket.send(JSON.stringify(message));
      }
      this.#clients.add(socket);
      socket.on("close", () => this.#clients.delete(socket));
    });
  }

  async listening(): Promise<void> {
    if (this.#server.address() === null) await new Promise<void>((resolve) => this.#server.once("listening", () => resolve()));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  add(type: string, data: unknown): void {
    const message = { type, data, sequence: this.#messages.length + 1, timestamp };
    this.#messages.push(message);
    for (const client of this.#clients) client.send(JSON.stringify(message));
  }

  cut(): void {
    for (const client of this.#clients) client.terminate();
  }

  close(): void {
    this.cut();
    this.#server.close();
  }
}

let journal: Journal;
let folder: ReturnType<typeof temporaryFolder>;
beforeEach(async () => {
  folder = temporaryFolder("tail");
  journal = new Journal();
  await journal.listening();
});
afterEach(async () => {
  journal.close();
  await folder.remove();
});

/** Runs `events tail` until it has printed this many lines. `onLine` gets the number of lines printed. */
async function tail(args: readonly string[], lines: number, onLine: (count: number) => void = () => {}) {
  const stop = new AbortController();
  let count = 0;
  const result = await cli(["events", "tail", "--url", journal.url, ...args], {
    cwd: folder.path,
    signal: stop.signal,
    onOut: (text) => {
      count += text.split("\n").length - 1;
      onLine(count);
      if (count >= lines) stop.abort("SIGINT");
    },
  });
  return { ...result, lines: result.out.trimEnd().split("\n") };
}

const sequences = (lines: readonly string[]) => lines.map((line) => (JSON.parse(line) as { sequence: number }).sequence);

describe("events tail", () => {
  it("events tail: prints one message a line with -o ndjson and ends with 130 on Ctrl-C", async () => {
    journal.add("detection.new", detection);
    journal.add("event.updated", event);
    const { code, lines, err } = await tail(["--since", "0", "-o", "ndjson"], 2);
    expect([code, err]).toEqual([130, ""]);
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { type: "detection.new", data: detection, sequence: 1, timestamp },
      { type: "event.updated", data: event, sequence: 2, timestamp },
    ]);
  });

  it("events tail: continues after interruptions without gaps and duplicates", async () => {
    for (let at = 0; at < 5; at += 1) journal.add("detection.new", detection);
    const { lines, err } = await tail(["--since", "0", "-o", "id"], 12, (count) => {
      if (count === 5 || count === 9) {
        journal.cut();
        for (let at = 0; at < 4; at += 1) journal.add("detection.new", detection);
      }
    });
    expect(lines.map(Number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
    expect(err.match(/connection lost/g)).toHaveLength(2);
    expect(err.match(/reconnected/g)).toHaveLength(2);
  });

  it("events tail: continues in the next run from --state", async () => {
    for (let at = 0; at < 3; at += 1) journal.add("detection.new", detection);
    const args = ["--state", "place", "-o", "ndjson"];
    const first = await tail([...args, "--since", "1"], 2);
    expect(readFileSync(join(folder.path, "place"), "utf8")).toBe("3\n");
    expect(existsSync(join(folder.path, "place.part"))).toBe(false);
    for (let at = 0; at < 2; at += 1) journal.add("detection.new", detection);
    const second = await tail([...args, "--since", "0"], 2);
    expect([...sequences(first.lines), ...sequences(second.lines)]).toEqual([2, 3, 4, 5]);
  });

  it("events tail: saves in --state only messages the reader and the pipe accepted, and prints the rest in the next run", async () => {
    const count = 800;
    for (let at = 0; at < count; at += 1) journal.add("detection.new", detection);
    const command = `'${process.execPath}' '${program}' events tail --url ${journal.url} --since 0 -o ndjson --state place`;
    // a reader that reads some lines, is busy and exits
    const [, first = ""] = (await execa("sh", ["-c", `${command} | { head -n 1; sleep 1.5; }`], { cwd: folder.path })).stdout.split(/(.*)/);
    const place = Number(readFileSync(join(folder.path, "place"), "utf8"));
    expect(place).toBeGreaterThan(1);
    expect(place * first.length).toBeLessThan(200_000);
    const { lines } = await tail(["--state", "place", "-o", "id"], count - place);
    expect(lines.map(Number)).toEqual(Array.from({ length: count - place }, (_, at) => place + at + 1));
  });

  it("events tail: saves its start position even if no message arrived", async () => {
    journal.add("detection.new", detection);
    const stop = new AbortController();
    const running = cli(["events", "tail", "--url", journal.url, "--state", "place"], { cwd: folder.path, signal: stop.signal });
    const place = join(folder.path, "place");
    while (!existsSync(place)) await new Promise((resolve) => setTimeout(resolve, 10));
    stop.abort("SIGINT");
    await running;
    journal.add("event.updated", event);
    expect(sequences((await tail(["--state", "place", "-o", "ndjson"], 1)).lines)).toEqual([2]);
  });

  it("events tail: reports lost messages", async () => {
    for (let at = 0; at < 6; at += 1) journal.add("detection.new", detection);
    journal.kept = 4;
    const { lines, err } = await tail(["--since", "1", "-o", "id", "--state", "place"], 3);
    expect(lines).toEqual(["4", "5", "6"]);
    expect(err).toBe("2 messages are missing: the daemon no longer has 2 to 3\n");
  });

  it("events tail: prints only the chosen types", async () => {
    journal.add("detection.new", detection);
    journal.add("event", event);
    journal.add("event.updated", event);
    expect((await tail(["--since", "0", "--types", "event*", "-o", "id"], 2)).lines).toEqual(["2", "3"]);
  });

  it("events tail: prints readable lines for people", async () => {
    const analysis = { event_id: 42, batch_id: null, camera_id: "front-door", attempt: 1 };
    journal.add("detection.new", detection);
    journal.add("event", event);
    journal.add("batch.analysis_completed", { ...analysis, risk_score: 72, risk_level: "high" });
    journal.add("batch.analysis_failed", { ...analysis, error: "no answer" });
    journal.add("event.updated", event);
    journal.add("worker_status", { name: "detection_worker", running: false, message: "restarting" });
    const { lines } = await tail(["--since", "0"], 6);
    expect(lines.map((line) => line.replace(/^\d\d:\d\d:\d\d {2}/, ""))).toEqual([
      "front-door: person detected, confidence 91 %",
      "front-door: event 42 opened, person",
      "front-door: event 42 analysed, high 72",
      "front-door: analysis of event 42 failed: no answer",
      "front-door: event 42 high 72  One person at the front door",
      "detection_worker is stopped (restarting)",
    ]);
  });

  it.each(["", "x", "-1"])("events tail: rejects a state file that contains %j", async (text) => {
    writeFileSync(join(folder.path, "place"), text);
    const { code, err } = await cli(["events", "tail", "--url", journal.url, "--state", "place"], { cwd: folder.path });
    expect(code).toBe(2);
    expect(err).toContain("does not contain a sequence");
  });
});
