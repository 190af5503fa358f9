import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { cli } from "../support/cli.ts";
import { type TestDaemon, testDaemon } from "../support/daemon.ts";
import { type TestDatabase, testDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { renameIn, uniqueJpeg } from "../support/pictures.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { languageModelStandIn, type StandIn } from "../support/upstream.ts";
import { constantModel } from "../support/yolo.ts";

const folder = temporaryFolder("own-model");
let database: TestDatabase;
let model: StandIn;
let daemon: TestDaemon | undefined;
beforeAll(async () => {
  database = await testDatabase();
  model = await languageModelStandIn();
});
afterEach(() => daemon?.stop());
afterAll(async () => {
  await model.close();
  await database.close();
  await folder.remove();
});

async function images() {
  return await database.db.query(
    (sql) => sql<{ status: string; detail: string | null; detector: string | null }[]>`
      select i.status, i.detail, i.detector from images i order by i.image_id
    `,
  );
}

test("with an unusable model, pictures wait, health gives the reason, and they are processed once the model is fixed", async () => {
  const path = join(folder.path, "garden.onnx");
  await writeFile(path, "nothing");
  daemon = await testDaemon({ env: { DATABASE_URL: database.url, LANGUAGE_MODEL_URL: model.url, DETECTOR_MODEL_PATH: path } });
  const { url, cameraRoot } = daemon;
  for (const name of ["a.jpg", "b.jpg", "c.jpg", "d.jpg", "e.jpg"]) await renameIn(join(cameraRoot, "yard", name), await uniqueJpeg());
  await eventually(async () => (await images()).filter(({ status }) => status === "deferred").length === 5, {
    what: "deferred pictures",
    timeoutMs: 30_000,
  });
  expect((await images())[0]?.detail).toMatch(/garden\.onnx cannot be used: .*not ONNX.*; copy it again/);
  const health = async () =>
    (await (await fetch(`${url}/api/system/health`)).json()) as { services: { ai: object }; recent_events: object[] };
  await eventually(async () => JSON.stringify((await health()).services.ai).includes("cannot be used"), { what: "the reason in health" });
  const reason = expect.stringContaining("garden.onnx cannot be used");
  expect(await health()).toMatchObject({ services: { ai: { status: "degraded", details: { detector: "unhealthy" }, message: reason } } });
  expect((await health()).recent_events).toContainEqual(
    expect.objectContaining({ service: "detector", event_type: "failure", message: reason }),
  );

  await writeFile(path, constantModel([[100, 100, 200, 200, 0.9, 1]], { names: ["person", "dog"] }));
  await eventually(async () => (await images()).every(({ status }) => status === "processed"), {
    what: "all processed",
    timeoutMs: 60_000,
  });
  expect(await images()).toHaveLength(5);
  const { items } = (await (await fetch(`${url}/api/detections`)).json()) as { items: { object_type: string }[] };
  expect(items.map(({ object_type }) => object_type)).toEqual(Array(5).fill("dog"));
});

test("config check reports an unusable model and accepts a good one", async () => {
  const env = { DETECTOR_MODEL_PATH: join(folder.path, "absent.onnx") };
  const refused = await cli(["config", "check"], { env });
  expect(refused).toMatchObject({ code: 2, out: "" });
  expect(refused.err).toMatch(/absent\.onnx cannot be used: there is no such file; correct the path/);
  await writeFile(env.DETECTOR_MODEL_PATH, constantModel([[1, 1, 2, 2, 0.9, 0]]));
  expect(await cli(["config", "check"], { env })).toEqual({ code: 0, out: "", err: "the configuration is valid\n" });
});
