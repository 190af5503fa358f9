import { expect, inject, onTestFinished, test } from "vitest";
import WebSocket from "ws";
import { openPool } from "../../src/engines/pool.ts";
import { silentLog } from "../../src/log/log.ts";
import { testDaemon } from "../support/daemon.ts";
import { testDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { detectorStandIn, languageModelStandIn } from "../support/upstream.ts";

test("the clients of each daemon are told when their database goes away, and when it is back", { timeout: 120_000 }, async () => {
  const database = await testDatabase();
  const [detector, model] = [await detectorStandIn(), await languageModelStandIn()];
  const admin = openPool({ url: inject("testServerUrl") }, { max: 1, log: silentLog });
  const env = {
    ...{ DATABASE_URL: database.url, DETECTOR_URL: detector.url, LANGUAGE_MODEL_URL: model.url },
    ...{ HEALTH_CACHE_TTL_SECONDS: "0", HEALTH_CHECK_TIMEOUT_SECONDS: "1" },
  };
  const daemons = [await testDaemon({ env }), await testDaemon({ env })];
  onTestFinished(async () => {
    await Promise.all(daemons.map((daemon) => daemon.stop()));
    await Promise.all([admin.close(), detector.close(), model.close()]);
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
  for (const daemon of daemons) await eventually(async () => (await fetch(`${daemon.url}/api/system/health`)).status === 200);

  const name = new URL(database.url).pathname.slice(1);
  await admin.query((sql) => sql.unsafe(`alter database ${name} allow_connections false`));
  await admin.query((sql) => sql`select pg_terminate_backend(a.pid) from pg_stat_activity a where a.datname = ${name}`);
  await eventually(() => told.every((statuses) => statuses.at(-1) === "unhealthy"), { timeoutMs: 20_000 });
  await admin.query((sql) => sql.unsafe(`alter database ${name} allow_connections true`));
  await eventually(() => told.every((statuses) => statuses.at(-1) === "healthy"), { timeoutMs: 20_000 });
  for (const statuses of told) expect(statuses.filter((status, at) => status === statuses[at - 1])).toEqual([]);
});
