import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createApp } from "../../daemon/http/app.ts";
import { type Listening, listen } from "../../daemon/http/listen.ts";
import { operations } from "../../src/all-operations.ts";
import { keptLog } from "../daemon/http/support.ts";
import { type Desk, openDesk } from "../support/operations.ts";
import { mutated } from "./bytes.ts";
import { anyJsonText, mutatedJson } from "./json.ts";
import { cpuMsOf, holds, testTimeoutMs } from "./support.ts";

const messages = ["firing-critical", "firing-two-alerts", "resolved"].map((name) =>
  readFileSync(join(import.meta.dirname, `../fixtures/alertmanager/${name}.json`)),
);
const values = messages.map((bytes) => JSON.parse(bytes.toString()) as Readonly<Record<string, unknown>>);

let desk: Desk;
let served: Listening;
const log = keptLog();
beforeAll(async () => {
  desk = await openDesk();
  const context = { ...desk.context, log };
  served = await listen({
    app: createApp({ operations, context, log, allowedHosts: [], strictReplies: true }),
    host: "127.0.0.1",
    port: 0,
  });
});
afterAll(async () => {
  await served.close();
  await desk.close();
});

interface Answer {
  readonly status: number;
  readonly text: string;
}

async function post(body: string | Uint8Array<ArrayBuffer>): Promise<Answer> {
  const response = await fetch(`http://127.0.0.1:${served.port}/api/webhooks/alerts`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
  });
  return { status: response.status, text: await response.text() };
}

/** Accepted with consistent numbers, or rejected with a reason. */
function check({ status, text }: Answer): void {
  expect([200, 400, 413, 422], text.slice(0, 300)).toContain(status);
  if (status !== 200) return;
  const { received, processed } = JSON.parse(text) as { received: number; processed: number };
  expect(processed).toBeLessThanOrEqual(received);
}

test(
  "fuzz alert receiver: any message is stored or rejected, and stored messages can be listed",
  async () => {
    const bodies = fc.oneof({ weight: 6, arbitrary: mutatedJson(values) }, { weight: 1, arbitrary: anyJsonText });
    await holds(bodies, { few: 80, many: 20_000 }, async (body) => check(await post(body)));
    await holds(mutated({ firing: messages[0] as Buffer, resolved: messages[2] as Buffer }), { few: 20, many: 5_000 }, async ({ bytes }) =>
      check(await post(new Uint8Array(bytes))),
    );
    let cursor: string | null = "";
    let listed = 0;
    while (cursor !== null) {
      const url = `http://127.0.0.1:${served.port}/api/webhooks/alerts?limit=1000${cursor && `&cursor=${cursor}`}`;
      const response = await fetch(url);
      expect(response.status).toBe(200);
      const page = (await response.json()) as { items: unknown[]; pagination: { next_cursor: string | null } };
      listed += page.items.length;
      cursor = page.pagination.next_cursor;
    }
    expect(listed).toBeGreaterThan(0);
    const faults = log.lines.filter(({ message, level }) => level === "error" && !message.startsWith("infrastructure alert"));
    expect(faults).toEqual([]);
  },
  testTimeoutMs,
);

const [first] = values as [Readonly<Record<string, unknown>>];
const bytes = 8 * 1024 * 1024 - 2_000;
const times = (item: string, room = bytes): string => Array.from({ length: Math.floor(room / (item.length + 1)) }, () => item).join(",");
const messageWith = (alerts: string): string => `${JSON.stringify({ ...first, alerts: [] }).slice(0, -3)}[${alerts}]}`;

test.each([
  ["alerts that are no objects", () => messageWith(times("1"))],
  ["alerts without a field", () => messageWith(times("{}"))],
  [
    "an alert with labels that are no texts",
    () => messageWith(`{"labels":{${Array.from({ length: 600_000 }, (_, n) => `"${n}":1`).join(",")}}}`),
  ],
  [
    "common labels that are no texts",
    () => JSON.stringify({ ...first, commonLabels: Object.fromEntries(Array.from({ length: 500_000 }, (_, n) => [n, 1])) }),
  ],
  [
    "texts that cannot be stored",
    () => JSON.stringify({ ...first, groupLabels: Object.fromEntries(Array.from({ length: 200_000 }, (_, n) => [n, "\0"])) }),
  ],
  ["lists in lists", () => messageWith(`${"[".repeat(bytes / 2)}${"]".repeat(bytes / 2)}`)],
])("fuzz alert receiver: eight megabytes of %s are rejected quickly with a short answer", async (_what, make) => {
  const body = make();
  expect(Buffer.byteLength(body)).toBeLessThanOrEqual(8 * 1024 * 1024);
  let answer: Answer = { status: 0, text: "" };
  const cpuMs = await cpuMsOf(async () => {
    answer = await post(body);
  });
  expect([413, 422]).toContain(answer.status);
  expect(answer.text.length).toBeLessThan(100_000);
  expect(cpuMs).toBeLessThan(10_000);
});
