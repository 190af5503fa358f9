import { setImmediate } from "node:timers/promises";
import { Registry } from "prom-client";
import { expect, test } from "vitest";
import { createCameraLabels } from "../../../daemon/metrics/camera-labels.ts";
import { promptly } from "../../../daemon/metrics/promptly.ts";
import { countWork } from "../../../daemon/metrics/work.ts";

test("a scrape waits for the first figures, and after that for none: what is late is shown by the next one", async () => {
  const answers: ((figures: number | undefined) => void)[] = [];
  const figures = promptly(() => new Promise<number | undefined>((resolve) => answers.push(resolve)));
  const first = figures();
  answers[0]?.(1);
  expect(await first).toBe(1);

  expect(await figures()).toBe(1);
  expect(await figures()).toBe(1);
  // one question at a time, however many scrapes
  expect(answers).toHaveLength(2);
  answers[1]?.(2);
  await setImmediate();
  const third = figures();
  answers[2]?.(3);
  expect(await third).toBe(3);
});

test("what does not answer any more is not known any more", async () => {
  let well = true;
  const figures = promptly(async () => (well ? 1 : undefined));
  expect(await figures()).toBe(1);
  well = false;
  expect(await figures()).toBeUndefined();
});

test("however many cameras there are, a hundred have a time series of their own", async () => {
  const registry = new Registry();
  const work = countWork(registry, createCameraLabels());
  for (let n = 0; n < 250; n += 1) work.picturesRegistered(`camera_${n}`, { added: 2, pending: 1 });
  work.picturesRegistered("camera_0", { added: 1, pending: 1 });
  const lines = (await registry.metrics()).match(/^homesec_pictures_total.*$/gm) ?? [];
  expect(lines).toHaveLength(101);
  expect(lines).toContain('homesec_pictures_total{camera_id="camera_0"} 3');
  expect(lines).toContain('homesec_pictures_total{camera_id="other"} 300');
});

test("what is of no known class is counted, under no name of its own", async () => {
  const registry = new Registry();
  const work = countWork(registry, createCameraLabels());
  const row = (object_type: string) => ({
    sequence: 1,
    type: "detection.new",
    data: JSON.stringify({ object_type }),
    created_at: new Date(),
  });
  work.published([row("dog"), row("a word that somebody wrote")]);
  const text = await registry.metrics();
  expect(text).toMatch(/^homesec_detections_total\{object_type="dog"\} 1$/m);
  expect(text).toMatch(/^homesec_detections_total\{object_type="other"\} 1$/m);
  expect(text).not.toContain("somebody");
});
