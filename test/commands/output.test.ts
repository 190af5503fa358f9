import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { cameraView } from "../../commands/cameras/view.ts";
import { detectionView } from "../../commands/detections/view.ts";
import { eventView, eventWithDetectionsView } from "../../commands/events/view.ts";
import { displayWidth } from "../../commands/output/terminal-format.ts";
import { Camera } from "../../src/contract/routes/cameras.ts";
import { Detection } from "../../src/contract/routes/detections.ts";
import { Event, EventWithDetections } from "../../src/contract/routes/events.ts";
import { apiStandIn, type StandInAnswer } from "../support/api-stand-in.ts";
import { type CliOptions, cli } from "../support/cli.ts";
import { camera, detection, event, now, page } from "./records.ts";

let answers: Record<string, unknown> = {};
let api: Awaited<ReturnType<typeof apiStandIn>>;

beforeAll(async () => {
  api = await apiStandIn(({ path }): StandInAnswer | undefined => (answers[path] === undefined ? undefined : { body: answers[path] }));
});
afterAll(() => api.close());

const garage = { ...camera, camera_id: "garage", name: "Garage, =1+1", status: "offline", last_seen_at: null };
const events = {
  items: [event, { ...event, id: 43, risk_score: null, risk_level: null, analysis_status: "pending" }],
  pagination: page(2),
};

beforeEach(() => {
  answers = {
    "/api/cameras": { cameras: [camera, garage], count: 2, pagination: page(2) },
    "/api/cameras/front-door": camera,
    "/api/events": events,
    "/api/events/42": { ...event, detections: [detection], shown_detection_ids: [] },
    "/api/detections": { items: [detection], pagination: page(1) },
    "/api/detections/7": detection,
  };
});

/** Wrapped in a narrow terminal. */
const aboutGarage = /^garage is offline:\s+`homesec\s+explain\s+--camera\s+garage\s+--at\s+now`\s+says\s+why\n$/;

const at = (options: CliOptions = {}): CliOptions => ({
  clock: { now: () => now, monotonic: () => 0 },
  ...options,
  env: { HOMESEC_URL: api.url, ...options.env },
});
const out = async (args: string, options?: CliOptions): Promise<string> => {
  const { code, out, err } = await cli(args.split(" "), at(options));
  expect([code, err.replace(aboutGarage, "")]).toEqual([0, ""]);
  return out;
};

