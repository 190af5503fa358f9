import fc from "fast-check";
import { expect, it } from "vitest";
import { Fifo } from "../../../daemon/file-watcher/fifo.ts";
import { isForgotten } from "../../support/garbage.ts";

it("fifo: returns items in the order of their arrival", () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.constant("shift" as const), fc.nat(3_000)), { maxLength: 40 }), (steps) => {
      const fifo = new Fifo<number>();
      const model: number[] = [];
      let next = 0;
      for (const step of steps) {
        // many at once, because taken items are removed in blocks of a thousand
        for (let n = 0; step !== "shift" && n < step; n += 1, next += 1) {
          model.push(next);
          fifo.push(next);
        }
        for (let n = 0; step === "shift" && n < 1_100; n += 1) expect(fifo.shift()).toBe(model.shift());
        expect(fifo.size).toBe(model.length);
      }
    }),
  );
});

it("fifo: keeps no reference to items that were taken", async () => {
  const fifo = new Fifo<object>();
  const taken = ((): WeakRef<object> => {
    const picture = { path: "front/1.jpg" };
    fifo.push(picture);
    fifo.push({});
    fifo.shift();
    return new WeakRef(picture);
  })();
  expect(await isForgotten(taken)).toBe(true);
  expect(fifo.size).toBe(1);
});
