import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { createHealthCheckLimiter } from "../../../src/admin/system/health-check-limiter.ts";

const never = (): AbortSignal => new AbortController().signal;

describe("health check slots", () => {
  it("health check slots: limit concurrency and serve in order of arrival", async () => {
    const limiter = createHealthCheckLimiter(10);
    let running = 0;
    let most = 0;
    const order: number[] = [];
    const work = (n: number) => async () => {
      order.push(n);
      running += 1;
      most = Math.max(most, running);
      await sleep(2);
      running -= 1;
      return n;
    };
    const results = await Promise.all(Array.from({ length: 100 }, (_, n) => limiter.run(work(n), never())));
    expect(most).toBe(10);
    expect(results).toEqual(order);
  });

  it("health check slots: an aborted check frees its slot, running or waiting", async () => {
    const limiter = createHealthCheckLimiter(1);
    const [first, second] = [new AbortController(), new AbortController()];
    const hanging = limiter.run(() => new Promise(() => {}), first.signal);
    const waiting = limiter.run(() => new Promise(() => {}), second.signal);
    const last = limiter.run(async () => "done", never());
    second.abort(new Error("too late"));
    await expect(waiting).rejects.toThrow("too late");
    first.abort(new Error("overdue"));
    await expect(hanging).rejects.toThrow("overdue");
    expect(await last).toBe("done");
    await expect(limiter.run(async () => "never", AbortSignal.abort(new Error("before")))).rejects.toThrow("before");
    expect(await limiter.run(async () => "again", never())).toBe("again");
  });

  it("health check slots: a failed check frees its slot", async () => {
    const limiter = createHealthCheckLimiter(1);
    await expect(limiter.run(() => Promise.reject(new Error("failed")), never())).rejects.toThrow("failed");
    expect(await limiter.run(async () => 1, never())).toBe(1);
  });
});
