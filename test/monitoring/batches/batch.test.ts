import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { batchFor, dueAt, grow, joins, mayClose, type OpenBatch } from "../../../src/monitoring/batches/batch.ts";

const times = { windowMs: 90_000, idleMs: 30_000 };
const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1) + seconds * 1000);
const span = (from: number, to: number) => ({ startedAt: at(from), lastDetectionAt: at(to) });
const seconds = fc.integer({ min: 0, max: 600 });

describe("joins", () => {
  it.each([
    [10, 40, 40, true, "at the last one"],
    [10, 40, 70, true, "just within the idle time"],
    [10, 40, 70.001, false, "just after the idle time"],
    [10, 40, -20, true, "just within the idle time before the first"],
    [10, 40, -20.001, false, "just before that"],
    [10, 80, 99.999, true, "just before the window ends"],
    [10, 80, 100, false, "when the window ends"],
    [10, 80, -9.999, true, "earlier, the window just not full"],
    [10, 80, -10, false, "earlier, the window full"],
  ])("from %d to %d, a detection at %d: %s (%s)", (from, to, time, expected) => {
    expect(joins(span(from, to), at(time), times)).toBe(expected);
  });

  it("never makes a batch as long as the window", () => {
    fc.assert(
      fc.property(fc.array(seconds, { minLength: 1 }), (arrivals) => {
        let batch = span(arrivals[0] ?? 0, arrivals[0] ?? 0);
        for (const arrival of arrivals) if (joins(batch, at(arrival), times)) batch = grow(batch, at(arrival));
        expect(batch.lastDetectionAt.getTime() - batch.startedAt.getTime()).toBeLessThan(times.windowMs);
        expect(dueAt(batch, times).getTime()).toBeGreaterThan(batch.lastDetectionAt.getTime());
      }),
    );
  });

  it("never refuses detections that arrive in order before the batch is due", () => {
    fc.assert(
      fc.property(seconds, seconds, seconds, (from, length, gap) => {
        const batch = span(from, from + (length % 90));
        const next = new Date(batch.lastDetectionAt.getTime() + gap * 1000);
        if (next < dueAt(batch, times)) expect(joins(batch, next, times)).toBe(true);
      }),
    );
  });
});

describe("batchFor", () => {
  const batch = (batchId: string, from: number, to: number, isFull = false): OpenBatch => ({ batchId, isFull, ...span(from, to) });

  it("takes the later of two that fit, none that is full, and none when nothing fits", () => {
    const open = [batch("late", 60, 70), batch("early", 0, 10), batch("full", 61, 70, true)];
    expect(batchFor(open, at(35), times)?.batchId).toBe("late");
    expect(batchFor(open, at(5), times)?.batchId).toBe("early");
    expect(batchFor(open, at(150), times)).toBeUndefined();
    expect(batchFor([batch("full", 0, 10, true)], at(5), times)).toBeUndefined();
  });
});

describe("mayClose", () => {
  const due = { batchId: "b", isFull: false, ...span(0, 10), dueAt: at(40), joinedAt: at(10), pictureWaits: false };

  it.each([
    ["before it is due", {}, 39.999, false],
    ["when it is due", {}, 40, true],
    ["while a picture waits", { pictureWaits: true }, 40, false],
    ["a window after it was due, whatever waits", { pictureWaits: true }, 130, true],
    ["a backlog while its pictures wait, though it was due long ago", { pictureWaits: true, joinedAt: at(5000) }, 5089, false],
    ["a backlog that has not moved for a window", { pictureWaits: true, joinedAt: at(5000) }, 5090, true],
    ["a backlog whose pictures are done", { joinedAt: at(5000) }, 5000, true],
    ["a full one at once", { isFull: true, pictureWaits: true }, 10, true],
  ])("%s", (_, change, now, expected) => {
    expect(mayClose({ ...due, ...change }, at(now), times)).toBe(expected);
  });
});
