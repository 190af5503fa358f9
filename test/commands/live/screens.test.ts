import { describe, expect, it } from "vitest";
import { firstState, type State } from "../../../commands/live/ui/ui.ts";
import { type Action, update } from "../../../commands/live/ui/update.ts";
import type { Size } from "../../../commands/picture/terminal.ts";
import { plainDisplay, screenOf } from "./draw.tsx";
import { ago, details, detection, event, explanation, health, now, numbered, pipeline, silence, snapshot, telemetry } from "./sample.ts";

const act = (state: State, ...actions: readonly Action[]): State => actions.reduce((before, action) => update(before, action).state, state);
const keys = (state: State, text: string): State =>
  [...text].reduce((before, each) => act(before, { kind: "key", key: { text: each } }), state);

function full(size: Size): State {
  const told = numbered([
    { type: "event", data: event(8, { started_at: ago(1), risk_score: null, risk_level: null, analysis_status: "pending", summary: "" }) },
    {
      type: "camera_status",
      data: { ...(snapshot.cameras[2] as (typeof snapshot.cameras)[number]), previous_status: "online", reason: "no picture for 2 h" },
    },
  ]);
  return act(firstState(now, size), {
    kind: "data",
    changes: [
      { kind: "link", link: { kind: "connected", since: ago(60), version: "1.2.3" } },
      { kind: "snapshot", snapshot },
      { kind: "system", at: now, health, pipeline, telemetry },
      { kind: "messages", messages: told },
    ],
  });
}

const image = {
  width: 64,
  height: 48,
  data: Uint8Array.from({ length: 64 * 48 * 3 }, (_, at) => (Math.floor(at / 3) % 64) * 4),
};
const eventDetails = (state: State): State => {
  const open = act(state, ...(["down", "down", "down", "enter"] as const).map((key) => ({ kind: "key", key }) as const));
  const subject = { kind: "event", id: "5" } as const;
  return act(open, { kind: "loaded", loaded: { subject, picture: 0, event: details, explanation, image } });
};
const cameraDetails = (state: State): State => {
  const open = act(state, ...(["tab", "down", "enter"] as const).map((key) => ({ kind: "key", key }) as const));
  return act(open, { kind: "loaded", loaded: { subject: { kind: "camera", id: "front-door" }, picture: 0, image } });
};

const screens: Readonly<Record<string, (state: State) => State>> = {
  overview: (state) => state,
  cameras: (state) => act(keys(state, ":cameras"), { kind: "key", key: "enter" }),
  events: (state) => act(keys(state, ":events"), { kind: "key", key: "enter" }),
  alerts: (state) => act(keys(state, ":alerts"), { kind: "key", key: "enter" }),
  system: (state) => act(keys(state, ":system"), { kind: "key", key: "enter" }),
  log: (state) => act(keys(state, ":log"), { kind: "key", key: "enter" }),
  help: (state) => keys(state, "?"),
  event: eventDetails,
  camera: cameraDetails,
};

describe.each([
  { columns: 80, rows: 24 },
  { columns: 120, rows: 40 },
  { columns: 300, rows: 100 },
])("on $columns x $rows", (size) => {
  it.each(Object.keys(screens))("%s", async (name) => {
    const screen = await screenOf((screens[name] as (state: State) => State)(full(size)));
    await expect(screen.text).toMatchFileSnapshot(`__screens__/${name}-${size.columns}x${size.rows}.txt`);
    // one line stays free, otherwise the terminal would scroll
    expect(screen.lines.at(-1)).toBe("");
    expect(screen.lines.at(-2)).not.toBe("");
  });
});

