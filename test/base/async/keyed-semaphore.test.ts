import { expect, it } from "vitest";
import { createKeyedSemaphore } from "../../../src/base/async/keyed-semaphore.ts";

it("keyed semaphore: the work of one key waits for each other, and that of another key does not", async () => {
  const semaphore = createKeyedSemaphore({ max: 1 });
  const order: string[] = [];
  const work = async (key: string, name: string): Promise<void> =>
    await semaphore.run(key, async () => {
      order.push(`${name} begins`);
      await new Promise((resolve) => setTimeout(resolve, 20));
      order.push(`${name} ends`);
    });
  await Promise.all([work("a", "a1"), work("a", "a2"), work("b", "b1")]);
  expect(order).toEqual(["a1 begins", "b1 begins", "a1 ends", "a2 begins", "b1 ends", "a2 ends"]);
});

it("keyed semaphore: work that fails, times out or is aborted frees the place of its key", async () => {
  const semaphore = createKeyedSemaphore({ max: 1, timeout: { ms: 20, error: () => new Error("busy") } });
  await expect(semaphore.run("a", () => Promise.reject(new Error("failed")))).rejects.toThrow("failed");
  let end = (_result: string): void => undefined;
  const result = new Promise<string>((resolve) => {
    end = resolve;
  });
  const first = semaphore.run("a", () => result);
  await expect(semaphore.run("a", () => Promise.resolve())).rejects.toThrow("busy");
  await expect(semaphore.run("a", () => Promise.resolve(), AbortSignal.abort(new Error("gone")))).rejects.toThrow("gone");
  end("done");
  expect(await first).toBe("done");
  expect(await semaphore.run("a", () => Promise.resolve("next"))).toBe("next");
});
