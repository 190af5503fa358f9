import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { silentLog } from "../../src/base/log/log.ts";
import { Breaker } from "../../src/monitoring/upstream/breaker.ts";
import { createLanguageModel, type LanguageModel } from "../../src/monitoring/upstream/language-model.ts";
import { createAnalyzeStage } from "../../src/pipeline/analyze.ts";
import type { Stage } from "../../src/pipeline/stage.ts";
import { parseConfig } from "../../src/platform/config/parse.ts";
import { createSettings } from "../../src/platform/config/settings.ts";
import { addJobs, claimJob } from "../../src/work/jobs/jobs-repository.ts";
import { virtualClock } from "../monitoring/upstream/virtual-clock.ts";
import { type TestDatabase, testDatabase } from "../support/database.ts";
import { emptyTables } from "../support/empty-tables.ts";
import { languageModelStandIn, type StandIn } from "../support/upstream.ts";

const clock = virtualClock();
const minuteMs = 60_000;
const processId = randomUUID();
let database: TestDatabase;
let standIn: StandIn;
let languageModel: LanguageModel;
let stage: Stage;

beforeAll(async () => {
  [database, standIn] = await Promise.all([testDatabase(), languageModelStandIn()]);
  const { db } = database;
  const breaker = new Breaker("language_model", { clock });
  languageModel = createLanguageModel({ url: standIn.url, breaker, clock, log: silentLog });
  const { config } = parseConfig({ env: {}, isRoot: false, home: "/nowhere", cwd: "/nowhere" });
  stage = createAnalyzeStage({
    ...{ db, clock, log: silentLog, languageModel, timeZone: "UTC" },
    settings: createSettings({ db, config, log: silentLog, clock }),
    languageModelAnsweredAt: () => breaker.state().last_success,
  });
});
afterAll(async () => {
  await languageModel.close();
  await Promise.all([standIn.close(), database.close()]);
});
beforeEach(() =>
  database.db.query(async (sql) => {
    await emptyTables(sql, "cameras, jobs, journal");
    await sql`insert into cameras (camera_id, name, folder_path) values ('gate', 'Gate', '/gate')`;
    for (let n = 1; n <= 20; n += 1) await sql`insert into events (camera_id, started_at, ended_at) values ('gate', now(), now())`;
    const rest = { priority: 0, position: clock.now(), availableAt: new Date(0) };
    await addJobs(
      sql,
      "analyze",
      Array.from({ length: 20 }, (_, n) => ({ subject: String(n + 1), ...rest })),
    );
  }),
);

/** Asks the model about an event after a while; the model replies in this mode. */
const ask = async (event: number, mode: "ok" | "error", afterMs = minuteMs): Promise<void> => {
  clock.advance(afterMs);
  await standIn.setMode(mode);
  const job = await database.db.query((sql) => claimJob(sql, { queue: "analyze", processId, now: clock.now() }, event));
  if (!job) throw new Error(`nobody is to judge event ${event}`);
  await stage.run(job, new AbortController().signal, () => {});
};
const statusOf = async (event: number): Promise<string | undefined> => {
  const [row] = await database.db.query(
    (sql) => sql<{ status: string }[]>`select e.analysis_status as status from events e where e.event_id = ${event}`,
  );
  return row?.status;
};

test("analyze: failures during an outage do not count, and the event is judged afterwards", async () => {
  for (let trial = 1; trial <= 12; trial += 1) await ask(1, "error");
  await ask(2, "ok");
  await ask(1, "error", minuteMs / 2);
  expect(await statusOf(1)).toBe("pending");
  await ask(1, "ok");
  expect([await statusOf(1), await statusOf(2)]).toEqual(["completed", "completed"]);
  const begun = await database.db.query(
    (sql) => sql<{ event: string }[]>`select j.data ->> 'event_id' as event from journal j where j.type = 'batch.analysis_started'`,
  );
  expect(begun.map(({ event }) => event)).toEqual(["1", "2"]);
});

test("analyze: an event goes to the dead letters if the model fails on it while it judges others", async () => {
  for (let other = 2; other <= 12; other += 1) {
    expect(await statusOf(1)).toBe("pending");
    await ask(other, "ok");
    await ask(1, "error", minuteMs / 2);
  }
  expect(await statusOf(1)).toBe("failed");
});
