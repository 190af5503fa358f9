import { setImmediate } from "node:timers/promises";
import { Registry } from "prom-client";
import { expect, test } from "vitest";
import { staleWhileRevalidate } from "../../../daemon/metrics/stale-while-revalidate.ts";
import { createCameraLabels, createWorkMetrics } from "../../../daemon/metrics/work.ts";

test("scrape: waits only for the first values; a late value is shown by the next scrape", async () => {
  const answers: ((figures: number | undefined) => void)[] = [];
  const figures = staleWhileRevalidate(() => new Promise<number | undefined>((resolve) => answers.push(resolve)));
  const first = figures();
  answers[0]?.(1);
  expect(await first).toBe(1);

  expect(await figures()).toBe(1);
  expect(await figures()).toBe(1);
  // Only one request runs at a time, however many scrapes there are.
  expect(answers).toHaveLength(2);
  answers[1]?.(2);
  await setImmediate();
  const third = figures();
  answers[2]?.(3);
  expect(await third).toBe(3);
});

test("scrape: the value of a source that no longer answers becomes unknown", async () => {
  let healthy = true;
  const figures = staleWhileRevalidate(async () => (healthy ? 1 : undefined));
  expect(await figures()).toBe(1);
  healthy = false;
  expect(await figures()).toBeUndefined();
});

test("scrape: only the first hundred cameras have separate time series", async () => {
  const registry = new Registry();
  const work = createWorkMetrics(registry, createCameraLabels());
  for (let n = 0; n < 250; n += 1) work.picturesRegistered(`camera_${n}`, { added: 2, pending: 1 });
  work.picturesRegistered("camera_0", { added: 1, pending: 1 });
  const lines = (await registry.metrics()).match(/^homesec_pictures_total.*$/gm) ?? [];
  expect(lines).toHaveLength(101);
  expect(lines).toContain('homesec_pictures_total{camera_id="camera_0"} 3');
  expect(lines).toContain('homesec_pictures_total{camera_id="other"} 300');
});

test("scrape: unknown classes are counted together as other", async () => {
  const registry = new Registry();
  const work = createWorkMetrics(registry, createCameraLabels());
  const row = (object_type: string) => ({
    sequence: 1,
    type: "detection.new",
    data: JSON.stringify({ object_type }),
    created_at: new Date(),
  });
  work.published([row("dog"), row("a word of a person")]);
  const text = await registry.metrics();
  expect(text).toMatch(/^homesec_detections_total\{object_type="dog"\} 1$/m);
  expect(text).toMatch(/^homesec_detections_total\{object_type="other"\} 1$/m);
  expect(text).not.toContain("of a person");
});
