import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { afterChoice, afterSchedule, scheduledMode } from "../../../src/alerting/mode-switching/next-mode.ts";
import { alertsIn, initialMode, type Mode, type ModeState, withBuiltIn } from "../../../src/alerting/modes/mode.ts";
import { createTimeline, modeOfEvent, type Switch } from "../../../src/alerting/modes/timeline.ts";
import { scheduleWith } from "../rules/rule-values.ts";

const minute = 60_000;
const start = Date.parse("2026-03-02T00:00:00Z");
const names = ["home", "away", "night", "off"] as const;
const modes = (schedules: Partial<Record<string, Mode["schedule"]>>): readonly Mode[] =>
  withBuiltIn([]).map((mode) => ({ ...mode, schedule: schedules[mode.name] ?? null }));

/** A home without database: the pure rules, and a clock that the test moves. */
function home(all: readonly Mode[]) {
  let state: Pick<ModeState, "mode" | "source" | "pending"> = { mode: "home", source: null, pending: null };
  let asked: string | null = null;
  const settle = (now: Date): void => {
    if (state.pending && state.pending.effective_at <= now) state = { mode: state.pending.mode, source: "request", pending: null };
  };
  return {
    look(now: Date) {
      settle(now);
      const asks = scheduledMode(all, now);
      const mode = afterSchedule(state, { asked, asks });
      if (mode !== undefined) state = { mode, source: "schedule", pending: null };
      asked = asks;
    },
    choose(mode: string, exitDelaySeconds: number, now: Date) {
      settle(now);
      const step = afterChoice(state, { mode, exitDelaySeconds }, now);
      if (step.kind === "switch") state = { mode, source: "request", pending: null };
      if (step.kind === "cancel") state = { ...state, pending: null };
      if (step.kind === "wait") {
        state = { ...state, pending: { mode, effective_at: step.until, requested_at: now, set_by: null } };
      }
    },
    mode: () => state.mode,
  };
}

describe("mode: schedule", () => {
  const night = scheduleWith({ start_time: "23:00", end_time: "06:00", timezone: "Europe/Berlin" });

  it("starts in home, ends in home, and leaves what a person chose, whenever it is read", () => {
    const looks = fc.array(fc.integer({ min: 0, max: 3 * 1440 }), { maxLength: 60 });
    const choices = fc.array(fc.record({ at: fc.integer({ min: 0, max: 3 * 1440 }), mode: fc.constantFrom(...names) }), { maxLength: 4 });
    fc.assert(
      fc.property(looks, choices, (lookTimes, chosen) => {
        const all = modes({ night });
        const one = home(all);
        const moments = [...lookTimes.map((at) => ({ at, mode: undefined })), ...chosen].toSorted((a, b) => a.at - b.at);
        let person: string | undefined;
        for (const { at, mode } of moments) {
          const now = new Date(start + at * minute);
          const before = one.mode();
          if (mode === undefined) one.look(now);
          else {
            one.choose(mode, 0, now);
            if (mode !== before) person = mode;
          }
          // Away and off are only ever ended by a person
          if (person === "away" || person === "off") expect(one.mode()).toBe(person);
          if (mode === undefined && one.mode() !== before) expect(one.mode()).toBe(scheduledMode(all, now) ?? "home");
        }
      }),
    );
  });

  it("does not start again in the same night when a person switched to home", () => {
    const one = home(modes({ night }));
    for (const [time, mode] of [
      ["2026-03-02T21:59:00Z", "home"],
      ["2026-03-02T22:00:00Z", "night"],
    ] as const) {
      one.look(new Date(time));
      expect(one.mode()).toBe(mode);
    }
    one.choose("home", 0, new Date("2026-03-02T22:10:00Z"));
    one.look(new Date("2026-03-02T22:11:00Z"));
    expect(one.mode()).toBe("home");
    one.look(new Date("2026-03-03T05:00:00Z"));
    one.look(new Date("2026-03-03T22:00:00Z"));
    expect(one.mode()).toBe("night");
  });

  it("catches up after an outage: a window that is running starts, and one that is over changes nothing", () => {
    const one = home(modes({ night }));
    one.look(new Date("2026-03-02T20:00:00Z"));
    one.look(new Date("2026-03-03T01:00:00Z"));
    expect(one.mode()).toBe("night");
    one.look(new Date("2026-03-04T12:00:00Z"));
    expect(one.mode()).toBe("home");
    one.look(new Date("2026-03-05T12:00:00Z"));
    expect(one.mode()).toBe("home");
  });

  it("follows a clock that jumps ahead and back", () => {
    const one = home(modes({ night }));
    for (const [time, mode] of [
      ["2026-03-02T21:30:00Z", "home"],
      ["2026-03-02T22:30:00Z", "night"],
      ["2026-03-02T21:31:00Z", "home"],
      ["2026-03-02T22:00:00Z", "night"],
    ] as const) {
      one.look(new Date(time));
      expect(one.mode()).toBe(mode);
    }
  });

  it("follows the clock on the wall when daylight saving time begins and ends", () => {
    const early = scheduleWith({ start_time: "02:30", end_time: "04:00", timezone: "Europe/Berlin" });
    const minutesOf = (day: string): number => {
      let count = 0;
      for (let at = Date.parse(`${day}T00:00:00Z`) - 60 * minute; at < Date.parse(`${day}T06:00:00Z`); at += minute) {
        if (scheduledMode(modes({ night: early }), new Date(at)) === "night") count += 1;
      }
      return count;
    };
    expect(minutesOf("2026-03-28")).toBe(90);
    // From 02:00 to 03:00 there is no time; in October there is this hour twice
    expect(minutesOf("2026-03-29")).toBe(60);
    expect(minutesOf("2026-10-25")).toBe(120);
  });

  it("of two schedules that overlap, the mode listed first wins, and the other one follows", () => {
    const work = scheduleWith({ start_time: "08:00", end_time: "17:00" });
    const one = home(modes({ away: work, night: scheduleWith({ start_time: "16:00", end_time: "18:00" }) }));
    for (const [hour, mode] of [
      [8, "away"],
      [16, "away"],
      [17, "night"],
      [18, "home"],
    ] as const) {
      one.look(new Date(start + hour * 60 * minute));
      expect(one.mode()).toBe(mode);
    }
  });
});

