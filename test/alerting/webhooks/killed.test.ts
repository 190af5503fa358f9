import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { noServices } from "../../support/daemon.ts";
import { type TestDatabase, testDatabase } from "../../support/database.ts";
import { eventually } from "../../support/eventually.ts";
import { endWhatRuns, serveHomesec } from "../../support/homesec-process.ts";
import { type Receiver, receiver } from "../../support/receiver.ts";
import { temporaryFolder } from "../../support/temporary.ts";
import { languageModelStandIn, type StandIn } from "../../support/upstream.ts";

const folder = temporaryFolder("killed");
let database: TestDatabase;
let target: Receiver;
let model: StandIn;
beforeAll(async () => {
  [database, target, model] = await Promise.all([testDatabase(), receiver(), languageModelStandIn({ delayMs: 2_000 })]);
});
afterAll(async () => {
  await endWhatRuns();
  await Promise.all([target.close(), model.close(), database.close(), folder.remove()]);
});

test("webhooks: a new event whose daemon is killed while its message waits arrives once, after the restart", async () => {
  const env = {
    DATABASE_URL: database.url,
    DATA_DIR: folder.path,
    SECRET_KEY_PATH: join(folder.path, "key"),
    ...{ ...noServices, LANGUAGE_MODEL_URL: model.url },
  };
  const first = await serveHomesec(env);
  const post = async (path: string, body: object): Promise<void> => {
    const init = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
    expect((await fetch(`${first.url}/api/${path}`, init)).ok, path).toBe(true);
  };
  await post("cameras", { name: "yard" });
  await post("outbound-webhooks", { name: "hook", url: target.url, event_types: ["event_created"] });
  await post("events/bulk", { events: [{ camera_id: "yard", started_at: new Date().toISOString() }] });
  await eventually(() => model.requests > 0, { what: "the analysis" });
  first.kill("SIGKILL");
  await first.exit;
  expect(target.received).toEqual([]);

  await serveHomesec(env);
  await eventually(() => model.answered > 0 && target.received.length > 0, { what: "the message" });
  // Another one would come with the judgement
  await eventually(async () => {
    const [event] = await database.db.query((sql) => sql<[{ status: string }]>`select e.analysis_status as status from events e`);
    return event.status === "completed";
  });
  expect(target.received.map(({ body }) => (JSON.parse(body) as { data: { event_id: number } }).data.event_id)).toEqual([1]);
});
