import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import WebSocket from "ws";
import { createSelftestWorker } from "../../../daemon/selftest/selftest-worker.ts";
import { systemClock } from "../../../src/base/clock/clock.ts";
import { silentLog } from "../../../src/base/log/log.ts";
import { cli } from "../../support/cli.ts";
import type { TestDaemon } from "../../support/daemon.ts";
import { eventually } from "../../support/eventually.ts";
import { serveHomesec } from "../../support/homesec-process.ts";
import { receiver } from "../../support/receiver.ts";
import { temporaryFolder } from "../../support/temporary.ts";
import { embedderStandIn, enrichmentStandIn, visionStandIn } from "../../support/upstream.ts";
import { ask, type Running, running } from "./running.ts";

const proven = ["workers", "registered", "detected", "batched", "event_stored", "judged", "alert_evaluated", "published"];

let world: Running;
beforeEach(async () => {
  world = await running();
});
afterEach(() => world.close());

const selftest = async (daemon: TestDaemon, seconds = 30) =>
  (await ask(daemon, `POST /api/system/selftest?timeout_seconds=${seconds}`)).body;

/** Number of rows of each table, and the names of homesec's schemas. */
async function traces(): Promise<unknown> {
  return await world.database.db.query(async (sql) => {
    const tables = await sql<{ name: string }[]>`
      select t.table_name as name from information_schema.tables t where t.table_schema = 'public' and t.table_name <> 'processes' order by 1
    `;
    const counts = [];
    for (const { name } of tables) {
      const [row] = await sql<[{ rows: number }]>`select count(*)::int as rows from ${sql(name)}`;
      counts.push([name, row.rows]);
    }
    return { counts, schemas: await schemas() };
  });
}
const schemas = () =>
  world.database.db.query(async (sql) =>
    (await sql<{ name: string }[]>`select nspname as name from pg_namespace where nspname like 'homesec%'`).map((row) => row.name),
  );

/** Messages that a WebSocket client receives. */
async function listener(daemon: TestDaemon) {
  const heard: { type: string; data: Record<string, unknown> }[] = [];
  const socket = new WebSocket(`${daemon.url.replace("http", "ws")}/ws/events`);
  socket.on("message", (data) => heard.push(JSON.parse(String(data))));
  await new Promise((resolve) => socket.once("open", resolve));
  return { heard, close: () => socket.close() };
}

