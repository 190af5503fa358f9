import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { createHealthTurns } from "../../../src/admin/system/health-turns.ts";

const never = (): AbortSignal => new AbortController().signal;

describe("health check slots", () => {
  it("health check slots: limit concurrency and serve in order of arrival", async () => {
    const turns = createHealthTurns(10);
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
    const results = await Promise.all(Array.from({ length: 100 }, (_, n) => turns.run(work(n), never())));
    expect(most).toBe(10);
    expect(results).toEqual(order);
  });

  it("health check slots: an aborted check frees its slot, running or waiting", async () => {
    const turns = createHealthTurns(1);
    const [first, second] = [new AbortController(), new AbortController()];
    const hanging = turns.run(() => new Promise(() => {}), first.signal);
    const waiting = turns.run(() => new Promise(() => {}), second.signal);
    const last = turns.run(async () => "done", never());
    second.abort(new Error("too late"));
    await expect(waiting).rejects.toThrow("too late");
    first.abort(new Error("overdue"));
    await expect(hanging).rejects.toThrow("overdue");
    expect(await last).toBe("done");
    await expect(turns.run(async () => "never", AbortSignal.abort(new Error("before")))).rejects.toThrow("before");
    expect(await turns.run(async () => "again", never())).toBe("again");
  });

  it("health check slots: a failed check frees its slot", async () => {
    const turns = createHealthTurns(1);
    await expect(turns.run(() => Promise.reject(new Error("failed")), never())).rejects.toThrow("failed");
    expect(await turns.run(async () => 1, never())).toBe(1);
  });
});
