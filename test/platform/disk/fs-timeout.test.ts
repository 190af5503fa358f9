import { expect, test } from "vitest";
import { NoAnswer } from "../../../src/platform/disk/files.ts";
import { createFsTimeout, recordRealPath } from "../../../src/platform/disk/fs-timeout.ts";
import { timed } from "../../support/timed.ts";

const patienceMs = 100;

/** An operation that ends when the test says so. */
function question() {
  let settle: (answer: string | Error) => void = () => {};
  const answered = new Promise<string | Error>((resolve) => {
    settle = resolve;
  });
  const asked = { count: 0 };
  const ask = async (): Promise<string> => {
    asked.count += 1;
    const answer = await answered;
    if (answer instanceof Error) throw answer;
    return answer;
  };
  return { ask, asked, settle };
}

test("file operations: results and errors in time are passed on", async () => {
  const ask = createFsTimeout(patienceMs);
  expect(await ask("/pictures", async () => 1)).toBe(1);
  await expect(ask("/pictures", () => Promise.reject(new Error("EACCES")))).rejects.toThrow("EACCES");
});

test("file operations: a folder that hangs gets no second operation until the first has ended; others are not delayed", timed, async () => {
  const ask = createFsTimeout(patienceMs);
  const hung = question();
  const behind = question();
  const first = ask("/hung", hung.ask);
  // A waiting operation fails together with the one before it
  const second = ask("/hung", behind.ask);
  const begun = performance.now();
  await expect(first).rejects.toThrow(NoAnswer);
  await expect(second).rejects.toThrow("/hung does not answer");
  await expect(ask("/hung", behind.ask)).rejects.toMatchObject({ code: "ETIMEDOUT" });
  expect(performance.now() - begun).toBeLessThan(5 * patienceMs);
  expect([hung.asked.count, behind.asked.count]).toEqual([1, 0]);
  expect(await ask("/other", async () => "there")).toBe("there");

  hung.settle(new Error("EIO"));
  await expect.poll(() => ask("/hung", async () => "back").catch(String)).toBe("back");
});

test("file operations: one folder runs one at a time, and waiting for many quick ones is not late", async () => {
  const ask = createFsTimeout(patienceMs);
  let [now, most] = [0, 0];
  const one = () =>
    ask("/slow", async () => {
      now += 1;
      most = Math.max(most, now);
      await new Promise((resolve) => setTimeout(resolve, patienceMs / 5));
      now -= 1;
      return "answer";
    });
  expect(await Promise.all(Array.from({ length: 15 }, one))).toEqual(Array(15).fill("answer"));
  expect(most).toBe(1);
});

test("file operations: a folder reached through a link, and everything below, counts as its target", async () => {
  const ask = createFsTimeout(patienceMs);
  recordRealPath("/srv/linked", "/mnt/nas");
  recordRealPath("/srv/linked/door", "/mnt/other/door");
  const hung = question();
  const first = ask("/srv/linked/yard", hung.ask);
  await expect(first).rejects.toThrow("/srv/linked/yard does not answer");
  await expect(ask("/mnt/nas/yard", async () => "there")).rejects.toThrow(NoAnswer);
  expect(await ask("/srv/linked/door", async () => "there")).toBe("there");
  expect(await ask("/srv/linked2/yard", async () => "there")).toBe("there");
  recordRealPath("/srv/linked", "/srv/linked");
  expect(await ask("/srv/linked/yard", async () => "there")).toBe("there");
  recordRealPath("/srv/linked/door", "/srv/linked/door");
  hung.settle("late");
});
