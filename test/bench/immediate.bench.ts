import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, test } from "vitest";
import { type TestDatabase, testDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { type MailServer, mailServer } from "../support/mail-server.ts";
import { uniqueJpeg } from "../support/pictures.ts";
import { type Receiver, receiver } from "../support/receiver.ts";
import { type BenchDaemon, benchDaemon } from "./daemon.ts";
import { report } from "./report.ts";
import { median, percentile } from "./statistics.ts";
import { type InstantUpstreams, instantUpstreams } from "./upstreams.ts";

const rounds = 3;
const visitsPerRound = 20;
/** A picture with a person that the built-in detector finds. */
const withPerson = 4;

let database: TestDatabase;
let upstreams: InstantUpstreams;
let daemon: BenchDaemon;
let hook: Receiver;
let mails: MailServer;
/** Called when a message has arrived as a whole. */
let onAccepted: (channel: "webhook" | "email") => void = () => {};

beforeAll(async () => {
  const accept = (channel: "webhook" | "email"): undefined => void onAccepted(channel);
  hook = await receiver(({ body }) => {
    if (body.includes('"security_alert"')) accept("webhook");
    return { status: 200 };
  });
  [database, upstreams, mails] = await Promise.all([testDatabase(), instantUpstreams(), mailServer({ onMail: () => accept("email") })]);
  daemon = await benchDaemon({
    databaseUrl: database.url,
    upstreamUrl: upstreams.url,
    env: {
      // The built-in detector
      ...{ DETECTOR_URL: "", VISION_EXTRACTION_ENABLED: "false", REID_ENABLED: "false", DEFAULT_WEBHOOK_URL: hook.url },
      ...{ SMTP_HOST: "127.0.0.1", SMTP_PORT: String(mails.port), SMTP_FROM_ADDRESS: "homesec@example.org" },
      ...{ DEFAULT_EMAIL_RECIPIENTS: "me@example.org" },
    },
  });
  const rule = { name: "Now", object_types: ["person"], channels: ["email", "webhook"], cooldown_seconds: 0, immediate: true };
  await fetch(`${daemon.url}/api/alerts/rules`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(rule),
  });
  await mkdir(join(daemon.cameraRoot, "gate"));
}, 120_000);

afterAll(async () => {
  await daemon?.stop();
  await Promise.all([upstreams?.stop(), hook?.close(), mails?.close()]);
  await database?.close();
});

/** Ends the visit, and waits until its update is sent, so that the next picture begins a visit. */
async function endVisit(): Promise<void> {
  await database.db.query(async (sql) => await sql`update batches set due_at = now() where status = 'open'`);
  const left = async () =>
    await database.db.query(async (sql) => {
      const [row] = await sql<[{ n: number }]>`
        select (select count(*) from batches where status = 'open') + (select count(*) from jobs where status <> 'dead') as n
      `;
      return row.n;
    });
  await eventually(async () => (await left()) === 0, { what: "the end of a visit" });
}

let number = 0;

/** Milliseconds from a picture in the camera's folder to the acceptance of both messages. */
async function visit(): Promise<Record<"webhook" | "email", number>> {
  number += 1;
  const name = `${number}.jpg`;
  await writeFile(join(daemon.staging, name), await uniqueJpeg(withPerson));
  const accepted: Partial<Record<"webhook" | "email", number>> = {};
  const startedAt = performance.now();
  onAccepted = (channel) => {
    accepted[channel] ??= performance.now() - startedAt;
  };
  await rename(join(daemon.staging, name), join(daemon.cameraRoot, "gate", name));
  await eventually(() => accepted.webhook !== undefined && accepted.email !== undefined, { timeoutMs: 60_000, what: "both messages" });
  onAccepted = () => {};
  await endVisit();
  return accepted as Record<"webhook" | "email", number>;
}

test("an immediate alert, from the picture to the accepted message, with the built-in detector", async ({ task }) => {
  // Registers the camera and loads the model
  for (let warm = 0; warm < 3; warm += 1) await visit();
  const perRound: Record<"webhook" | "email", number>[][] = [];
  for (let round = 0; round < rounds; round += 1) {
    const visits = [];
    for (let each = 0; each < visitsPerRound; each += 1) visits.push(await visit());
    perRound.push(visits);
  }
  for (const channel of ["webhook", "email"] as const) {
    const row = (what: string, sumUp: (values: readonly number[]) => number, atMost?: number): void =>
      report(task, {
        what: `picture renamed -> immediate alert accepted by ${channel}, ${what}`,
        unit: "ms",
        homesec: perRound.map((visits) => sumUp(visits.map((each) => each[channel]))),
        compare: "absolute",
        ...(atMost !== undefined && { limit: { atMost } }),
      });
    row("p50", median);
    row("p95", (values) => percentile(values, 95), 2_000);
  }
});
