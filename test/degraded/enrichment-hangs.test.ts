import { expect, test } from "vitest";
import { timed } from "../support/timed.ts";
import { type House, house } from "./house.ts";

/** More pictures than the enrichment processes concurrently. */
const rounds = 3;

/** Milliseconds from the upload of some pictures until all are processed, all events are stored, and all are analysed. */
async function passage(home: House): Promise<{ readonly detected: number; readonly closed: number; readonly judged: number }> {
  const totalOf = async (path: string): Promise<number> => (await home.get(path)).body.pagination.total;
  const [images, events] = await Promise.all([totalOf("images?status=processed"), totalOf("events")]);
  for (let round = 0; round < rounds; round += 1) await home.upload();
  const begun = performance.now();
  const since = () => performance.now() - begun;
  await home.until("images?status=processed", ({ pagination }) => pagination.total === images + 3 * rounds);
  const detected = since();
  await home.until("events", ({ pagination }) => pagination.total === events + 3);
  const closed = since();
  await home.until("events", ({ items }) => items.every((event: { analysis_status: string }) => event.analysis_status === "completed"));
  return { detected, closed, judged: since() };
}

test("degraded: hanging enrichment services delay no picture and no event, and an analysis only for the configured time", {
  ...timed,
  timeout: 120_000,
}, async () => {
  const home = await house({ optionalServices: true, env: { ENRICHMENT_WAIT_SECONDS: "3", REID_MAX_CONCURRENT: "2" } });
  try {
    const usual = await passage(home);
    await Promise.all(home.optional.map((service) => service.setMode("hang")));
    const hanging = await passage(home);
    expect(hanging.detected).toBeLessThan(usual.detected + 1_000);
    expect(hanging.closed).toBeLessThan(usual.closed + 1_500);
    expect(hanging.judged - hanging.closed).toBeLessThan(3_000 + 2_000);
  } finally {
    await home.close();
  }
});
