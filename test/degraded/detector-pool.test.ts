import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { deepStackStandIn, found } from "../support/deepstack.ts";
import { detectorStandIn, type StandIn } from "../support/upstream.ts";
import { type House, house } from "./house.ts";

describe("several detectors", () => {
  let home: House;
  let second: StandIn;

  beforeAll(async () => {
    [home, second] = await Promise.all([house(), detectorStandIn()]);
  });
  afterAll(async () => {
    await home.close();
    await second.close();
  });

  const detectorsOf = async (): Promise<readonly string[]> => {
    const { items } = (await home.get("images?limit=100")).body;
    return items.map(({ detector }: { detector: string }) => detector);
  };
  const change = (url: string | null) =>
    fetch(`${home.daemon.url}/api/system/config`, {
      method: "PATCH",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ detector_url: url }),
    });

  it("several detectors: are set while the daemon runs, and one that fails loses no picture and opens no breaker", async () => {
    await home.upload();
    await home.until("images?status=processed", ({ items }) => items.length === 3);
    expect(new Set(await detectorsOf())).toEqual(new Set([home.detector.url]));

    expect((await change(`${home.detector.url},${second.url}`)).status).toBe(200);
    await home.until("system/health/full", ({ ai_services }) => ai_services[0].note?.includes(second.url) === true);
    await home.detector.setMode("down");
    for (let round = 0; round < 3; round += 1) await home.upload();
    await home.until("images?status=processed&limit=100", ({ items }) => items.length === 12);
    expect((await detectorsOf()).filter((detector) => detector === second.url)).toHaveLength(9);
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
    await home.until("images?status=processed&limit=100", ({ items }) => items.length === 15);
  });
});
