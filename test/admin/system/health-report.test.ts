import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, expect, inject, test } from "vitest";
import { createHealthReport } from "../../../src/admin/system/health-report.ts";
import { silentLog } from "../../../src/base/log/log.ts";
import { openPool } from "../../../src/platform/database/pool.ts";
import type { Runtime } from "../../../src/work/operations/runtime.ts";
import type { UpstreamState } from "../../../src/work/operations/upstream-state.ts";
import { eventually } from "../../support/eventually.ts";
import { type Desk, openDesk } from "../../support/operations.ts";
import { quietRuntime } from "../../support/runtime.ts";

let desk: Desk;
beforeEach(async () => {
  desk = await openDesk({ HEALTH_CACHE_TTL_SECONDS: "0" });
  await desk.ask("createWebhook", { body: { name: "Health", url: "http://127.0.0.1:9/", event_types: ["system_health_changed"] } });
});
afterEach(() => desk.close());

const calm = new AbortController().signal;
const told = () =>
  desk.db.query(async (sql) => {
    const rows = await sql<{ data: Record<string, string> }[]>`
      select d.data from webhook_deliveries d join jobs j on j.subject = 'delivery:' || d.delivery_id order by j.job_id
    `;
    return rows.map(({ data }) => data);
  });

/** A separate process whose detector can be switched off. */
async function reporter() {
  const processId = randomUUID();
  let healthy = true;
  const state = (): UpstreamState => ({
    ...{ name: "detector", healthy, builtIn: false, url: "http://d", responseMs: 1 },
    ...{ error: healthy ? null : "gone", checkedAt: new Date() },
  });
  const runtime: Runtime = quietRuntime({ probeUpstreams: async () => [state()] });
  await desk.db.query(
    (sql) =>
      sql`insert into processes (process_id, host, pid, version, started_at, heartbeat_at) values (${processId}, 'h', 1, '1', now(), now())`,
  );
  const look = createHealthReport(desk.context, runtime, { processId });
  return {
    processId,
    look: () => look(calm),
    setHealthy: (now: boolean) => {
      healthy = now;
    },
  };
}

test("health report: a change is reported once, by the first process that sees it; the worst value counts, and only its reporter takes it back", async () => {
  const [first, second] = [await reporter(), await reporter()];
  expect([await first.look(), await second.look()]).toEqual([false, false]);
  first.setHealthy(false);
  expect([await first.look(), await first.look()]).toEqual([true, false]);
  // The other process still finds everything healthy: that changes nothing.
  expect(await second.look()).toBe(false);
  first.setHealthy(true);
  expect(await first.look()).toBe(true);
  expect((await told()).map(({ status, previous_status }) => `${previous_status} ${status}`)).toEqual([
    "healthy degraded",
    "degraded healthy",
  ]);
});

test("health report: another process takes back the report of a dead one", async () => {
  const [first, second] = [await reporter(), await reporter()];
  await first.look();
  first.setHealthy(false);
  await first.look();
  await desk.db.query((sql) => sql`delete from processes p where p.process_id = ${first.processId}`);
  expect(await second.look()).toBe(true);
});

test("health report: an unhealthy part right after the start is reported only after a grace period", async () => {
  const before = await reporter();
  await before.look();
  const started = await reporter();
  started.setHealthy(false);
  expect(await started.look()).toBe(false);
  desk.at("2026-03-01T12:00:05Z");
  expect(await started.look()).toBe(true);
});

test("health report: a database outage is reported on recovery, with both times, by one process", async () => {
  const [first, second] = [await reporter(), await reporter()];
  await first.look();
  const name = new URL(desk.url).pathname.slice(1);
  const admin = openPool({ url: inject("testServerUrl") }, { max: 1, log: silentLog });
  try {
    await admin.query((sql) => sql.unsafe(`alter database ${name} allow_connections false`));
    await admin.query((sql) => sql`select pg_terminate_backend(a.pid) from pg_stat_activity a where a.datname = ${name}`);
    desk.at("2026-03-01T13:00:00Z");
    expect([await first.look(), await second.look()]).toEqual([false, false]);
    desk.at("2026-03-01T13:20:00Z");
    await admin.query((sql) => sql.unsafe(`alter database ${name} allow_connections true`));
    await eventually(() => desk.db.query((sql) => sql`select 1`));
    expect([await first.look(), await second.look()]).toEqual([true, false]);
  } finally {
    await admin.close();
  }
  const [down = {}, up] = await told();
  expect(down).toMatchObject({ status: "unhealthy", previous_status: "healthy", changed_at: "2026-03-01T13:00:00.000Z" });
  expect(down["reported_at"]).toBe("2026-03-01T13:20:00.000Z");
  expect(up).toMatchObject({
    status: "healthy",
    previous_status: "unhealthy",
    changed_at: "2026-03-01T13:20:00.000Z",
    message: expect.stringMatching(/from 2026-03-01T13:00:00.000Z to 2026-03-01T13:20:00.000Z/),
  });
});
