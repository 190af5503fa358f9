import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { deepStackStandIn, found } from "../support/deepstack.ts";
import { detectorStandIn, onePerson, type StandIn } from "../support/upstream.ts";
import { type House, house } from "./house.ts";

describe("several detectors", () => {
  let home: House;
  let second: StandIn;
  let seenBySecond = onePerson();

  beforeAll(async () => {
    [home, second] = await Promise.all([house(), detectorStandIn({ answer: () => seenBySecond })]);
  });
  afterAll(async () => {
    await home.close();
    await second.close();
  });

  const detectorsOf = async (): Promise<readonly string[]> => {
    const { items } = (await home.get("images?limit=100")).body;
    return items.map(({ detector }: { detector: string }) => detector);
  };
  const change = (settings: object) =>
    fetch(`${home.daemon.url}/api/system/config`, {
      method: "PATCH",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(settings),
    });

  it("several detectors: are set while the daemon runs", async () => {
    await home.upload();
    await home.until("images?status=processed", ({ items }) => items.length === 3);
    expect(new Set(await detectorsOf())).toEqual(new Set([home.detector.url]));

    expect((await change({ detector_url: `${home.detector.url},${second.url}` })).status).toBe(200);
    await home.until("system/health/full", ({ ai_services }) => ai_services[0].note?.includes(second.url) === true);
  });

  it("second opinion: what only one of two detectors saw is no detection, counted in the ledger, and explained", async () => {
    seenBySecond = { ...onePerson(), detections: [{ class: "cat", confidence: 0.6, bbox: { x: 10, y: 20, width: 60, height: 120 } }] };
    expect((await change({ detector_second_opinion_below: 0.95 })).status).toBe(200);
    await home.upload();
    const { items } = await home.until("images?status=processed", (body) => body.items.length === 6);
    for (const image of items.slice(0, 3)) {
      expect(image).toMatchObject({ detection_count: 0, left_out: [{ reason: "second_opinion", count: 1 }] });
    }
    const { outcome, steps } = (await home.get(`images/${items[0].id}/explain`)).body;
    expect(outcome).toMatch(/found nothing that the second detector saw too.* did not see, such as (person 90|cat 60) %/);
    expect(JSON.stringify(steps)).toMatch(/The second detector http:\S+ saw none of it/);
    seenBySecond = onePerson(0.8);
    await home.upload();
    const confirmed = await home.until("images?status=processed", (body) => body.items.length === 9);
    for (const image of confirmed.items.slice(0, 3)) expect(image).toMatchObject({ detection_count: 1, left_out: [] });
    expect((await home.get("detections?limit=1")).body.items[0]).toMatchObject({ object_type: "person", confidence: 0.9 });
    expect((await change({ detector_second_opinion_below: null })).status).toBe(200);
  });

  it("several detectors: one that fails loses no picture and opens no breaker", async () => {
    await home.detector.setMode("down");
    for (let round = 0; round < 3; round += 1) await home.upload();
    await home.until("images?status=processed&limit=100", ({ items }) => items.length === 18);
    expect((await detectorsOf()).slice(0, 9).filter((detector) => detector === second.url)).toHaveLength(9);
    expect((await home.get("images?status=deferred")).body.items).toEqual([]);
    expect(await home.breaker("detector")).toBe("closed");
    const health = await home.until("system/health/full", ({ ai_services }) => /does not work/.test(ai_services[0].note ?? ""));
    expect(health.ai_services[0]).toMatchObject({ name: "detector", status: "healthy", url: second.url });
    const metrics = await (await fetch(`${home.daemon.url}/metrics`)).text();
    expect(metrics).toContain(`homesec_detector_requests_total{detector="2",outcome="success"}`);
    expect(metrics).toContain(`homesec_detector_requests_total{detector="1",outcome="failure"}`);
  });

  it("detector comparison: one stored picture goes to both, and what only one of them found is marked", async () => {
    const compare = async (id: number, body: object) => {
      const headers = { "content-type": "application/json" };
      const answer = await fetch(`${home.daemon.url}/api/images/${id}/compare`, { method: "POST", headers, body: JSON.stringify(body) });
      // biome-ignore lint/suspicious/noExplicitAny: tests read any field of an answer
      return { status: answer.status, body: (await answer.json()) as any };
    };
    const [{ id }] = (await home.get("images?limit=1&status=processed")).body.items;
    const seen = { label: "dog", confidence: 0.9, x_min: 300, y_min: 300, x_max: 400, y_max: 400 };
    const other = await deepStackStandIn("deepstack", () => found(seen, { ...seen, confidence: 0.2 }));
    const { status, body } = await compare(id, { a: "current", b: other.url });
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { image_id: id, picture: expect.stringMatching(/^data:image\/webp;base64,/) },
    });
    expect(body.a).toMatchObject({ detector: "current", problem: null, objects: [{ object_type: "person", only: true }] });
    expect(body.b).toMatchObject({ detector: other.url, problem: null, objects: [{ object_type: "dog", confidence: 0.9, only: true }] });
    await other.close();
    expect((await compare(id, { a: "current", b: other.url })).body.b).toMatchObject({ problem: expect.any(String), objects: [] });
    expect((await compare(id, { a: "current", b: "http://169.254.169.254" })).status).toBe(422);
    expect((await compare(id, { a: "current", b: "elsewhere" })).status).toBe(422);
    expect((await compare(999_999, { a: "current", b: "current" })).status).toBe(404);
  });

  it("several detectors: pictures wait while none answers, and are processed when one does", async () => {
    await second.setMode("down");
    await home.upload();
    await home.until("images?status=deferred", ({ items }) => items.length === 3);
    await home.until("system/circuit-breakers", ({ breakers }) => breakers[0].state === "open");
    await second.setMode("ok");
    home.passHalfMinute();
    await home.until("images?status=processed&limit=100", ({ items }) => items.length === 21);
  });
});