describe("the screen", () => {
  const small = full({ columns: 80, rows: 24 });

  it("asks in its last line", async () => {
    const last = async (state: State): Promise<string> => (await screenOf(state)).lines.at(-2) ?? "";
    expect(await last(keys(small, "/cat"))).toBe(" / cat▏");
    expect(await last(keys(small, ":s"))).toBe(" : s▏  system");
    const alerts = act(small, { kind: "key", key: "back-tab" });
    expect(await last(keys(alerts, "d"))).toBe(" Dismiss the critical alert “Somebody at night” of event 5 at front-door? y/N");
    expect(await last(keys(alerts, "stea"))).toBe(" silence front-door for 30 min [1 h] 2 h 8 h, reason: tea▏");
    expect(await last(act(small, { kind: "note", text: "done" }))).toBe(" done");
  });

  it("shows which cameras are silenced until the silence is over, and that everything is", async () => {
    const text = async (state: State): Promise<string> => (await screenOf(state)).text;
    const cameras = screens["cameras"] as (state: State) => State;
    expect(await text(cameras(small))).toMatch(/front-door .* muted 2 h/);
    expect(await text(cameras(small))).not.toMatch(/garden .* silenced/);
    expect(await text(small)).toContain("1 silence");
    expect(await text(cameraDetails(small))).toMatch(/The\s+painters are here/);
    const ended = { type: "silence.ended", data: silence(1, { status: "ended", ended_at: now }) } as const;
    const after = act(small, { kind: "data", changes: [{ kind: "messages", messages: numbered([ended], 3) }] });
    expect(await text(after)).not.toContain("1 silence");
    const all = { type: "silence.started", data: silence(2, { camera_id: null, camera_name: null }) } as const;
    const quiet = act(small, { kind: "data", changes: [{ kind: "messages", messages: numbered([all], 3) }] });
    expect(await text(quiet)).toContain("all alerts muted");
    expect(await text(cameras(quiet))).toMatch(/garden .* muted 2 h/);
    const ofRule = {
      type: "silence.started",
      data: silence(3, { camera_id: "garden", rule_id: silence(9).id, rule_name: "Cats" }),
    } as const;
    const partly = act(small, { kind: "data", changes: [{ kind: "messages", messages: numbered([ofRule], 3) }] });
    expect(await text(cameras(partly))).not.toMatch(/garden .* silenced/);
  });

  it("says how long it has been reconnecting, and how much it has to catch up", async () => {
    const interrupted = { kind: "link", link: { kind: "interrupted", since: ago(3), reason: "gone" } } as const;
    const first = (await screenOf(act(small, { kind: "data", changes: [interrupted] }))).lines[0];
    expect(first).toContain("reconnecting (3 s)");
    const back = { kind: "link", link: { kind: "connected", since: now, version: "1.2.3" }, newest: 44 } as const;
    expect((await screenOf(act(small, { kind: "data", changes: [back] }))).lines[0]).toContain("catching up (42)");
  });

  it("greys what is stale, with its age, from the moment the daemon is gone until it is back", async () => {
    const link = { kind: "link", link: { kind: "interrupted", since: ago(12), reason: "gone" } } as const;
    const gone = act(small, { kind: "data", changes: [link] });
    const { lines, text } = await screenOf(gone);
    expect(lines[0]).toMatch(/○ reconnecting \(12 s\) {2}was degraded 0 s ago/);
    expect(lines[1]).toContain("as of 22:14:48");
    expect(text).toMatch(/cameras 5, 12 s old[\s\S]*open alerts 2, 12 s old[\s\S]*events 8, 12 s old/);
    const coloured = { ...plainDisplay, colour: true, depth: "24bit" } as const;
    const screen = await screenOf(gone, coloured);
    // Only the state of the connection keeps its colour
    expect(screen.written.join("").split("\u001b[31m")).toHaveLength(2);
    for (const colour of [32, 33, 35, 36]) expect(screen.written.join("")).not.toContain(`\u001b[${colour}m`);
    expect((await screenOf(screens["system"]?.(gone) as State)).text).toContain("system was degraded, 0 s old");
    const back = { kind: "link", link: { kind: "connected", since: new Date(now.getTime() + 1), version: "1.2.3" } } as const;
    const again = act(gone, { kind: "data", changes: [back] });
    // The lists follow the messages at once; the health is from before until the daemon has been asked again
    expect((await screenOf(again)).text).toMatch(/● connected {2}was degraded[\s\S]*━ events 8 ━/);
    const fresh = { kind: "system", at: new Date(now.getTime() + 2), health } as const;
    expect((await screenOf(act(again, { kind: "data", changes: [fresh] }))).lines[0]).toMatch(/● connected {2}degraded/);
  });

  it("greys the health if the daemon stops reporting it on an open connection", async () => {
    const later = act(small, { kind: "tick", now: new Date(now.getTime() + 20_000) });
    expect((await screenOf(later)).lines[0]).toMatch(/● connected {2}was degraded 20 s ago/);
    expect((await screenOf(screens["system"]?.(later) as State)).text).toContain("system was degraded, 20 s old");
  });

  it("says that it is loading instead of numbers that are not known yet", async () => {
    const connected = { kind: "link", link: { kind: "connected", since: now, version: "1.2.3" } } as const;
    for (const columns of [80, 120, 300]) {
      const { text, lines } = await screenOf(act(firstState(now, { columns, rows: 40 }), { kind: "data", changes: [connected] }));
      expect(lines[1]?.trim()).toBe("loading ...");
      expect(text.match(/loading \.\.\./g)?.length).toBeGreaterThan(2);
      expect(text).not.toMatch(/\b0 cameras|no open alerts|no events yet|no cameras yet|cameras 0|events 0|nothing is selected/);
    }
  });

  it("shows a visit that is going on until it is an event", async () => {
    const visitor = (id: number, seconds: number, more = {}) =>
      ({
        type: "detection.new",
        data: detection(id, {
          ...{ camera_id: "yard", batch_id: "b1", event_id: null, detected_at: ago(seconds), created_at: ago(seconds) },
          ...{ file_path: `/srv/cameras/yard/${seconds}.jpg`, ...more },
        }),
      }) as const;
    const told = numbered([visitor(101, 40), visitor(102, 20), visitor(103, 20), visitor(104, 5, { object_type: "dog" })], 3);
    const visit = act(small, { kind: "data", changes: [{ kind: "messages", messages: told }] });
    const { text } = await screenOf(visit);
    expect(text).toMatch(/━ events 8 ━.*\n.*STARTED.*\n {2}now at yard: 2 people, 1 dog, for 40 s\n▸ 22:14:59/);
    // Without the daemon, the visit may be over
    const gone = { kind: "link", link: { kind: "interrupted", since: ago(1), reason: "gone" } } as const;
    const stale = (await screenOf(act(visit, { kind: "data", changes: [gone] }))).text;
    expect(stale).toContain("at yard since 2026-01-31 22:14:20: 2 people, 1 dog, not an event yet");
    expect(stale).not.toContain("now at");
    expect((await screenOf(keys(visit, "/yard"))).text).toContain("now at yard");
    expect((await screenOf(keys(visit, "/garden"))).text).not.toContain("now at yard");
    const become = { type: "event", data: event(9, { camera_id: "yard", batch_id: "b1" }) } as const;
    const after = act(visit, { kind: "data", changes: [{ kind: "messages", messages: numbered([become], 7) }] });
    expect((await screenOf(after)).text).not.toContain("now at yard");
  });

  it("leaves a picture out where it would be too small to recognise anything, and names the command that saves it", async () => {
    const coloured = { ...plainDisplay, colour: true, depth: "24bit" } as const;
    const narrow = await screenOf(eventDetails(small), coloured);
    expect(narrow.text).not.toContain("▀");
    expect(narrow.text).toMatch(/picture .*person 97 %, 10 min ago 1 of 2, ← →; homesec detections image 70/);
    expect((await screenOf(eventDetails(full({ columns: 120, rows: 40 })), coloured)).text).toContain("▀▀▀▀▀▀▀▀");
  });

  it("keeps its columns with wide characters and emoji in names", async () => {
    const { lines } = await screenOf(screens["cameras"]?.(small) as State);
    const rows = lines.filter((line) => /online|offline|unknown/.test(line) && !line.includes("homesec"));
    expect(rows).toHaveLength(5);
    // each wide character is one character here and takes two columns on the screen
    const columns = rows.map((line) =>
      [...line.slice(0, line.search(/online|offline|unknown/))].reduce(
        (sum, each) => sum + (/[\p{Emoji_Presentation}\u3041-\u9fff]/u.test(each) ? 2 : 1),
        0,
      ),
    );
    expect(new Set(columns).size).toBe(1);
  });

  it("shows texts from outside without what they would do to a terminal", async () => {
    const screen = await screenOf(screens["events"]?.(small) as State);
    expect(screen.text).toContain("Somebody with �[31ma ladder�[0m at 03:00");
    expect(screen.written.join("")).not.toContain("\u202e");
  });

  it("has colours for risks, and none with NO_COLOR", async () => {
    const coloured = (await screenOf(small, { ...plainDisplay, colour: true, depth: "24bit" })).written.join("");
    expect(coloured).toContain("\u001b[35mcritical 93");
    expect(coloured).toContain("\u001b[31mhigh 72");
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colour codes begin with this character
    expect((await screenOf(small)).written.join("")).not.toMatch(/\u001b\[(?:[1-9]|3\d|4\d)[\d;]*m/);
  });

  it.each([
    [40, 10],
    [41, 11],
    [79, 12],
    [119, 60],
    [121, 12],
    [199, 24],
    [201, 20],
  ])("fits into %i x %i", async (columns, rows) => {
    for (const change of Object.values(screens)) {
      const screen = await screenOf(change(full({ columns, rows })));
      expect(screen.lines.at(-1)).toBe("");
      expect(screen.lines.at(-2)).not.toBe("");
    }
  });

  it("says when the terminal is too small", async () => {
    expect((await screenOf(full({ columns: 30, rows: 5 }))).lines[0]).toBe("Too small: 30x5, needs 40x10;");
  });
});
