import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { silentLog } from "../../../src/base/log/log.ts";
import { openPool } from "../../../src/platform/database/pool.ts";
import type { TestDaemon } from "../../support/daemon.ts";
import { eventually } from "../../support/eventually.ts";
import { type Running, running } from "./running.ts";

let world: Running;
let daemon: TestDaemon;
beforeAll(async () => {
  world = await running();
  daemon = await world.start({ HEALTH_CHECK_TIMEOUT_SECONDS: "1" });
});
afterAll(() => world.close());

/** Allows or refuses connections to the daemon's database; existing ones are closed. */
async function letIn(allowed: boolean): Promise<void> {
  const name = new URL(world.database.url).pathname.slice(1);
  const admin = openPool({ url: inject("testServerUrl") }, { max: 1, log: silentLog });
  try {
    await admin.query((sql) => sql.unsafe(`alter database ${name} allow_connections ${allowed}`));
    if (!allowed) await admin.query((sql) => sql`select pg_terminate_backend(a.pid) from pg_stat_activity a where a.datname = ${name}`);
  } finally {
    await admin.close();
  }
}

async function metrics(): Promise<string> {
  const response = await fetch(`${daemon.url}/metrics`);
  expect(response.status).toBe(200);
  return await response.text();
}

/** A message of an alert manager. */
async function alarm(): Promise<{ readonly status: number; readonly body: unknown }> {
  const alert = { status: "firing", labels: { alertname: "Hot" }, annotations: {}, startsAt: "2026-03-01T10:00:00Z", fingerprint: "f" };
  const common = { groupLabels: {}, commonLabels: {}, commonAnnotations: {}, externalURL: "" };
  const body = { version: "4", groupKey: "g", status: "firing", receiver: "homesec", ...common, alerts: [alert] };
  const headers = { "content-type": "application/json" };
  const response = await fetch(`${daemon.url}/api/webhooks/alerts`, { method: "POST", headers, body: JSON.stringify(body) });
  return { status: response.status, body: await response.json() };
}

test("/metrics: while the database is away, queues are absent instead of stale, and an alert manager is asked to retry", async () => {
  const before = await eventually(async () => {
    const text = await metrics();
    return /^homesec_database_up 1$/m.test(text) && text;
  });
  expect(before).toMatch(/^homesec_queue_jobs\{queue="detect",state="waiting"\} 0$/m);
  expect(before).toMatch(/^homesec_queue_oldest_job_seconds\{queue="detect"\} 0$/m);

  await letIn(false);
  const during = await eventually(async () => {
    const text = await metrics();
    return /^homesec_database_up 0$/m.test(text) && text;
  });
  expect(during).not.toMatch(/^homesec_queue_/m);
  expect(during).toMatch(/^homesec_worker_up\{worker="file_watcher"\} [01]$/m);
  expect(during).toMatch(/^process_resident_memory_bytes \d+$/m);

  // An alert manager retries after a 5xx.
  expect(await alarm()).toMatchObject({ status: 503, body: { detail: expect.stringContaining("database") } });

  await letIn(true);
  await eventually(async () => /^homesec_queue_jobs\{queue="detect",state="waiting"\} 0$/m.test(await metrics()));
  expect(await alarm()).toMatchObject({ status: 200, body: { received: 1, processed: 1 } });
});
