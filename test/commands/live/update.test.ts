import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { rowsOf } from "../../../commands/live/data/rows.ts";
import { type Key, readKeys } from "../../../commands/live/ui/key.ts";
import { firstShown, selectedRecords, subjectOf } from "../../../commands/live/ui/selection.ts";
import type { Effect } from "../../../commands/live/ui/ui.ts";
import { firstState, type State } from "../../../commands/live/ui/ui.ts";
import { type Action, update } from "../../../commands/live/ui/update.ts";
import { alert, details, event, explanation, now, numbered, snapshot } from "./sample.ts";

const act = (state: State, action: Action): State => update(state, action).state;
const full = act(firstState(now, { columns: 80, rows: 24 }), { kind: "data", changes: [{ kind: "snapshot", snapshot }] });

/** The state after these keys, and the requests they caused. */
function type(state: State, ...keys: readonly (Key | string)[]): { state: State; effects: Effect[] } {
  const effects: Effect[] = [];
  const pressed = keys.flatMap((key) => (typeof key === "string" && !names.has(key) ? readKeys(key).keys : [key as Key]));
  for (const key of pressed) {
    const { state: next, effect } = update(state, { kind: "key", key });
    state = next;
    if (effect) effects.push(effect);
  }
  return { state, effects };
}
const names = new Set([
  "enter",
  "escape",
  "tab",
  "back-tab",
  "up",
  "down",
  "left",
  "right",
  "home",
  "end",
  "page-up",
  "page-down",
  "interrupt",
]);

const newEvent = (id: number): Action => {
  const data = event(id, { started_at: new Date(now.getTime() + id * 1000) });
  return { kind: "data", changes: [{ kind: "messages", messages: numbered([{ type: "event", data }], id) }] };
};

describe("selected row", () => {
  it("selected row: follows the newest entry until the user moves, and then stays on its entry", () => {
    expect(subjectOf(full)?.id).toBe("7");
    expect(subjectOf(act(full, newEvent(100)))?.id).toBe("100");
    const down = type(full, "j").state;
    expect(subjectOf(down)?.id).toBe("6");
    expect(subjectOf(act(act(down, newEvent(100)), newEvent(101)))?.id).toBe("6");
    expect(subjectOf(act(type(down, "g").state, newEvent(100)))?.id).toBe("100");
  });

  it("selected row: stays on its entry while that exists", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 6 }), fc.array(fc.constantFrom(1, 2, 3, 200, 201, 202), { maxLength: 10 }), (downs, ids) => {
        let state = type(full, ..."j".repeat(downs)).state;
        const selected = subjectOf(state)?.id;
        ids.forEach((id, at) => {
          const data = event(id, id > 100 ? { started_at: new Date(now.getTime() + id * 1000) } : {});
          const messages = numbered([{ type: "event.updated", data }], at + 1);
          state = act(state, { kind: "data", changes: [{ kind: "messages", messages }] });
        });
        expect(subjectOf(state)?.id).toBe(selected);
      }),
    );
  });

  it("selected row: moves to a neighbour when its entry is gone", () => {
    const down = type(full, "jj").state;
    const gone = numbered([{ type: "event.deleted", data: { id: 5 } }]);
    expect(subjectOf(act(down, { kind: "data", changes: [{ kind: "messages", messages: gone }] }))?.id).toBe("4");
  });

  it("selected row: is always visible", () => {
    fc.assert(
      fc.property(fc.nat(600), fc.integer({ min: 1, max: 60 }), fc.nat(600), (count, height, place) => {
        const at = Math.min(place, Math.max(0, count - 1));
        const first = firstShown(count, at, height);
        expect(first).toBeGreaterThanOrEqual(0);
        expect(at - first).toBeLessThan(height);
        expect(at).toBeGreaterThanOrEqual(first);
      }),
    );
  });

  it("selected row: exists in each list", () => {
    expect(selectedRecords(type(full, "tab").state)?.cameraId).toBe("genkan");
    expect(subjectOf(type(full, "tab").state)).toEqual({ kind: "camera", id: "genkan" });
    const alerts = type(full, "back-tab").state;
    expect(selectedRecords(alerts)?.alerts.map(({ event_id }) => event_id)).toEqual([5]);
    expect(subjectOf(alerts)).toEqual({ kind: "event", id: "5" });
  });
});

describe("filter", () => {
  const idsAfter = (typed: string): number[] => rowsOf(type(full, `/${typed}`).state).events.map(({ id }) => id);

  it.each([
    ["cat", [1]],
    ["FRONT-door person", [7, 5, 4, 3, 2]],
    ["level:high+", [5, 2]],
    ["level:low,medium", [3, 1]],
    ["camera:garden", [1]],
    ["garten", [1]],
    ["-camera:front", [6, 1]],
    ["level:crit", [5]],
    ["camera:", [7, 6, 5, 4, 3, 2, 1]],
    ["nothing-like-this", []],
  ])("filter: %j leaves the events %j", (typed, ids) => {
    expect(idsAfter(typed)).toEqual(ids);
  });

  it("filter: applies while typing, stays on enter, and is restored or cleared on escape", () => {
    const typed = type(full, "/cat").state;
    expect([typed.ui.filter, typed.ui.prompt?.kind]).toEqual(["cat", "filter"]);
    const kept = type(typed, "enter").state;
    expect([kept.ui.filter, kept.ui.prompt]).toEqual(["cat", undefined]);
    expect(type(kept, "/s", "escape").state.ui.filter).toBe("cat");
    expect(type(kept, "escape").state.ui.filter).toBe("");
    expect(type(typed, "\u007f\u007f").state.ui.filter).toBe("c");
  });

  it("filter: never throws, and each entry matches a word or its negation", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 12 }), (word) => {
        const one = word.replace(/\s/g, "").replace(/^-+/, "");
        const count = (filter: string): number => rowsOf({ ...full, ui: { ...full.ui, filter } }).events.length;
        if (one !== "" && !/^(camera|level):$/i.test(one)) expect(count(one) + count(`-${one}`)).toBe(7);
      }),
    );
  });
});

