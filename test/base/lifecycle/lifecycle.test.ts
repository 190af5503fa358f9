import { expect, test } from "vitest";
import { Lifecycle } from "../../../src/base/lifecycle/lifecycle.ts";

test("lifecycle: stops the last started first, once, and reports failures after trying everything", async () => {
  const lifecycle = new Lifecycle();
  const order: string[] = [];
  lifecycle.onStop("first", () => void order.push("first"));
  lifecycle.onStop("second", () => {
    order.push("second");
    throw new Error("it is stuck");
  });
  lifecycle.onStop("third", async () => void order.push("third"));
  const stopped = lifecycle.stop();
  expect(lifecycle.stop()).toBe(stopped);
  await expect(stopped).rejects.toThrow("stopping second failed: Error: it is stuck");
  expect(order).toEqual(["third", "second", "first"]);
  expect(() => lifecycle.onStop("late", () => {})).toThrow("late started while stopping");
});

test("lifecycle: calls every stop within 5 s, however many steps hang", async () => {
  const lifecycle = new Lifecycle();
  const told: number[] = [];
  for (let step = 0; step < 6; step += 1) {
    lifecycle.onStop(`step ${step}`, () => {
      told.push(step);
      return new Promise(() => {});
    });
  }
  const startedAt = performance.now();
  await expect(lifecycle.stop()).rejects.toThrow("stopping step 0 failed");
  expect(performance.now() - startedAt).toBeLessThan(5_000);
  expect(told).toEqual([5, 4, 3, 2, 1, 0]);
});

test("lifecycle: a step with its own time gets it although the others hang", async () => {
  const lifecycle = new Lifecycle();
  let ended = false;
  const end = async (): Promise<void> => {
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    ended = true;
  };
  lifecycle.onStop("slow", end, 10_000, { ownTime: true });
  for (const name of ["one", "two", "three"]) lifecycle.onStop(name, () => new Promise(() => {}));
  await expect(lifecycle.stop()).rejects.toThrow(/^(?!.*slow)/);
  expect(ended).toBe(true);
});
