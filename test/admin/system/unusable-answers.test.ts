import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TestDaemon } from "../../support/daemon.ts";
import { eventually } from "../../support/eventually.ts";
import { renameIn, uniqueJpeg } from "../../support/pictures.ts";
import { detectorStandIn, onePerson, type StandIn } from "../../support/upstream.ts";
import { ask, type Running, running } from "./running.ts";

let world: Running;
let daemon: TestDaemon;
let detector: StandIn;
let detections: readonly object[] = [];

beforeAll(async () => {
  world = await running();
  detector = await detectorStandIn({ answer: () => ({ ...onePerson(), detections }) });
  daemon = await world.start({ DETECTOR_URL: detector.url });
});
afterAll(async () => {
  await world.close();
  await detector.close();
});

const get = async (path: string) => (await ask(daemon, `GET ${path}`)).body;
let uploads = 0;

/** Uploads pictures, and returns their entries in the ledger once they are processed, newest first. */
async function processed(count: number) {
  for (let n = 0; n < count; n += 1) {
    uploads += 1;
    await renameIn(join(daemon.cameraRoot, "yard", `${uploads}.jpg`), await uniqueJpeg());
  }
  return await eventually(async () => {
    const { items } = await get("/api/images?status=processed");
    return items.length === uploads ? items : undefined;
  });
}

describe("a detector whose answers homesec cannot use", () => {
  it("unusable answers: ledger, explain and metrics count them, and the health names them until a detection can be used", async () => {
    const vehicle = { class: "vehicle", confidence: 0.88, bbox: { x: 1, y: 2, width: 30, height: 40 } };
    detections = [vehicle, vehicle, { class: "chair", confidence: 0.7 }];
    const [image] = await processed(5);
    expect(image).toMatchObject({
      detection_count: 0,
      left_out: [
        { reason: "unknown_class", count: 2, example: JSON.stringify(vehicle) },
        { reason: "other_class", count: 1, example: "chair" },
      ],
    });

    const explained = await get(`/api/images/${image.id}/explain`);
    expect(explained.outcome).toBe(
      `The picture led to no event: the detector sent nothing that homesec can use. homesec left out detections: 2 with a class that homesec does not know, such as ${JSON.stringify(vehicle)}; 1 of a class that homesec does not count, such as chair.`,
    );
    expect(await (await fetch(`${daemon.url}/metrics`)).text()).toMatch(
      /^homesec_detections_left_out_total\{reason="unknown_class"\} 10\n(?:.*\n)*homesec_detections_left_out_total\{reason="other_class"\} 5\n/m,
    );

    const fault = `homesec cannot use 10 of its last 10 detections: 10 with a class that homesec does not know, such as ${JSON.stringify(vehicle)}`;
    const { status, body } = await ask(daemon, "GET /api/system/health");
    expect(status).toBe(503);
    expect(body).toMatchObject({
      status: "degraded",
      services: { ai: { message: `detector: ${fault}`, details: { detector: "unhealthy", language_model: "healthy" } } },
    });
    expect((await get("/api/system/health/full")).ai_services[0]).toMatchObject({ name: "detector", status: "unhealthy", error: fault });

    detections = [vehicle, { class: "people", confidence: 0.9 }];
    expect((await processed(1))[0]).toMatchObject({ detection_count: 1, left_out: [{ reason: "unknown_class", count: 1 }] });
    expect(await get("/api/system/health")).toMatchObject({ status: "healthy" });
  });

  it("unusable answers: detections below the threshold and without a readable box are counted, and no fault", async () => {
    detections = [
      { class: "person", confidence: 43, bbox: null },
      { class: "person", confidence: 12, bbox: null },
      { class: "dog", confidence: 91, bbox: "left" },
    ];
    const [image] = await processed(1);
    expect(image).toMatchObject({
      detection_count: 1,
      left_out: [
        { reason: "bad_box", count: 1, example: '{"class":"dog","confidence":91,"bbox":"left"}' },
        { reason: "below_threshold", count: 2, example: "person 43 %" },
      ],
    });
    const { steps } = await get(`/api/images/${image.id}/explain`);
    const { text } = steps.find(({ step }: { readonly step: string }) => step === "detection");
    expect(text).toMatch(
      /found 1 detection: dog 91 %\. homesec left out detections: 2 below the confidence threshold, such as person 43 %\./,
    );
    expect(text).toContain("homesec kept detections without their box: 1 with a box that cannot be read, such as {");
    expect(await get("/api/system/health")).toMatchObject({ status: "healthy" });
  });
});