describe("mode: exit delay", () => {
  it("the mode takes effect when the delay is over, and not before", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 3600 }), fc.integer({ min: 0, max: 7200 }), (delay, after) => {
        const one = home(modes({}));
        one.choose("away", delay, new Date(start));
        one.look(new Date(start + after * 1000));
        expect(one.mode()).toBe(after >= delay ? "away" : "home");
      }),
    );
  });

  it("a second request does not start the countdown again, the current mode cancels it, and another mode replaces it", () => {
    const one = home(modes({}));
    one.choose("away", 60, new Date(start));
    one.choose("away", 60, new Date(start + 59_000));
    one.look(new Date(start + 60_000));
    expect(one.mode()).toBe("away");

    const other = home(modes({}));
    other.choose("away", 60, new Date(start));
    other.choose("home", 0, new Date(start + 10_000));
    other.look(new Date(start + 90_000));
    expect(other.mode()).toBe("home");
    other.choose("away", 60, new Date(start + 100_000));
    other.choose("night", 0, new Date(start + 110_000));
    other.look(new Date(start + 200_000));
    expect(other.mode()).toBe("night");
  });
});

describe("mode: rules and events", () => {
  it("a rule without modes alerts in every mode except off, and others in those that they name", () => {
    for (const name of names) expect(alertsIn(null, name)).toBe(name !== "off");
    expect(alertsIn(["off"], "off")).toBe(true);
    expect(alertsIn(["away", "night"], "home")).toBe(false);
    expect(alertsIn(["holiday"], "holiday")).toBe(true);
  });

  const switchAt = (seconds: number, previous: string, name: string): Switch => ({
    ...initialMode,
    name,
    previous,
    since: new Date(start + seconds * 1000),
  });
  const eventAt = (from: number, to: number) =>
    ({ kind: "event", startedAt: new Date(start + from * 1000), endedAt: new Date(start + to * 1000) }) as const;
  const none = new Map<string, number>();

  it("the timeline has one mode at any time: that of the last switch before it", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.integer({ min: 0, max: 1000 }), fc.constantFrom(...names))),
        fc.integer({ min: -10, max: 1010 }),
        (list, at) => {
          const sorted = list.toSorted(([one], [other]) => one - other);
          const switches = sorted.map(([seconds, name], index) => switchAt(seconds, sorted[index - 1]?.[1] ?? "home", name));
          const expected = sorted.findLast(([seconds]) => seconds <= at)?.[1] ?? "home";
          expect(createTimeline(switches).at(new Date(start + at * 1000)).name).toBe(expected);
        },
      ),
    );
  });

  it("an event counts for the mode in which it began: leaving the home raises no alert for away", () => {
    const timeline = createTimeline([switchAt(60, "home", "away")]);
    const now = new Date(start + 120_000);
    expect(modeOfEvent(timeline, eventAt(30, 90), { entryDelays: none, now }).name).toBe("home");
    expect(modeOfEvent(timeline, eventAt(60, 90), { entryDelays: none, now }).name).toBe("away");
  });

  it("with an entry delay, an event counts for the mode that was chosen within it after the event", () => {
    const timeline = createTimeline([switchAt(0, "home", "away"), switchAt(100, "away", "home")]);
    const entryDelays = new Map([["away", 30]]);
    const now = new Date(start + 1_000_000);
    expect(modeOfEvent(timeline, eventAt(60, 70), { entryDelays, now }).name).toBe("home");
    expect(modeOfEvent(timeline, eventAt(60, 69), { entryDelays, now }).name).toBe("away");
    expect(modeOfEvent(timeline, eventAt(60, 70), { entryDelays: none, now }).name).toBe("away");
    // Not yet switched when the event is evaluated
    expect(modeOfEvent(timeline, eventAt(60, 70), { entryDelays, now: new Date(start + 90_000) }).name).toBe("away");
  });

  it("an incident counts for the mode now", () => {
    const timeline = createTimeline([switchAt(100, "home", "away")]);
    const incident = { ...eventAt(0, 0), kind: "camera_health" } as const;
    expect(modeOfEvent(timeline, incident, { entryDelays: none, now: new Date(start + 200_000) }).name).toBe("away");
  });
});
