import { afterAll, beforeAll, expect, test } from "vitest";
import { childrenRunning } from "../../support/children.ts";
import { eventually } from "../../support/eventually.ts";
import { startWorld, type World } from "./world.ts";

/** No service has a configured address, so a real daemon uses the built-in ones. */

let world: World;
beforeAll(async () => {
  world = await startWorld({ builtIn: true });
});
afterAll(() => world.stop());

test("built-in enrichment finds colours, size, position and an entity without configuration", async () => {
  await world.upload("yard");
  const found = await world.enrichment(1);
  expect(found).toMatchObject({
    attributes: { size: "small", position: "top left", seen_before: false },
    ocr: [],
    caption: null,
    has_embedding: true,
    services: { vision: "completed", embedder: "completed", enrichment: "completed" },
    errors: [],
  });
  expect(found.attributes["colors"]).toEqual(expect.arrayContaining([expect.any(String)]));
  expect(found.attributes["brightness"]).toMatch(/^(dark|dim|bright)$/);
  const [entity] = (await world.get<{ items: { id: string; object_type: string }[] }>("/api/entities")).items;
  expect(entity).toMatchObject({ id: found.entity_id, object_type: "person" });
});

test("built-in embedder: the same picture gives the same entity, another picture does not", async () => {
  const entityOf = async (index: number) => {
    const before = (await world.get<{ pagination: { total: number } }>("/api/detections")).pagination.total;
    await world.upload("yard", index);
    await eventually(async () => (await world.get<{ pagination: { total: number } }>("/api/detections")).pagination.total > before);
    return (await world.enrichment(before + 1)).entity_id;
  };
  expect(await entityOf(0)).toBe((await world.enrichment(1)).entity_id);
});

test("health lists the built-in services and labels them", async () => {
  const statuses = async () => {
    const health = await world.get<{ ai_services: { name: string; status: string; url: string }[] }>("/api/system/health/full");
    return health.ai_services.map(({ name, status }) => `${name} ${status}`).join(", ");
  };
  await eventually(
    async () => (await statuses()) === "detector healthy, language_model healthy, vision healthy, embedder healthy, enrichment healthy",
  );
});

test("the built-in services share one process, which runs only while it is needed", async () => {
  const processes = () => childrenRunning(process.pid, "builtin/enrichment").length;
  expect(processes()).toBe(1);
  await world.patch("/api/system/config", { vision_extraction_enabled: false, reid_enabled: false });
  await eventually(() => processes() === 0, { what: "the end of the process" });
  await world.patch("/api/system/config", { reid_enabled: true });
  await eventually(() => processes() === 1, { what: "its start" });
});