describe("self-test", () => {
  it("self-test: proves each stage with its duration, using the built-in services", async () => {
    const daemon = await world.start({ DETECTOR_URL: "", LANGUAGE_MODEL_URL: "" });
    const report = await selftest(daemon, 120);
    expect(report, JSON.stringify(report)).toMatchObject({ status: "passed", detector: "built-in" });
    expect(report.stages.map(({ name, status }: { name: string; status: string }) => `${name} ${status}`)).toEqual(
      proven.map((name) => `${name} passed`),
    );
    const details = Object.fromEntries(report.stages.map(({ name, detail }: { name: string; detail: string }) => [name, detail]));
    expect(details).toMatchObject({
      detected: expect.stringMatching(/^person, confidence \d+ %$/),
      judged: expect.stringContaining("risk"),
    });
    let before = 0;
    for (const { at_ms, took_ms } of report.stages) {
      expect(at_ms - took_ms).toBe(before);
      before = at_ms;
    }
  });

  it("self-test: leaves no row, message, delivery or metric, during the run and after it", async () => {
    const hook = await receiver();
    const daemon = await world.start();
    await ask(daemon, "POST /api/outbound-webhooks", {
      body: {
        name: "all",
        url: hook.url,
        event_types: ["event_created", "alert_fired", "batch_analysis_started", "batch_analysis_failed"],
      },
    });
    await ask(daemon, "POST /api/alerts/rules", { body: { name: "all", severity: "low" } });
    const live = await listener(daemon);
    const before = await traces();
    const figures = async () =>
      (await (await fetch(`${daemon.url}/metrics`)).text()).match(/^homesec_(pictures_total|stage_.*_count).*$/gm);
    const countedBefore = await figures();

    // It hangs at its last service, so that everything before it can be checked.
    await world.model.setMode("hang");
    const failing = selftest(daemon, 5);
    await eventually(() => world.model.requests > 0);
    expect(await schemas()).toHaveLength(1);
    for (const path of ["cameras", "events", "detections", "images", "alerts", "events/search?q=person", "detections/labels"]) {
      const { body } = await ask(daemon, `GET /api/${path}`);
      expect(JSON.stringify(body), path).not.toContain("selftest");
      expect(body.pagination?.total ?? 0, path).toBe(0);
    }
    expect(await failing).toMatchObject({ status: "failed", message: expect.stringContaining("judged") });
    await world.model.setMode("ok");
    await ask(daemon, "POST /api/system/circuit-breakers/language_model/reset");
    expect(await selftest(daemon)).toMatchObject({ status: "passed" });

    // The alarm and its end, nothing else.
    const ofTheModel = ["circuit_breaker", "system_status", "connected"];
    const heard = () => live.heard.map(({ type }) => type).filter((type) => !ofTheModel.includes(type));
    await eventually(() => heard().length === 2);
    expect(heard()).toEqual(["infrastructure_alert", "infrastructure_alert"]);
    const withoutAlarms = (all: unknown) => JSON.stringify(all).replaceAll(/\["(journal|journal_head)",\d+\]/g, "");
    expect(withoutAlarms(await traces())).toBe(withoutAlarms(before));
    expect(await figures()).toEqual(countedBefore);
    expect(hook.received).toEqual([]);
    expect(existsSync(join(daemon.dataDir, "selftest"))).toBe(false);
    live.close();
    await hook.close();
  });

  it("self-test: names the missing proof with its reason, raises an alarm and clears it later", async () => {
    const daemon = await world.start();
    const live = await listener(daemon);
    const firing = () => live.heard.filter(({ type }) => type === "infrastructure_alert").map(({ data }) => data["status"]);
    await world.detector.setMode("refuse");
    const refused = await selftest(daemon);
    expect(refused).toMatchObject({ status: "failed", message: expect.stringMatching(/^detected: the picture was skipped: .*/) });
    expect(refused.stages.map(({ status }: { status: string }) => status)).toEqual([
      "passed",
      "passed",
      "failed",
      ...Array(5).fill("not_reached"),
    ]);
    const { recent_events } = (await ask(daemon, "GET /api/system/health")).body;
    const ofTheSelfTest = recent_events.find(({ service }: { service: string }) => service === "selftest");
    expect(ofTheSelfTest).toMatchObject({ event_type: "failure", message: refused.message });
    await eventually(() => firing().length === 1);

    await world.detector.setMode("ok");
    await world.model.setMode("refuse");
    expect(await selftest(daemon)).toMatchObject({ status: "failed", message: expect.stringMatching(/^judged: /) });
    await world.model.setMode("ok");
    expect(await selftest(daemon)).toMatchObject({ status: "passed" });
    await eventually(() => firing().length === 3);
    expect(firing()).toEqual(["firing", "firing", "resolved"]);
    expect((await ask(daemon, "GET /api/system/health")).body.recent_events[0]).toMatchObject({
      service: "selftest",
      event_type: "recovery",
    });
    live.close();

    // A detector that answers without detections would miss people too.
    await ask(daemon, "PATCH /api/system/config", { body: { detection_confidence_threshold: 0.99 } });
    expect(await selftest(daemon)).toMatchObject({ status: "failed", message: expect.stringContaining("found no person") });
  });

  it("self-test: fails while no daemon has a role it needs, and passes once another daemon has it", async () => {
    const daemon = await world.start({ ROLES: "api,detect,analyze,maintain" });
    expect(await selftest(daemon)).toMatchObject({
      status: "failed",
      message: expect.stringMatching(
        /^workers: file_watcher is not running \(no running daemon has the role watch\); alert_worker is not running .*; delivery_worker is not running /,
      ),
    });
    await world.start({ ROLES: "watch,alert,deliver" });
    await eventually(async () => (await selftest(daemon)).status === "passed");
  });

  it("self-test: includes the enrichment services and waits for none that hangs", async () => {
    const [vision, embedder, enricher] = await Promise.all([visionStandIn(), embedderStandIn(), enrichmentStandIn()]);
    const daemon = await world.start({
      ...{ VISION_EXTRACTION_ENABLED: "true", REID_ENABLED: "true", ENRICHMENT_WAIT_SECONDS: "120" },
      ...{ VISION_URL: vision.url, EMBEDDER_URL: embedder.url, ENRICHMENT_URL: enricher.url },
    });
    const judgedAfterMs = async () => {
      const report = await selftest(daemon, 30);
      expect(report, JSON.stringify(report)).toMatchObject({ status: "passed" });
      return report.stages.find(({ name }: { name: string }) => name === "judged").took_ms;
    };
    expect(await judgedAfterMs()).toBeLessThan(4_000);
    expect([vision.answered, embedder.answered, enricher.answered]).toEqual([1, 1, 1]);
    expect((await ask(daemon, "GET /api/entities")).body.pagination.total).toBe(0);
    await embedder.setMode("hang");
    expect(await judgedAfterMs()).toBeLessThan(9_000);
    await Promise.all([vision.close(), embedder.close(), enricher.close()]);
  });

  it("self-test: the next start removes the tables of a killed run, but not those of another daemon", async () => {
    await world.model.setMode("hang");
    const folder = temporaryFolder("killed");
    const env = { DATABASE_URL: world.database.url, DETECTOR_URL: world.detector.url, LANGUAGE_MODEL_URL: world.model.url };
    const doomed = await serveHomesec({ ...env, DATA_DIR: folder.path });
    fetch(`${doomed.url}/api/system/selftest`, { method: "POST" }).catch(() => {});
    await eventually(() => world.model.requests > 0);
    expect(await schemas()).toHaveLength(1);
    const beside = await world.start();
    expect(await schemas()).toHaveLength(1);
    doomed.kill("SIGKILL");
    await doomed.exit;
    await beside.stop();
    const next = await world.start({ DATA_DIR: folder.path });
    expect(await schemas()).toEqual([]);
    expect(existsSync(join(folder.path, "selftest"))).toBe(false);
    await world.model.setMode("ok");
    expect(await selftest(next)).toMatchObject({ status: "passed" });
    await folder.remove();
  });

  it("self-test: runs one at a time, as a command with an exit code and as a scheduled worker", async () => {
    const daemon = await world.start({ SELFTEST_INTERVAL_MINUTES: "5" });
    const run = (...args: string[]) => cli(["selftest", ...args], { env: { HOMESEC_URL: daemon.url } });
    const first = run();
    await eventually(async () => (await schemas()).length === 1);
    expect(await ask(daemon, "POST /api/system/selftest")).toMatchObject({ status: 409 });
    expect((await ask(daemon, "POST /api/system/selftest?timeout_seconds=4")).status).toBe(422);
    const passed = await first;
    expect(passed).toMatchObject({ code: 0, err: expect.stringContaining("went through all stages") });
    for (const name of proven) expect(passed.out).toMatch(new RegExp(`${name} +passed`));
    await world.detector.setMode("refuse");
    const failed = await run("-o", "json", "--timeout", "20s");
    expect(failed.code).toBe(7);
    expect(JSON.parse(failed.out)).toMatchObject({ status: "failed" });
    expect((await ask(daemon, "GET /api/system/workers")).body.workers).toContainEqual({ name: "selftest", running: true, message: null });
  });
});

it("self-test: the scheduled worker runs at each interval and reports the last failure", async () => {
  let runs = 0;
  const report = { message: "judged: not in time", started_at: new Date(), duration_ms: 1, timeout_seconds: 1, detector: "", stages: [] };
  const worker = createSelftestWorker({
    selftest: {
      run: async () => {
        runs += 1;
        return { ...report, status: runs === 1 ? "failed" : "passed" };
      },
    },
    everyMs: 150,
    clock: systemClock,
    log: silentLog,
  });
  await worker.start();
  expect(runs).toBe(0);
  await eventually(() => runs === 1);
  await eventually(() => worker.message?.()?.includes("judged: not in time"));
  await eventually(() => runs >= 2 && worker.message?.() === null);
  await worker.stop();
});
