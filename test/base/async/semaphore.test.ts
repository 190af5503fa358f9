import fc from "fast-check";
import { expect, it } from "vitest";
import { createSemaphore } from "../../../src/base/async/semaphore.ts";
import { eventually } from "../../support/eventually.ts";

it("semaphore: serves in order of arrival, within the limit", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 4 }),
      fc.array(fc.record({ rounds: fc.integer({ min: 0, max: 5 }), leaves: fc.boolean() }), { maxLength: 20 }),
      async (max, askers) => {
        const turns = createSemaphore({ max });
        const begun: number[] = [];
        let working = 0;
        let mostWorking = 0;
        const gone = askers.map(() => new AbortController());
        const all = askers.map(async ({ rounds }, at) => {
          const giveBack = await turns.take(gone[at]?.signal).catch(() => undefined);
          if (!giveBack) return;
          begun.push(at);
          working += 1;
          mostWorking = Math.max(mostWorking, working);
          for (let round = 0; round < rounds; round += 1) await Promise.resolve();
          working -= 1;
          giveBack();
        });
        for (const [at, { leaves }] of askers.entries()) if (leaves && at >= max) gone[at]?.abort();
        await Promise.all(all);
        expect(begun).toEqual([...askers.keys()].filter((at) => at < max || !askers[at]?.leaves));
        expect(mostWorking).toBeLessThanOrEqual(max);
      },
    ),
    { numRuns: 100 },
  );
});

it("semaphore: a wait that is too long is refused and leaves the queue", async () => {
  const turns = createSemaphore({ max: 1, timeout: { ms: 20, error: () => new Error("too late") } });
  const giveBack = await turns.take();
  await expect(turns.take()).rejects.toThrow("too late");
  giveBack();
  (await turns.take())();
});

it("semaphore: a caller that aborts before or during the wait gets no slot", async () => {
  const turns = createSemaphore({ max: 1 });
  await expect(turns.take(AbortSignal.abort())).rejects.toThrow(/abort/i);
  const giveBack = await turns.take();
  const gone = new AbortController();
  const leaving = turns.take(gone.signal);
  let served = false;
  const next = turns.take().then((end) => {
    served = true;
    end();
  });
  gone.abort();
  await expect(leaving).rejects.toThrow(/abort/i);
  expect(served).toBe(false);
  giveBack();
  await next;
  await eventually(() => served);
});
