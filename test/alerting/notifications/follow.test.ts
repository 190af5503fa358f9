import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Result } from "../../../src/alerting/delivery/channel.ts";
import type { Outcome } from "../../../src/alerting/delivery/outcome.ts";
import { follow } from "../../../src/alerting/notifications/follow.ts";
import { nextState } from "../../../src/alerting/notifications/next-state.ts";
import { isOpen, type Progress } from "../../../src/alerting/notifications/notification.ts";

const at = new Date("2026-07-01T12:00:00Z");
const hours = (count: number) => new Date(at.getTime() + count * 3_600_000);
type Row = Progress & { readonly id: string };

const progress = (status: Progress["status"], expiresAt: Date): Omit<Row, "id"> => ({
  ...{ status, reason: null, attempts: 1, unreached: null, expiresAt, createdAt: hours(-1), late: false },
});
const expiry = fc.constantFrom(hours(-0.1), hours(1));
const leaderRow = fc
  .tuple(fc.constantFrom<Progress["status"][]>("waiting", "cancelled"), expiry)
  .map(([status, expiresAt]): Row => ({ id: "leader", ...progress(status, expiresAt) }));
const joinedRows = fc
  .array(fc.tuple(fc.constantFrom<Progress["status"][]>("waiting", "cancelled"), expiry), { maxLength: 4 })
  .map((rows) => rows.map(([status, expiresAt], index): Row => ({ id: `joined ${index}`, ...progress(status, expiresAt) })));
const outcome = fc.constantFrom<Outcome[]>(
  { kind: "sent", answer: "250" },
  { kind: "sent", answer: "250", unreached: ["you@example.org"] },
  { kind: "again", answer: "451" },
  { kind: "failed", answer: "550 no such user" },
);
const result = fc.oneof(
  outcome.map((one): Result<unknown> => ({ kind: "attempted", startedAt: at, outcome: one, request: {}, at })),
  fc.constantFrom<Result<unknown>[]>(
    { kind: "waits", until: hours(1), reason: "held back", at },
    { kind: "ended", as: "expired", reason: "not sent in time", at },
    { kind: "ended", as: "failed", reason: "crashed", at },
    { kind: "ended", as: "cancelled", reason: null, at },
  ),
);
const retry = { tries: 1, random: 0 };

/** Runs one result for a leader and the notifications that are joined to it. */
const run = fc
  .tuple(leaderRow, joinedRows, result, fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }))
  .map(([leader, joined, one, flags]) => {
    const reported = one.kind === "attempted" ? joined.filter((_, index) => flags[index]).map(({ id }) => id) : undefined;
    const next = nextState(leader, one, retry);
    const following = follow([leader, ...joined], { leader, next, result: one, retry, reported });
    const after = new Map(following.changed.map(({ row, state }) => [row.id, state]));
    return { leader, joined, result: one, reported, next, ...following, after };
  });

describe("joined notifications", () => {
  it("each one that still has to be sent either follows a leader that goes on or is separated, never both", () => {
    fc.assert(
      fc.property(run, ({ joined, next, separated, after }) => {
        for (const row of joined) {
          const state = after.get(row.id) ?? row;
          const isFollowing = next.job.kind === "release" && next.status === state.status;
          expect([row.id, separated.includes(row.id)]).toEqual([row.id, isOpen(state) && !isFollowing]);
        }
      }),
    );
  });

  it("one that the message reported is sent with it, and one that it did not report is not", () => {
    fc.assert(
      fc.property(run, ({ joined, result: one, reported, after }) => {
        if (one.kind !== "attempted" || one.outcome.kind !== "sent") return;
        for (const { id } of joined) expect([id, after.get(id)?.status === "sent"]).toEqual([id, reported?.includes(id)]);
      }),
    );
  });

  it("one fails or expires only with its leader, whose job is the dead letter, and never before its own expiry", () => {
    fc.assert(
      fc.property(run, ({ joined, result: one, next, after }) => {
        for (const row of joined) {
          const status = after.get(row.id)?.status;
          if (status === "failed" || status === "expired") expect(next.job.kind).toBe("bury");
          if (status === "expired") expect(row.expiresAt <= one.at).toBe(true);
        }
      }),
    );
  });

  it("one that a person cancelled stays so, unless a message with it was sent", () => {
    fc.assert(
      fc.property(run, ({ joined, after, separated }) => {
        for (const row of joined.filter(({ status }) => status === "cancelled")) {
          expect(["cancelled", "sent"]).toContain((after.get(row.id) ?? row).status);
          expect(separated).not.toContain(row.id);
        }
      }),
    );
  });
});
