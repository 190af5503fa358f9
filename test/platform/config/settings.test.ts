import { isDeepStrictEqual } from "node:util";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { systemClock } from "../../../src/base/clock/clock.ts";
import { silentLog } from "../../../src/base/log/log.ts";
import { parseConfig } from "../../../src/platform/config/parse.ts";
import { createSettings, type StoredSettings, storedValues } from "../../../src/platform/config/settings.ts";
import type { Database } from "../../../src/platform/database/database.ts";
import { openPool } from "../../../src/platform/database/pool.ts";
import { type TestDatabase, testDatabase } from "../../support/database.ts";
import { eventually } from "../../support/eventually.ts";

const { config } = parseConfig({ env: { RETENTION_DAYS: "14" }, isRoot: false, home: "/home/ada", cwd: "/" });
let database: TestDatabase;
const open: (() => Promise<void>)[] = [];

beforeAll(async () => {
  database = await testDatabase();
});
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
  await database.db.query((sql) => sql`delete from settings`);
});
afterAll(() => database.close());

/** Settings as in a separate process. */
async function instance(): Promise<StoredSettings & { readonly db: Database }> {
  const db = openPool({ url: database.url }, { max: 2, log: silentLog });
  const settings = createSettings({ db, config, log: silentLog, clock: systemClock });
  await settings.start();
  open.push(async () => {
    await settings.stop();
    await db.close();
  });
  return { ...settings, db };
}

describe("settings", () => {
  it("settings: are those of the configuration until they change", async () => {
    const settings = await instance();
    expect(settings.current()).toEqual({
      batchWindowSeconds: 90,
      batchIdleTimeoutSeconds: 30,
      retentionDays: 14,
      detectionConfidenceThreshold: 0.5,
      riskScoreThresholds: { low: 0, medium: 30, high: 60, critical: 80 },
      detectorUrl: null,
      visionUrl: null,
      embedderUrl: null,
      enrichmentUrl: null,
      visionExtractionEnabled: true,
      reidEnabled: true,
      sceneChangeEnabled: true,
      detectorSecondOpinionBelow: 0,
    });
    expect(settings.source("retentionDays")).toBe("configuration");
  });

  it("settings: reach a process that could not read them at the notification", async () => {
    const [one, two] = [await instance(), await instance()];
    await one.db.query((sql) => sql`alter table settings rename to settings_aside`);
    // The change is announced but cannot be read
    await one.db.query((sql) => sql`select pg_notify('homesec_settings', '')`);
    await new Promise((resolve) => setTimeout(resolve, 300));
    await one.db.transaction(async (sql) => {
      await sql`alter table settings_aside rename to settings`;
      await sql`insert into settings (key, value) values ('RETENTION_DAYS', '3')`;
    });
    await eventually(() => two.current().retentionDays === 3, { what: "the change in the other process" });
  });

  it("settings: reach every process, take precedence over the configuration and survive a restart", async () => {
    const [one, two] = [await instance(), await instance()];
    const answer = await one.patch({ retentionDays: 3, riskScoreThresholds: { high: 50 } });
    expect(answer).toMatchObject({ retentionDays: 3, riskScoreThresholds: { low: 0, medium: 30, high: 50, critical: 80 } });
    expect(one.current()).toEqual(answer);
    await eventually(() => isDeepStrictEqual(two.current(), answer));
    expect([two.source("retentionDays"), two.source("batchWindowSeconds")]).toEqual(["settings", "configuration"]);
    expect((await instance()).current()).toEqual(answer);
    expect(Object.fromEntries(await storedValues(database.db, silentLog))).toEqual({
      RETENTION_DAYS: 3,
      RISK_SCORE_THRESHOLDS: { low: 0, medium: 30, high: 50, critical: 80 },
    });
  });

  it("settings: merge thresholds of simultaneous writers", async () => {
    const [one, two] = [await instance(), await instance()];
    await Promise.all([one.patch({ riskScoreThresholds: { medium: 20 } }), two.patch({ riskScoreThresholds: { critical: 90 } })]);
    expect((await instance()).current().riskScoreThresholds).toEqual({ low: 0, medium: 20, high: 60, critical: 90 });
  });

  it("settings: are read again after a lost connection", async () => {
    const settings = await instance();
    await database.db.query(
      (sql) => sql`
        select pg_terminate_backend(a.pid)
        from pg_stat_activity a
        where a.datname = current_database() and a.pid <> pg_backend_pid()`,
    );
    await database.db.query((sql) => sql`insert into settings (key, value) values ('RETENTION_DAYS', '5')`);
    await eventually(() => settings.current().retentionDays === 5);
  });

  it.each([
    [{ riskScoreThresholds: { low: 1 } }, ["body", "risk_score_thresholds"], "value_error"],
    [{ riskScoreThresholds: { medium: 60 } }, ["body", "risk_score_thresholds"], "value_error"],
    [{ riskScoreThresholds: { critical: 101 } }, ["body", "risk_score_thresholds", "critical"], "less_than_equal"],
    [{ riskScoreThresholds: { high: 60.5 } }, ["body", "risk_score_thresholds", "high"], "int_parsing"],
    [{ retentionDays: 0 }, ["body", "retention_days"], "greater_than_equal"],
    [{ batchWindowSeconds: 1.5 }, ["body", "batch_timeout_seconds"], "int_parsing"],
    [{ detectionConfidenceThreshold: 2 }, ["body", "detection_confidence_threshold"], "less_than_equal"],
  ])("settings: refuse %j and change nothing", async (patch, loc, type) => {
    const settings = await instance();
    const before = settings.current();
    await expect(settings.patch({ batchIdleTimeoutSeconds: 7, ...patch })).rejects.toMatchObject({
      kind: "invalid",
      items: [{ loc, type }],
    });
    expect((await instance()).current()).toEqual(before);
  });

  it("settings: ignore stored values that are invalid", async () => {
    await database.db.query((sql) => sql`insert into settings (key, value) values ('RETENTION_DAYS', '"x"'), ('FUTURE', '1')`);
    expect((await instance()).current().retentionDays).toBe(14);
  });
});
