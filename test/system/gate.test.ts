import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { createGate } from "../../src/system/gate.ts";
import { keepAnswers } from "../../src/system/kept.ts";

const never = (): AbortSignal => new AbortController().signal;

describe("the gate of the checks", () => {
  it("lets so many run at a time, in the order in which they came", async () => {
    const gate = createGate(10);
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
    const results = await Promise.all(Array.from({ length: 100 }, (_, n) => gate.run(work(n), never())));
    expect(most).toBe(10);
    expect(results).toEqual(order);
  });

  it("goes on when what hangs is given up, running or waiting", async () => {
    const gate = createGate(1);
    const [first, second] = [new AbortController(), new AbortController()];
    const hanging = gate.run(() => new Promise(() => {}), first.signal);
    const waiting = gate.run(() => new Promise(() => {}), second.signal);
    const last = gate.run(async () => "done", never());
    second.abort(new Error("too late"));
    await expect(waiting).rejects.toThrow("too late");
    first.abort(new Error("overdue"));
    await expect(hanging).rejects.toThrow("overdue");
    expect(await last).toBe("done");
    await expect(gate.run(async () => "never", AbortSignal.abort(new Error("before")))).rejects.toThrow("before");
    expect(await gate.run(async () => "again", never())).toBe("again");
  });

  it("goes on when the work fails", async () => {
    const gate = createGate(1);
    await expect(gate.run(() => Promise.reject(new Error("failed")), never())).rejects.toThrow("failed");
    expect(await gate.run(async () => 1, never())).toBe(1);
  });
});

describe("kept answers", () => {
  it("are shared while they are young and while they are made, but not when they failed", async () => {
    const kept = keepAnswers<number>();
    const key = {};
    let made = 0;
    const make = async () => {
      made += 1;
      if (made === 2) throw new Error("failed");
      return made;
    };
    expect(await Promise.all([kept.current(key, 0, 5, make), kept.current(key, 4, 5, make)])).toEqual([1, 1]);
    await expect(kept.current(key, 5, 5, make)).rejects.toThrow("failed");
    expect(await kept.current(key, 5, 5, make)).toBe(3);
    expect(await kept.current({}, 5, 5, make)).toBe(4);
    expect(await kept.current(key, 6, 0, make)).toBe(5);
  });
});