describe("tables", () => {
  it("tables: show the UTC offset only for times in the repeated hour of a clock change", async () => {
    const zone = process.env["TZ"];
    process.env["TZ"] = "Europe/Berlin";
    try {
      const times = [
        "2025-10-25T23:59:00Z",
        "2025-10-26T00:20:00Z",
        "2025-10-26T01:20:00Z",
        "2025-10-26T02:00:00Z",
        "2025-03-30T01:20:00Z",
      ];
      const items = times.map((started_at, id) => ({ ...event, id, started_at }));
      answers = { "/api/events": { items, pagination: page(items.length) } };
      const lines = (await out("events list")).split("\n").slice(1, -1);
      expect(lines.map((line) => line.slice(4).replace(/ {2}.*/, ""))).toEqual([
        ...["2025-10-26 01:59", "2025-10-26 02:20 +02:00", "2025-10-26 02:20 +01:00", "2025-10-26 03:00", "2025-03-30 03:20"],
      ]);
    } finally {
      if (zone === undefined) delete process.env["TZ"];
      else process.env["TZ"] = zone;
    }
  });

  it("tables: have plain columns without a terminal", async () => {
    expect(await out("cameras list")).toBe(`CAMERA      NAME          STATUS   LAST PICTURE  FOLDER
front-door  Front door    online   3 min ago     /srv/cameras/front-door
garage      Garage, =1+1  offline  never         /srv/cameras/front-door
`);
    expect(await out("events list")).toBe(`ID  WHEN       CAMERA      RISK          OBJECTS  SUMMARY
42  3 min ago  front-door  high 72       person   One person at the front door
43  3 min ago  front-door  not analysed  person   One person at the front door
`);
    expect(await out("detections list")).toBe(`ID  WHEN       CAMERA      OBJECT  CONFIDENCE  EVENT  PICTURE
 7  3 min ago  front-door  person        91 %     42  /srv/cameras/front-door/2026/01/31/a.jpg
`);
  });

  it.each([40, 60, 80, 120])("tables: fit a terminal of %i columns with one line a row", async (terminal) => {
    for (const list of ["cameras list", "events list", "detections list"]) {
      const lines = (await out(list, { terminal, env: { NO_COLOR: "1" } })).trimEnd().split("\n");
      expect(lines).toHaveLength(list === "detections list" ? 2 : 3);
      for (const line of lines) expect(line.length, line).toBeLessThanOrEqual(terminal);
    }
    const narrow = await out("events list", { terminal: 60, env: { NO_COLOR: "1" } });
    expect(narrow).toContain("high 72");
    expect(narrow).toContain("…");
  });

  it.each([20, 40, 80, 200])("tables: separate rows on %i columns, with any letters in them", async (terminal) => {
    const names = [
      "玄関カメラ".repeat(6),
      "👩‍👩‍👧‍👦 Familie 👍🏽",
      "e\u0301\u0302".repeat(30),
      "🇩🇪🇫🇷".repeat(9),
      "Ａ１",
      "x".repeat(300),
      "ก็".repeat(20),
    ];
    const cameras = names.map((name, at) => ({ ...camera, camera_id: `camera-${at}`, name, folder_path: `/srv/${name}` }));
    answers["/api/cameras"] = { cameras, count: names.length, pagination: page(names.length) };
    answers["/api/events"] = { items: names.map((summary, at) => ({ ...event, id: at, summary })), pagination: page(names.length) };
    for (const list of ["cameras list", "events list", "cameras list --fields name,folder_path,camera_id"]) {
      const lines = (await out(list, { terminal, env: { NO_COLOR: "1" } })).trimEnd().split("\n");
      expect(lines).toHaveLength(names.length + 1);
      for (const line of lines) expect(displayWidth(line), line).toBeLessThanOrEqual(terminal);
    }
  });

  it("tables: omit columns without content", async () => {
    expect(await out("events list", { terminal: 40, env: { NO_COLOR: "1" } })).toBe(`ID  WHEN       CAMERA      RISK
42  3 min ago  front-door  high 72
43  3 min ago  front-door  not analysed
`);
  });

  it("tables: use colours on a terminal only, and not with NO_COLOR, --no-color or a dumb terminal", async () => {
    const red = "\u001b[31mhigh 72\u001b[39m";
    expect(await out("events list", { terminal: 100 })).toContain(red);
    const without = [
      await out("events list"),
      await out("events list", { terminal: 100, env: { NO_COLOR: "1" } }),
      await out("events list --no-color", { terminal: 100 }),
      await out("--no-color events list", { terminal: 100 }),
      await out("events list", { terminal: 100, env: { TERM: "dumb" } }),
    ];
    for (const text of without) expect(text).not.toContain("\u001b");
    expect(await out("events list", { terminal: 100, env: { NO_COLOR: "" } })).toContain(red);
  });

  it("tables: remove characters that move the cursor or break the line", async () => {
    const name = "a\u001b[2Jb\nc\u202ed";
    answers["/api/cameras"] = { cameras: [{ ...camera, name }], count: 1, pagination: page(1) };
    const text = await out("cameras list");
    expect(text.split("\n")).toHaveLength(3);
    expect(text).toContain("a\ufffd[2Jb c\ufffdd");
  });

  it("other formats and errors: remove such characters on a terminal too", async () => {
    const name = "a\u001b[2Jb\u009bc\u202ed\u007f";
    answers["/api/cameras"] = { cameras: [{ ...camera, name }], count: 1, pagination: page(1) };
    for (const format of ["csv", "yaml", "json", "ndjson"]) {
      expect(await out(`cameras list -o ${format}`, { terminal: 80 })).not.toMatch(/\r(?!\n)|[^\P{Cc}\r\n]|\u202e/u);
    }
    // a CSV may end up on a terminal too
    expect(await out("cameras list -o csv")).toContain("a\\u001b[2Jb\\u009bc\\u202ed\\u007f");
    const { err } = await cli(["cameras", "show", `${name}!`], at({ terminal: 80 }));
    expect(err).toMatch(/^homesec: .*a/);
    expect(err).not.toMatch(/[^\P{Cc}\n]|\u202e/u);
    const told = await apiStandIn(() => ({ status: 404, body: { detail: "there is no \u001b]0;title\u0007 here" } }));
    const said = await cli(["cameras", "show", "x"], at({ env: { HOMESEC_URL: told.url } }));
    await told.close();
    expect(said.err).toContain("there is no \ufffd]0;title\ufffd here");
  });

  it("tables: count wide letters as the terminal does", async () => {
    answers["/api/cameras"] = { cameras: [{ ...camera, name: "玄関カメラ" }, garage], count: 2, pagination: page(2) };
    const [, wide, narrow] = (await out("cameras list")).split("\n");
    // five letters take ten columns
    expect((wide ?? "").indexOf("online")).toBe((narrow ?? "").indexOf("offline") - 5);
  });

  it("tables: report further rows, or no rows, on standard error", async () => {
    answers["/api/cameras"] = { cameras: [camera], count: 1, pagination: page(9, "next") };
    const some = await cli(["cameras", "list", "--limit", "1"], at());
    expect(some.err).toBe("1 of 9 cameras; use --limit 9 for all\n");
    answers["/api/cameras"] = { cameras: [], count: 0, pagination: page(0) };
    expect(await cli(["cameras", "list"], at())).toEqual({ code: 0, out: "", err: "no cameras\n" });
    expect(await cli(["cameras", "list", "--quiet"], at())).toEqual({ code: 0, out: "", err: "" });
  });
});

