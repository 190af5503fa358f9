import { expect, test } from "vitest";
import { Breaker, BreakerOpen } from "../../../src/monitoring/upstream/breaker.ts";
import { virtualClock } from "./virtual-clock.ts";

class Down extends Error {}
const good = async () => "answer";
const bad = async () => {
  throw new Down("down");
};

async function fail(breaker: Breaker, times: number): Promise<void> {
  for (let n = 0; n < times; n += 1) await expect(breaker.run(bad)).rejects.toThrow(Down);
}

test("opens after three failures in a row, and not before", async () => {
  const breaker = new Breaker("detector", { clock: virtualClock() });
  await fail(breaker, 2);
  await breaker.run(good);
  await fail(breaker, 2);
  expect(breaker.state()).toMatchObject({ state: "closed", failure_count: 2, reset_at: null });
  await fail(breaker, 1);
  expect(breaker.state()).toMatchObject({ state: "open", failure_count: 3, reset_at: new Date("2026-01-31T22:00:30Z") });
});

test("breaker: while open, calls fail at once and name the time of the next trial", async () => {
  const breaker = new Breaker("detector", { clock: virtualClock() });
  await fail(breaker, 3);
  let called = false;
  const error = await breaker
    .run(async () => {
      called = true;
    })
    .catch((reason: unknown) => reason);
  expect(called).toBe(false);
  expect(error).toBeInstanceOf(BreakerOpen);
  expect(error).toMatchObject({ resetAt: new Date("2026-01-31T22:00:30Z") });
});

test("half-open lets exactly one trial through, also when many ask at once", async () => {
  const clock = virtualClock();
  const breaker = new Breaker("detector", { clock });
  await fail(breaker, 3);
  clock.advance(30_000);
  expect(breaker.state().state).toBe("half_open");
  let trials = 0;
  const calls = Array.from({ length: 50 }, () =>
    breaker.run(async () => {
      trials += 1;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }),
  );
  const results = await Promise.allSettled(calls);
  expect(trials).toBe(1);
  expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  expect(breaker.state()).toMatchObject({ state: "closed", failure_count: 0 });
});

test("a failed trial opens again for the full time", async () => {
  const clock = virtualClock();
  const breaker = new Breaker("detector", { clock });
  await fail(breaker, 3);
  clock.advance(31_000);
  await fail(breaker, 1);
  expect(breaker.state()).toMatchObject({ state: "open", reset_at: new Date("2026-01-31T22:01:01Z") });
  clock.advance(29_999);
  await expect(breaker.run(good)).rejects.toThrow(BreakerOpen);
  clock.advance(1);
  expect(await breaker.run(good)).toBe("answer");
});

test("breaker: a cancelled trial passes the trial to the next call", async () => {
  const clock = virtualClock();
  const breaker = new Breaker("detector", { clock });
  await fail(breaker, 3);
  clock.advance(30_000);
  await expect(breaker.run(bad, AbortSignal.abort())).rejects.toThrow(Down);
  expect(breaker.state().state).toBe("half_open");
  await breaker.run(good);
  expect(breaker.state().state).toBe("closed");
});

test("a late outcome of an earlier call does not move it", async () => {
  const clock = virtualClock();
  const breaker = new Breaker("detector", { clock });
  let answer = () => {};
  const early = breaker.run(() => new Promise<void>((resolve) => (answer = resolve)));
  await fail(breaker, 3);
  answer();
  await early;
  expect(breaker.state().state).toBe("open");
});

test("breaker: reports each change of state, and reset closes it from any state", async () => {
  const moves: string[] = [];
  const clock = virtualClock();
  const breaker = new Breaker("language_model", { clock, onChange: ({ state }, previous) => moves.push(`${previous} > ${state}`) });
  await fail(breaker, 3);
  expect(breaker.reset()).toBe("open");
  await fail(breaker, 3);
  clock.advance(30_000);
  await breaker.run(good);
  expect(breaker.reset()).toBe("closed");
  expect(moves).toEqual(["closed > open", "open > closed", "closed > open", "open > half_open", "half_open > closed"]);
});
