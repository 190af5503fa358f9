import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { activityMinutes, sparkline, withDetection } from "../../../commands/live/data/activity.ts";
import { type LiveData, messagesBehind, mostAlerts, mostEvents, mostLogged, noData } from "../../../commands/live/data/data.ts";
import { reduceData } from "../../../commands/live/data/reducer.ts";
import { rowsOf } from "../../../commands/live/data/rows.ts";
import { firstState } from "../../../commands/live/ui/ui.ts";
import type { JournalMessage } from "../../../src/contract/live.ts";
import { ago, alert, camera, detection, event, health, now, numbered, pipeline, silence, snapshot } from "./sample.ts";

const empty = noData(now);
const heard = (data: LiveData, messages: readonly JournalMessage[]): LiveData => reduceData(data, { kind: "messages", messages });

/** Messages of a daemon about a few events and alerts. */
const entries = fc.array(
  fc.oneof(
    fc.record({ id: fc.integer({ min: 1, max: 8 }), score: fc.option(fc.integer({ min: 0, max: 100 })) }).map(({ id, score }) => ({
      type: "event.updated" as const,
      data: event(id, { risk_score: score }),
    })),
    fc.integer({ min: 1, max: 8 }).map((id) => ({ type: "event.deleted" as const, data: { id } })),
    fc.integer({ min: 1, max: 8 }).map((id) => ({ type: "alert_created" as const, data: alert(id, { status: "pending" }) })),
    fc.integer({ min: 1, max: 8 }).map((id) => ({ type: "alert_delivered" as const, data: alert(id) })),
    fc.integer({ min: 1, max: 8 }).map((id) => ({ type: "alert_acknowledged" as const, data: alert(id, { status: "acknowledged" }) })),
    fc.integer({ min: 1, max: 4 }).map((id) => ({ type: "silence.started" as const, data: silence(id) })),
    fc.integer({ min: 1, max: 4 }).map((id) => ({ type: "silence.ended" as const, data: silence(id, { status: "ended", ended_at: now }) })),
    fc.constantFrom("home", "away").map((mode) => ({
      type: "mode.changed" as const,
      data: { mode, since: now, set_by: null, source: "request" as const, pending: null },
    })),
    fc.constant({
      type: "camera_status" as const,
      data: { ...camera("yard", { status: "offline" }), previous_status: null, reason: null },
    }),
  ),
  { maxLength: 40 },
);