describe("keys", () => {
  it("keys: the first letter of a view's name opens it", () => {
    expect(type(full, ":al", "enter").state.ui.view).toBe("alerts");
    expect(type(full, ":sy\t", "enter").state.ui.view).toBe("system");
    expect(type(full, ":nowhere", "enter").state.ui.note?.text).toContain("unknown view nowhere");
    expect(type(full, "?").state.ui.view).toBe("help");
    expect(type(full, "?", "escape").state.ui.view).toBe("overview");
    expect(type(full, ":q", "enter").effects).toEqual([{ kind: "quit" }]);
  });

  it("keys: open and close details", () => {
    const open = type(full, "j", "enter").state;
    expect(open.ui.details).toEqual({ subject: { kind: "event", id: "6" }, scroll: 0, picture: 0 });
    expect(type(open, "escape").state.ui).toMatchObject({ details: undefined, view: "overview" });
  });

  it("keys: page through an event's pictures, and stop scrolling at the end of its text", () => {
    const open = type(full, "jj", "enter").state;
    const subject = { kind: "event", id: "5" } as const;
    const loaded = act(open, { kind: "loaded", loaded: { subject, picture: 0, event: details, explanation } });
    expect(type(loaded, "right").state.ui.details?.picture).toBe(1);
    expect(type(loaded, "left", "left").state.ui.details?.picture).toBe(0);
    const end = type(loaded, "end").state.ui.details?.scroll ?? 0;
    expect(end).toBeGreaterThan(3);
    expect(type(loaded, "end", "down", "up").state.ui.details?.scroll).toBe(end - 1);
    expect(type(loaded, "up").state.ui.details?.scroll).toBe(0);
  });

  it("keys: ask before an alert is acknowledged or dismissed, and name it", () => {
    const asked = type(full, "back-tab", "d").state;
    expect(asked.ui.prompt).toMatchObject({ kind: "confirm" });
    expect(asked.ui.prompt).toHaveProperty(
      "question",
      expect.stringContaining("Dismiss the critical alert “Somebody at night” of event 5"),
    );
    expect(type(asked, "n").effects).toEqual([]);
    expect(type(asked, "enter").effects).toEqual([]);
    const done = type(asked, "y");
    expect(done.effects).toMatchObject([{ kind: "settle", operation: "dismissAlert", alerts: [{ event_id: 5 }] }]);
    expect(type(full, "back-tab", "ay").effects).toMatchObject([{ operation: "acknowledgeAlert" }]);
  });

  it("keys: a confirmation applies to the alert that was shown, even after new ones arrived", () => {
    const asked = type(full, "back-tab", "a").state;
    const newer = numbered([{ type: "alert_created", data: alert(9, { created_at: now }) }]);
    const later = act(asked, { kind: "data", changes: [{ kind: "messages", messages: newer }] });
    expect(type(later, "y").effects).toMatchObject([{ alerts: [{ event_id: 5 }] }]);
  });

  it("keys: mark an event as reviewed, and undo it", () => {
    expect(type(full, "r").effects).toEqual([{ kind: "review", eventId: 7, reviewed: true }]);
    expect(type(full, "end", "r").effects).toEqual([{ kind: "review", eventId: 1, reviewed: false }]);
  });

  it("keys: silence a camera for a duration, with a reason", () => {
    const prompt = type(full, "s", "right", "tea party").state;
    expect(type(prompt, "enter").effects).toEqual([{ kind: "silence", cameraId: "front-door", seconds: 7_200, reason: "tea party" }]);
    expect(type(prompt, "escape").effects).toEqual([]);
    const without = type(full, "s", "enter");
    expect([without.effects, without.state.ui.prompt?.kind]).toEqual([[], "silence"]);
  });

  it("keys: say when there is no entry to act on", () => {
    const nothing = firstState(now, { columns: 80, rows: 24 });
    for (const key of ["a", "d", "r", "s"]) expect(type(nothing, key)).toMatchObject({ effects: [], state: { ui: { prompt: undefined } } });
    expect(type(nothing, "a").state.ui.note?.text).toBe("no open alerts here");
  });

  it("keys: q and Ctrl-C exit, also during a question", () => {
    expect(type(full, "q").effects).toEqual([{ kind: "quit" }]);
    expect(type(full, "/q", "interrupt").effects).toEqual([{ kind: "interrupt" }]);
  });

  it("keys: never throw on any input", () => {
    const keys = fc.array(fc.oneof(fc.constantFrom(...names), fc.string({ unit: "grapheme", minLength: 1, maxLength: 1 })), {
      maxLength: 30,
    });
    fc.assert(
      fc.property(keys, (typed) => {
        const { state } = type(full, ...typed);
        expect(state.data).toBe(full.data);
      }),
    );
  });
});

describe("notice", () => {
  it("notice: disappears after a few seconds", () => {
    const withNote = act(full, { kind: "note", text: "done" });
    const later = (seconds: number): State => act(withNote, { kind: "tick", now: new Date(now.getTime() + seconds * 1000) });
    expect(later(3).ui.note?.text).toBe("done");
    expect(later(9).ui.note).toBeUndefined();
  });
});