describe("single record", () => {
  it("single record: shows all its fields", async () => {
    expect((await out("events show 42")).replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/g, "<local time>")).toBe(`event        42
camera       front-door
started      <local time> (3 min ago)
lasted       42 s
risk         high 72
objects      person
summary      One person at the front door
reasoning    A person stood there for 42 s.
analysed by  built-in scorer
reviewed     no
notes        -

Risk factors
    +60  person  91 % sure
    +12  dwell

ID  WHEN       CAMERA      OBJECT  CONFIDENCE  EVENT  PICTURE
 7  3 min ago  front-door  person        91 %     42  /srv/cameras/front-door/2026/01/31/a.jpg
`);
    expect(await out("cameras show front-door")).toMatch(/^camera\s+front-door\nname\s+Front door\nstatus\s+online\n/);
    expect(await out("detections show 7")).toContain("object     person, confidence 91 %\n");
  });

  it("single record: wraps long texts between words, on a terminal only", async () => {
    const reasoning = "A person came up the path, stood in front of the door for 42 s, and went away again without ringing.";
    answers["/api/events/42"] = { ...event, reasoning, detections: [], shown_detection_ids: [] };
    const narrow = await out("events show 42", { terminal: 60, env: { NO_COLOR: "1" } });
    expect(narrow).toContain(`reasoning    A person came up the path, stood in front of
             the door for 42 s, and went away again without
             ringing.
analysed by`);
    expect(await out("events show 42")).toContain(`reasoning    ${reasoning}\n`);
  });
});