describe("data reducer", () => {
  it("data reducer: repeated messages and bursts of any size lead to the same data", () => {
    fc.assert(
      fc.property(entries, fc.array(fc.tuple(fc.nat(40), fc.integer({ min: 1, max: 12 })), { maxLength: 30 }), (told, looks) => {
        const messages = numbered(told);
        let data = empty;
        let done = 0;
        for (const [back, size] of looks) {
          // the daemon repeats earlier messages, then sends new ones
          data = heard(data, messages.slice(Math.max(0, done - back), done + size));
          done = Math.min(messages.length, done + size);
        }
        data = heard(data, messages.slice(done));
        expect(data).toEqual(heard(empty, messages));
      }),
    );
  });

  it("data reducer: a list newer than the messages that follow it leads to the same data", () => {
    fc.assert(
      fc.property(entries, fc.nat(40), fc.nat(40), (told, a, b) => {
        const messages = numbered(told);
        const [from, taken] = [Math.min(a, b, messages.length), Math.min(Math.max(a, b), messages.length)];
        const then = heard(empty, messages.slice(0, taken));
        const lists = {
          cameras: [...then.cameras.values()],
          events: then.events,
          alerts: then.alerts,
          silences: then.silences,
          mode: then.mode,
          seen: [],
        };
        const late = heard(reduceData(empty, { kind: "snapshot", snapshot: lists }), messages.slice(from));
        const truth = heard(empty, messages);
        expect(late.events).toEqual(truth.events);
        expect(late.alerts).toEqual(truth.alerts);
        expect(late.silences).toEqual(truth.silences);
        expect(late.mode).toEqual(truth.mode);
        expect([...late.cameras]).toEqual([...truth.cameras]);
      }),
    );
  });

  it("data reducer: keeps only the newest entries, and so a bounded size", () => {
    const many = numbered(
      Array.from({ length: 3_000 }, (_, at) => [
        { type: "event" as const, data: event(at + 1, { started_at: new Date(now.getTime() + at * 1000) }) },
        { type: "alert_created" as const, data: alert(at + 1, { created_at: new Date(now.getTime() + at * 1000) }) },
      ]).flat(),
    );
    const data = heard(empty, many);
    expect([data.events.length, data.alerts.length, data.log.length]).toEqual([mostEvents, mostAlerts, mostLogged]);
    expect([data.events[0]?.id, data.events.at(-1)?.id]).toEqual([3_000, 3_000 - mostEvents + 1]);
    expect(data.log.at(-1)?.sequence).toBe(6_000);
    // an event older than all stored ones does not count as new
    expect(heard(data, numbered([{ type: "event.updated", data: event(1) }], 6_001)).events).toEqual(data.events);
  });

  it("data reducer: sorts events newest first, whatever their source, and drops deleted ones", () => {
    const data = heard(reduceData(empty, { kind: "snapshot", snapshot }), numbered([{ type: "event", data: event(8) }]));
    expect(data.events.map(({ id }) => id)).toEqual([8, 7, 6, 5, 4, 3, 2, 1]);
    const gone = numbered(
      [
        { type: "event.deleted", data: { id: 5 } },
        { type: "event.updated", data: event(6, { deleted_at: now }) },
      ],
      2,
    );
    expect(heard(data, gone).events.map(({ id }) => id)).toEqual([8, 7, 4, 3, 2, 1]);
  });

  it("data reducer: counts messages that the daemon no longer has, and continues after them", () => {
    const before = heard(empty, numbered([{ type: "event", data: event(1) }], 10));
    const gap = { type: "gap" as const, data: { from: 11, to: 15 }, timestamp: now };
    const after = reduceData(before, { kind: "messages", messages: [gap, ...numbered([{ type: "event", data: event(2) }], 16)] });
    expect([after.lost, after.sequence, after.events.length]).toEqual([5, 16, 2]);
  });

  it("data reducer: starts over when the daemon's journal was reset", () => {
    const before = heard(empty, numbered([{ type: "event", data: event(1) }], 100));
    const gap = { type: "gap" as const, data: { from: 4, to: 100 }, timestamp: now };
    const after = reduceData(before, { kind: "messages", messages: [gap, ...numbered([{ type: "event", data: event(2) }], 4)] });
    expect([after.sequence, after.events.map(({ id }) => id)]).toEqual([4, [2, 1]]);
  });

  it("data reducer: says how far it is behind after an interruption", () => {
    const before = heard(empty, numbered([{ type: "event.deleted", data: { id: 1 } }], 7));
    const back = reduceData(before, { kind: "link", link: { kind: "connected", since: now, version: "1" }, newest: 9 });
    expect(messagesBehind(back)).toBe(2);
    expect(
      messagesBehind(
        heard(
          back,
          numbered(
            [
              { type: "event.deleted", data: { id: 1 } },
              { type: "event.deleted", data: { id: 1 } },
            ],
            8,
          ),
        ),
      ),
    ).toBe(0);
  });

  it("data reducer: prefers messages about a camera to an older list", () => {
    const offline = { ...camera("yard", { status: "offline", updated_at: ago(1) }), previous_status: "online", reason: null };
    const data = heard(empty, numbered([{ type: "camera_status", data: offline }]));
    const after = reduceData(data, { kind: "cameras", cameras: [camera("yard", { updated_at: ago(5) }), camera("hall")] });
    expect([...after.cameras.values()].map(({ camera_id, status }) => [camera_id, status])).toEqual([
      ["yard", "offline"],
      ["hall", "online"],
    ]);
    expect(reduceData(after, { kind: "cameras", cameras: [camera("hall")] }).cameras.has("yard")).toBe(false);
  });

  it("data reducer: the most objects in one picture count for a visit, and a repeated detection counts once", () => {
    const picture = fc.array(fc.constantFrom("person", "dog", "car"), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(fc.array(picture, { minLength: 1, maxLength: 8 }), fc.nat(40), (pictures, overlap) => {
        const seen = pictures.flatMap((types, at) =>
          types.map((object_type, index) => {
            const time = ago(100 - at);
            return detection(at * 10 + index, {
              ...{ batch_id: "b1", event_id: null, file_path: `/srv/${at}.jpg`, object_type, detected_at: time, created_at: time },
            });
          }),
        );
        // The list and the messages may both have the last detections
        const listed = seen.slice(0, Math.max(1, seen.length - (overlap % seen.length)));
        const loaded = reduceData(empty, { kind: "snapshot", snapshot: { ...snapshot, seen: listed.toReversed() } });
        const data = heard(loaded, numbered(seen.map((each) => ({ type: "detection.new", data: each }))));
        const most = (type: string): number => Math.max(...pictures.map((types) => types.filter((each) => each === type).length));
        const expected = Object.fromEntries(["person", "dog", "car"].flatMap((type) => (most(type) > 0 ? [[type, most(type)]] : [])));
        expect([...data.visits.values()].map(({ counts }) => counts)).toEqual([expected]);
        expect([...heard(data, numbered([{ type: "event", data: event(1, { batch_id: "b1" }) }], 100)).visits]).toEqual([]);
      }),
    );
  });

  it("data reducer: forgets a visit whose batch is gone, and keeps one that is newer than the daemon's list", () => {
    const visitor = (id: number, batch_id: string, created_at: Date) => ({
      type: "detection.new" as const,
      data: detection(id, { batch_id, event_id: null, created_at }),
    });
    const data = heard(empty, numbered([visitor(1, "gone", ago(30)), visitor(2, "open", ago(30)), visitor(3, "newer", ago(-1))]));
    const batch = { batch_id: "open", camera_id: "yard", detection_count: 1, started_at: ago(30), age_seconds: 30 };
    const batch_aggregator = { ...pipeline.batch_aggregator, batches: [{ ...batch, last_activity_seconds: 30 }] };
    const after = reduceData(data, { kind: "system", at: now, pipeline: { ...pipeline, batch_aggregator } });
    expect([...after.visits.keys()]).toEqual(["open", "newer"]);
  });

  it("data reducer: cameras with the newest picture are first, and those without one are last", () => {
    const state = firstState(now, { columns: 80, rows: 24 });
    const order = (data: LiveData) => rowsOf({ ...state, data }).cameras.map(({ camera_id }) => camera_id);
    const loaded = reduceData(empty, { kind: "snapshot", snapshot });
    expect(order(loaded)).toEqual(["genkan", "front-door", "garden", "garage", "new-one"]);
    const seen = { type: "detection.new", data: detection(1, { camera_id: "garage", detected_at: now }) } as const;
    expect(order(heard(loaded, numbered([seen])))[0]).toBe("garage");
  });

  it("data reducer: a detection's picture becomes its camera's newest, and a breaker message overrides the last health report", () => {
    // from a backlog: stored long after it was taken
    const seen = { id: 1, camera_id: "yard", detected_at: now, created_at: ago(-3_600) };
    const told = numbered([
      { type: "camera_status", data: { ...camera("yard", { last_seen_at: null }), previous_status: null, reason: null } },
      { type: "detection.new", data: seen as never },
      { type: "circuit_breaker", data: { name: "detector", state: "open", previous_state: "closed" } },
      { type: "worker_status", data: { name: "file_watcher", running: false, message: null } },
    ]);
    const data = heard(reduceData(empty, { kind: "system", at: now, health }), told);
    expect(data.cameras.get("yard")?.last_seen_at).toEqual(now);
    expect(data.health?.circuit_breakers.breakers).toEqual({ detector: "open", language_model: "open" });
    expect(data.health?.ai_services[0]?.circuit_state).toBe("open");
    expect(data.health?.workers[0]).toMatchObject({ name: "file_watcher", running: false });
  });
});

