import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, test } from "vitest";
import type { JournalEntry } from "../../src/contract/live.ts";
import { appendToJournal } from "../../src/work/journal/journal.ts";
import { numberEntries } from "../../src/work/journal/journal-repository.ts";
import { type TestDatabase, testDatabase } from "../support/database.ts";
import { type Child, startChild } from "./child.ts";
import { type BenchDaemon, benchDaemon } from "./daemon.ts";
import { type LiveMessages, liveMessages } from "./live-messages.ts";
import { report } from "./report.ts";
import { type InstantUpstreams, instantUpstreams } from "./upstreams.ts";

interface Figures {
  readonly homesec: number;
  readonly baseline: number;
}

const rounds = 5;
const clients = 1_000;
const what = "a bare ws loop that sends the same bytes, each message to each client";

let database: TestDatabase;
let upstreams: InstantUpstreams;
let daemon: BenchDaemon;
let live: LiveMessages;
let bare: Child<object, string | undefined>;
let daemonClients: Child<object, number>;
let bareClients: Child<object, number>;

beforeAll(async () => {
  [database, upstreams] = await Promise.all([testDatabase(), instantUpstreams()]);
  daemon = await benchDaemon({ databaseUrl: database.url, upstreamUrl: upstreams.url });
  live = await liveMessages(daemon.url);
  bare = startChild("bare-websocket");
  const bareUrl = await bare.ask({ open: true });
  daemonClients = startChild("websocket-clients");
  bareClients = startChild("websocket-clients");
  await daemonClients.ask({ kind: "open", url: `${daemon.url}/ws/events`, count: clients });
  await bareClients.ask({ kind: "open", url: `${bareUrl}/`, count: clients });
  // Greetings and messages of the daemon's start.
  await sleep(3_000);
  live.takeTexts();
});

afterAll(async () => {
  await Promise.all([daemonClients?.stop(), bareClients?.stop()]);
  await live?.close();
  await daemon?.stop();
  await Promise.all([bare?.stop(), upstreams?.stop()]);
  await database?.close();
});

function detections(count: number): readonly JournalEntry[] {
  const now = new Date();
  return Array.from({ length: count }, (_, i) => ({
    type: "detection.new",
    data: {
      ...{
        id: i + 1,
        camera_id: "front",
        file_path: `/cameras/front/picture-${i}.jpg`,
        file_type: "image/jpeg",
        detected_at: now,
        captured_at: null,
        parked_since: null,
      },
      ...{ object_type: "person", confidence: 0.9, bbox_x: 10, bbox_y: 20, bbox_width: 60, bbox_height: 120, thumbnail_path: null },
      ...{ event_id: null, batch_id: null, enrichment: null, created_at: now },
    },
  }));
}

/** Messages per second to all clients, from the first byte at any of them to the last at the last one. */
async function fanOut(receivers: Child<object, number>, messages: number, send: () => Promise<unknown>): Promise<number> {
  await receivers.ask({ kind: "expect", messages });
  const [ms] = await Promise.all([receivers.ask({ kind: "wait" }), send()]);
  return (messages * clients * 1000) / ms;
}

/** Writes into the journal like another homesec process; the daemon notices and sends to its clients. */
async function publish(count: number): Promise<void> {
  await database.db.transaction((sql) => appendToJournal(sql, detections(count), new Date()));
  await database.db.query((sql) => numberEntries(sql, count));
}

/** One round: homesec, then the loop with the texts that homesec sent. */
async function compare(messages: number): Promise<Figures> {
  const homesec = await fanOut(daemonClients, messages, () => publish(messages));
  await sleep(20);
  const texts = live.takeTexts();
  if (texts.length !== messages) throw new Error(`${texts.length} messages came instead of ${messages}`);
  const baseline = await fanOut(bareClients, messages, () => bare.ask({ messages: texts }));
  return { homesec, baseline };
}

test("live messages: reach many clients fast", async ({ task }) => {
  await compare(50);
  const ways = [
    { name: "a burst of 200 messages", messages: 200, times: 1 },
    { name: "one message at a time", messages: 1, times: 60 },
  ];
  for (const { name, messages, times } of ways) {
    const perRound: Figures[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const figures: Figures[] = [];
      for (let time = 0; time < times; time += 1) figures.push(await compare(messages));
      // Rates are averaged by the duration of the work.
      const rate = (key: "homesec" | "baseline"): number => times / figures.reduce((sum, figure) => sum + 1 / figure[key], 0);
      perRound.push({ homesec: rate("homesec"), baseline: rate("baseline") });
    }
    report(task, {
      what: `WebSocket fan-out to ${clients.toLocaleString("en")} clients, ${name}`,
      unit: "messages/s",
      homesec: perRound.map(({ homesec }) => homesec),
      baseline: { what, values: perRound.map(({ baseline }) => baseline) },
      compare: "ratio",
      limit: { atLeast: 0.8 },
    });
  }
});
