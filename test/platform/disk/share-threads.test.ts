import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { NoAnswer } from "../../../src/platform/disk/files.ts";
import { shareAnswers } from "../../../src/platform/disk/share-answers.ts";
import { runOnShare } from "../../../src/platform/disk/share-threads.ts";
import { temporaryFolder } from "../../support/temporary.ts";
import { timed } from "../../support/timed.ts";

const folder = temporaryFolder("share-threads");
afterAll(() => folder.remove());

/** An operation that waits like one on a share that hangs. */
function hungQuestion(share: string) {
  let answer: () => void = () => {};
  let isAsked = false;
  const answered = runOnShare(share, () => {
    isAsked = true;
    return new Promise<void>((resolve) => {
      answer = resolve;
    });
  });
  return { answered, answer: () => answer(), isAsked: () => isAsked };
}

test(
  "share threads: hanging shares leave one thread free, one goes to a share that responds, and all are freed in the end",
  timed,
  async () => {
    const two = ["/nas/1", "/nas/2"].map(hungQuestion);
    // The system's command reports an error for this share, so it responds
    const third = hungQuestion("/nas/3");
    await expect.poll(() => third.isAsked()).toBe(true);
    const begun = performance.now();
    await expect(runOnShare("/nas/4", async () => "told")).rejects.toThrow(new NoAnswer("/nas/4"));
    expect(performance.now() - begun).toBeLessThan(7_000);

    third.answer();
    expect(await runOnShare("/nas/4", async () => "told")).toBe("told");
    for (const question of two) question.answer();
    await Promise.all([...two, third].map(({ answered }) => answered));
    const atOnce = performance.now();
    await Promise.all([1, 2].map((n) => runOnShare(`/nas/${n}`, async () => n)));
    expect(performance.now() - atOnce).toBeLessThan(100);
  },
);

test("share threads: the caller gets the error of an operation, which then holds no thread", async () => {
  const failing = [1, 2, 3, 4].map((n) => runOnShare(`/nas/${n}`, () => Promise.reject(new Error(`no ${n}`))));
  await expect(Promise.all(failing)).rejects.toThrow("no 1");
  expect((await Promise.allSettled(failing)).map(({ status }) => status)).toEqual(Array(4).fill("rejected"));
});

test("share threads: a command of the system checks the share, and is ended if it does not reply in time", timed, async () => {
  const command = join(folder.path, "stat");
  writeFileSync(command, '#!/bin/sh\ncase "$2" in *hung) exec sleep 30;; *gone) exit 1;; esac\n');
  chmodSync(command, 0o755);
  const begun = performance.now();
  const answers = await Promise.all(["there", "gone", "hung"].map((name) => shareAnswers(`/nas/${name}`, 300, command)));
  expect(answers).toEqual([true, true, false]);
  expect(performance.now() - begun).toBeLessThan(2_000);
  expect(await shareAnswers("/nas/there", 300, "no-such-command")).toBe(true);
});