describe("--fields", () => {
  it("--fields: limits the output in every format", async () => {
    expect(await out("cameras list --fields camera_id,last_seen_at")).toBe(
      "CAMERA_ID   LAST_SEEN_AT\nfront-door  2026-01-31T11:57:00.000Z\ngarage\n",
    );
    expect(JSON.parse(await out("cameras list --fields name -o json"))).toEqual({
      cameras: [{ name: "Front door" }, { name: "Garage, =1+1" }],
      count: 2,
      pagination: page(2),
    });
    expect(await out("cameras list --fields status,name -o csv")).toBe('status,name\r\nonline,Front door\r\noffline,"Garage, =1+1"\r\n');
    expect(await out("cameras list --fields camera_id -o ndjson")).toBe('{"camera_id":"front-door"}\n{"camera_id":"garage"}\n');
    expect(await out("cameras list --fields camera_id -o yaml")).toMatch(
      /^cameras:\n {2}- camera_id: front-door\n {2}- camera_id: garage\n/,
    );
    expect(await out("events show 42 --fields id,object_types")).toBe("id            42\nobject_types  person\n");
    expect(JSON.parse(await out("events show 42 -o json --fields risk_level"))).toEqual({ risk_level: "high" });
  });

  it("--fields: lists the valid names after a wrong one", async () => {
    expect(await cli(["cameras", "list", "--fields", "nme"], at())).toMatchObject({
      code: 2,
      out: "",
      err: expect.stringContaining("cameras have no field nme (did you mean name?); known fields are camera_id, name, folder_path"),
    });
  });
});

describe("formats for programs", () => {
  it("format json: is the body of the API", async () => {
    expect(JSON.parse(await out("cameras list -o json"))).toEqual(answers["/api/cameras"]);
    expect(JSON.parse(await out("events list -o json"))).toEqual(answers["/api/events"]);
    expect(JSON.parse(await out("events show 42 -o json"))).toEqual(answers["/api/events/42"]);
    expect(JSON.parse(await out("-o json detections show 7"))).toEqual(detection);
  });

  it("format yaml: has the same content", async () => {
    expect(parse(await out("cameras list -o yaml"))).toEqual(answers["/api/cameras"]);
    expect(await out("cameras show front-door -o yaml")).toMatch(
      /^camera_id: front-door\nname: Front door\n.*deleted_at: null\n.*clock_offset_seconds: null\n$/s,
    );
  });

  it("format ndjson: has one record a line", async () => {
    const lines = (await out("events list -o ndjson")).trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line))).toEqual(events.items);
    expect(JSON.parse(await out("cameras show front-door -o ndjson"))).toEqual(camera);
  });

  it("format id: has one id a line", async () => {
    expect(await out("cameras list -o id")).toBe("front-door\ngarage\n");
    expect(await out("events list -o id")).toBe("42\n43\n");
  });

  it("format csv: has every field, exact times and no formulas", async () => {
    answers["/api/cameras"] = { cameras: [{ ...garage, name: '=HYPERLINK("http://x")' }, garage], count: 2, pagination: page(2) };
    expect(await out("cameras list -o csv")).toBe(
      "camera_id,name,folder_path,status,last_seen_at,created_at,updated_at,deleted_at,preview_url,blur_hash,file_pattern,time_zone,time_template,clock_offset_seconds\r\n" +
        `garage,"'=HYPERLINK(""http://x"")",/srv/cameras/front-door,offline,,2026-01-01T00:00:00.000Z,2026-01-31T11:57:00.000Z,,,,,,auto,\r\n` +
        `garage,"Garage, =1+1",/srv/cameras/front-door,offline,,2026-01-01T00:00:00.000Z,2026-01-31T11:57:00.000Z,,,,,,auto,\r\n`,
    );
    expect(await out("events list -o csv")).toContain("42,event,6f2f1f0e-5a44-4a9e-9b1f-6a4d6b1f0a11,front-door,2026-01-31T11:56:30.000Z");
    answers["/api/cameras"] = { cameras: [], count: 0, pagination: page(0) };
    expect(await out("cameras list -o csv")).toMatch(/^camera_id,.*\r\n$/);
  });

  it("format csv: has every field of the contract", async () => {
    expect(await cameraView.fields()).toEqual(Object.keys(Camera.shape));
    expect(await detectionView.fields()).toEqual(Object.keys(Detection.shape));
    expect(await eventView.fields()).toEqual(Object.keys(Event.shape));
    expect(await eventWithDetectionsView.fields()).toEqual(Object.keys(EventWithDetections.shape));
  });
});
