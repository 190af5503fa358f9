import { afterEach, expect, test } from "vitest";
import { probeHealth } from "../../../src/monitoring/upstream/probe.ts";
import { detectorStandIn, type StandIn } from "../../support/upstream.ts";

const opened: StandIn[] = [];
afterEach(async () => {
  for (const each of opened.splice(0)) await each.close();
});

async function open(): Promise<StandIn> {
  const standIn = await detectorStandIn();
  opened.push(standIn);
  return standIn;
}

test("a healthy service, with what it says of itself", async () => {
  const { url } = await open();
  const probe = await probeHealth(url);
  expect(probe).toMatchObject({ healthy: true, error: null, body: { model_loaded: true, device: "cpu" } });
  expect(probe.responseMs).toBeGreaterThan(0);
});

test.each([
  ["down", /ECONNREFUSED/],
  ["hang", /within 200 ms/],
  ["slow", /within 200 ms/],
  ["error", /status 500/],
  ["redirect", /status 302/],
  ["reset", /./],
] as const)("a service in mode %s is not healthy", async (mode, error) => {
  const standIn = await open();
  await standIn.setMode(mode);
  expect(await probeHealth(standIn.url, 200)).toMatchObject({ healthy: false, error: expect.stringMatching(error) });
});

test("a health answer need not be JSON, and an address must be one", async () => {
  const standIn = await open();
  await standIn.setMode("html");
  expect(await probeHealth(standIn.url)).toMatchObject({ healthy: true, body: null });
  expect(await probeHealth("nowhere")).toMatchObject({ healthy: false, error: expect.stringContaining("nowhere") });
});
