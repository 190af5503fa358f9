import { describe, expect, test } from "vitest";
import { afterNoAnswer } from "../../src/pipeline/stage.ts";
import type { ClaimedJob } from "../../src/work/jobs/jobs-repository.ts";

const now = new Date("2026-03-01T12:00:00Z");
const retryAt = new Date("2026-03-01T12:00:30Z");
const job = (deferrals: number, blamed = 0): ClaimedJob => ({
  ...{ jobId: 1, claim: 1, subject: "1", priority: 0, position: now, attempts: 1 },
  ...{ deferrals, blamed },
});
const ago = (seconds: number): Date => new Date(now.getTime() - seconds * 1000);

describe("a job whose service did not answer", () => {
  test("waits without limit while the service answers no other job", () => {
    for (const lastSuccess of [null, ago(61), ago(3_600)]) {
      const next = afterNoAnswer(job(5_000, 10), { reason: "status", retryAt, suspect: true }, { lastSuccess, now });
      expect(next).toMatchObject({ stopRetrying: false, attempt: "deferred" });
    }
  });

  test("waits longer each time, so that another job makes the next trial call", () => {
    const waits = [0, 1, 2, 9].map((deferrals) => {
      const next = afterNoAnswer(job(deferrals), { reason: "status", retryAt, suspect: true }, { lastSuccess: ago(1), now });
      return next.stopRetrying ? undefined : (next.availableAt.getTime() - retryAt.getTime()) / 1000;
    });
    expect(waits).toEqual([0, 3, 6, 27]);
  });

  test("goes to the dead letters after ten failures while the service answered others", () => {
    for (const reason of ["status", "unreadable", "timeout", "broke_off"]) {
      expect(afterNoAnswer(job(10, 10), { reason, retryAt, suspect: true }, { lastSuccess: ago(5), now })).toEqual({ stopRetrying: true });
    }
  });

  test("does not count deferrals while the service was down", () => {
    const next = afterNoAnswer(job(5_000, 9), { reason: "timeout", retryAt, suspect: true }, { lastSuccess: ago(5), now });
    expect(next).toMatchObject({ stopRetrying: false, attempt: "blamed" });
  });

  test("does not count an outage that began before its call", () => {
    const next = afterNoAnswer(job(10, 10), { reason: "broke_off", retryAt, suspect: false }, { lastSuccess: ago(1), now });
    expect(next).toMatchObject({ stopRetrying: false, attempt: "deferred" });
  });

  test("never goes to the dead letters for an error that cannot be its fault", () => {
    for (const reason of ["unreachable", "breaker_open", "busy"]) {
      expect(afterNoAnswer(job(500, 10), { reason, retryAt, suspect: true }, { lastSuccess: ago(5), now })).toMatchObject({
        stopRetrying: false,
      });
    }
  });
});
