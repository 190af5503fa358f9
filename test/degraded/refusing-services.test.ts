import { describe, expect, test } from "vitest";
import { type House, house } from "./house.ts";

/* Services that answer, but whose answers say nothing about the picture or the event: no work is lost, and the health says what to fix. */

interface Health {
  readonly status: string;
  readonly services: { readonly ai: { readonly status: string; readonly message: string } };
  readonly recent_events: readonly { readonly service: string; readonly event_type: string }[];
}

async function inHouse(work: (home: House) => Promise<void>): Promise<void> {
  const home = await house();
  try {
    await work(home);
  } finally {
    await home.close();
  }
}

describe("degraded: a service that refuses everything", { concurrent: true, timeout: 120_000 }, () => {
  test.each([
    ["for a key", 401, /detector: .*status 401: the service asks for a key/],
    ["because its address moved", 308, /detector: .*status 308: the service redirects, .* correct DETECTOR_URL/],
    ["with the page of a proxy", 404, /detector: .*status 404: nothing there answers POST \/detect; .*correct DETECTOR_URL/],
    ["as unprocessable", 422, /detector: .*status 422, and 422 for a test request: the service refuses everything/],
  ])("%s is unhealthy until a picture goes through, and no picture is lost", async (_, status, fault) => {
    await inHouse(async (home) => {
      await home.detector.setMode(status);
      await home.upload();
      await home.until("system/circuit-breakers", ({ breakers }) => breakers[0].state === "open");
      await home.until("images?status=deferred", ({ items }) => items.length === 3);
      const opened = (await home.get("system/circuit-breakers")).body.breakers[0].last_failure;
      home.passHalfMinute();
      // The next trial fails too; until then, GET /health of the service is well.
      await home.until("system/circuit-breakers", ({ breakers }) => {
        return breakers[0].last_failure !== opened && breakers[0].state === "open";
      });
      const { recent_events, ...health }: Health = (await home.get("system/health")).body;
      expect(health).toMatchObject({ status: "degraded", services: { ai: { message: expect.stringMatching(fault) } } });
      const ofDetector = recent_events.filter(({ service }) => service === "detector");
      expect(ofDetector.map(({ event_type }) => event_type)).not.toContain("recovery");
      expect((await home.get("dlq/stats")).body.total_count).toBe(0);

      await home.detector.setMode("ok");
      home.passHalfMinute();
      await home.until("detections", ({ pagination }) => pagination.total === 3);
      await home.until("system/health", (body: Health) => body.services.ai.status === "healthy");
    });
  });

  test("as too busy is unhealthy after two minutes", async () => {
    await inHouse(async (home) => {
      await home.model.setMode("busy");
      await home.upload();
      await home.until("events", ({ items }) => items.length === 3);
      await home.until("system/health", (body: Health) => {
        home.passHalfMinute();
        return body.services.ai.message.includes("language_model: too busy for every request since 20");
      });
      await home.model.setMode("ok");
      home.passHalfMinute();
      await home.until("events", ({ items }) => items.every((event: { risk_score: number | null }) => event.risk_score === 42));
      await home.until("system/health", (body: Health) => body.services.ai.status === "healthy");
    });
  });
});
