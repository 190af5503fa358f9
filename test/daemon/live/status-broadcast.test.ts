import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { expect, inject, onTestFinished, test } from "vitest";
import WebSocket from "ws";
import { silentLog } from "../../../src/base/log/log.ts";
import { openPool } from "../../../src/platform/database/pool.ts";
import { testDaemon } from "../../support/daemon.ts";
import { testDatabase } from "../../support/database.ts";
import { eventually } from "../../support/eventually.ts";
import { receiver } from "../../support/receiver.ts";
import { detectorStandIn, languageModelStandIn } from "../../support/upstream.ts";

test("live status: the clients of each daemon and the webhooks get a message when the database goes away and when it is back", {
  timeout: 120_000,
}, async () => {
  const database = await testDatabase();
  const [detector, model] = [await detectorStandIn(), await languageModelStandIn()];
  const hook = await receiver();
  const admin = openPool({ url: inject("testServerUrl") }, { max: 1, log: silentLog });
  const env = {
    ...{ DATABASE_URL: database.url, DETECTOR_URL: detector.url, LANGUAGE_MODEL_URL: model.url },
    ...{ HEALTH_CACHE_TTL_SECONDS: "0", HEALTH_CHECK_TIMEOUT_SECONDS: "1" },
  };
  const first = await testDaemon({ env });
  const daemons = [first, await testDaemon({ env: { ...env, SECRET_KEY_PATH: join(first.dataDir, "secret.key") } })];
  onTestFinished(async () => {
    await Promise.all(daemons.map((daemon) => daemon.stop()));
    await Promise.all([admin.close(), detector.close(), model.close(), hook.close()]);
    await database.close();
  });
  const told = daemons.map((daemon) => {
    const statuses: string[] = [];
    const screen = new WebSocket(`${daemon.url.replace("http", "ws")}/ws/events`);
    screen.on("message", (text) => {
      const { type, data } = JSON.parse(String(text)) as { type: string; data: { status: string } };
      if (type === "system_status") statuses.push(data.status);
      if (type === "connected") statuses.push("connected");
    });
    onTestFinished(() => screen.terminate());
    return statuses;
  });
  await eventually(() => told.every((statuses) => statuses.includes("connected")));
  const reported = () => database.db.query((sql) => sql`select status from reported_health`);
  await eventually(async () => (await reported())[0]?.["status"] === "healthy", { timeoutMs: 30_000, what: "a first report" });
  const wanted = { name: "Health", url: hook.url, event_types: ["system_health_changed"], retry_delay_seconds: 1 };
  const added = await fetch(`${daemons[0]?.url}/api/outbound-webhooks`, {
    ...{ method: "POST", body: JSON.stringify(wanted), headers: { "content-type": "application/json" } },
  });
  expect(added.status, await added.text()).toBe(201);
  for (const daemon of daemons) await eventually(async () => (await fetch(`${daemon.url}/api/system/health`)).status === 200);

  const name = new URL(database.url).pathname.slice(1);
  const began = Date.now();
  await admin.query((sql) => sql.unsafe(`alter database ${name} allow_connections false`));
  await admin.query((sql) => sql`select pg_terminate_backend(a.pid) from pg_stat_activity a where a.datname = ${name}`);
  await eventually(() => told.every((statuses) => statuses.at(-1) === "unhealthy"));
  await setTimeout(8_000);
  await admin.query((sql) => sql.unsafe(`alter database ${name} allow_connections true`));
  await eventually(() => told.every((statuses) => statuses.at(-1) === "healthy"));
  for (const statuses of told) expect(statuses.filter((status, at) => status === statuses[at - 1])).toEqual([]);
  const changes = await eventually(
    async () => {
      const bodies = hook.received.map(({ body }) => (JSON.parse(body) as { data: Record<string, string> }).data);
      return bodies.length >= 2 ? bodies : undefined;
    },
    { timeoutMs: 20_000, what: "two messages to the webhook" },
  );
  expect(changes.map(({ previous_status, status }) => `${previous_status} ${status}`)).toEqual(["healthy unhealthy", "unhealthy healthy"]);
  // the outage and its end were each seen within one or two rounds: at least 8 s lie in between
  const [from = 0, to = 0] = changes.map((change) => Date.parse(change["changed_at"] ?? ""));
  expect(from).toBeLessThan(began + 7_000);
  expect(to - from).toBeGreaterThan(6_000);
});