describe("camera activity", () => {
  it("camera activity: has a bar for each minute with detections, in any order of messages", () => {
    const times = fc.array(fc.integer({ min: 0, max: 3_000 }), { maxLength: 60 });
    fc.assert(
      fc.property(times, fc.integer({ min: 1, max: activityMinutes }), (seconds, width) => {
        const activity = seconds
          .map(ago)
          .reduce<ReturnType<typeof withDetection> | undefined>((before, time) => withDetection(before, time), undefined);
        const minuteOf = (time: Date): number => Math.floor(time.getTime() / 60_000);
        const line = [...sparkline(activity, now, width)];
        const seen = new Set(seconds.map((second) => minuteOf(now) - minuteOf(ago(second))));
        expect(line).toHaveLength(width);
        line.forEach((bar, at) => {
          expect(bar === "·").toBe(!seen.has(width - 1 - at));
        });
      }),
    );
  });

  it("camera activity: bars grow with the number of detections", () => {
    const times = [...Array<Date>(16).fill(now), ...Array<Date>(2).fill(ago(60))];
    const busy = times.reduce<ReturnType<typeof withDetection> | undefined>((before, time) => withDetection(before, time), undefined);
    expect(sparkline(busy, now, 3)).toBe("·▂█");
    expect(sparkline(busy, new Date(now.getTime() + 60_000), 3)).toBe("▂█·");
  });
});
