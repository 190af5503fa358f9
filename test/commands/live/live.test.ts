import { readFileSync } from "node:fs";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { run } from "../../../commands/run.ts";
import { systemClock } from "../../../src/base/clock/clock.ts";
import { cli } from "../../support/cli.ts";
import { eventually } from "../../support/eventually.ts";
import { FakeKeys, FakeTerminal } from "../../support/fake-terminal.ts";
import { LiveStandIn, Refusal } from "../../support/live-stand-in.ts";
import { picturePath } from "../../support/pictures.ts";
import * as wire from "../records.ts";
import { ago, alert, camera, details, event, explanation, health, pipeline, telemetry } from "./sample.ts";

const pagination = wire.page(1);
const envelope = (items: readonly unknown[]) => ({ items, pagination });
const posted: string[] = [];
let openAlerts: readonly unknown[] = [];
const silence = {
  ...{ id: alert(1).id, camera_id: "front-door", camera_name: "Front door", rule_id: null, rule_name: null, reason: "tea party" },
  ...{ status: "active", created_at: ago(0), ends_at: ago(-3_600), ended_at: null, created_by: null, ended_by: null, held_back: 0 },
};

/** Paths that the daemon refuses. */
let refused: (path: string) => Refusal | undefined = () => undefined;

function answer(method: string, path: string, query: URLSearchParams): unknown {
  if (method !== "GET") posted.push(`${method} ${path}`);
  const refusal = refused(path);
  if (refusal !== undefined) return refusal;
  if (path === "/api/cameras") return { cameras: [camera("front-door")], count: 1, pagination };
  if (path === "/api/events") return envelope([event(2), event(1)]);
  if (path === "/api/alerts") return envelope(query.get("status") === "delivered" ? openAlerts : []);
  if (path === "/api/detections") return envelope([]);
  if (path.endsWith("/thumbnail")) return readFileSync(picturePath());
  if (/^\/api\/events\/\d+\/explain$/.test(path)) return explanation;
  if (/^\/api\/events\/\d+$/.test(path)) return { ...details, ...event(Number(path.split("/").at(-1))) };
  if (path === "/api/silences") return method === "GET" ? envelope([]) : silence;
  if (/^\/api\/alerts\/.*\/(acknowledge|dismiss)$/.test(path)) return alert(2, { status: "acknowledged" });
  return { "/api/system/health/full": health, "/api/system/pipeline": pipeline, "/api/system/telemetry": telemetry }[path];
}

let daemon: LiveStandIn;
let screen: FakeTerminal;
let typed: FakeKeys;
let errors: string;
let interrupt: AbortController;
let running: Promise<number> | undefined;

// Ink is loaded only when the view starts, which takes a while
beforeAll(async () => {
  await import("../../../commands/live/run.tsx");
});
beforeEach(async () => {
  daemon = new LiveStandIn(answer);
  await daemon.start();
  [screen, typed, errors, interrupt, running] = [new FakeTerminal(100, 30), new FakeKeys(), "", new AbortController(), undefined];
  posted.length = 0;
  refused = () => undefined;
  openAlerts = [alert(2)];
});
afterEach(async () => {
  interrupt.abort("SIGTERM");
  await running;
  await daemon.stop();
});

/** `homesec live` on a terminal in memory. */
function start(args: readonly string[] = [], env: Readonly<Record<string, string>> = {}): Promise<number> {
  const never = (): Promise<number> => Promise.reject(new Error("this test starts no daemon"));
  running = run(["live", "--url", daemon.url, ...args], {
    ...{ env, cwd: "/nonexistent", home: "/home/somebody", isRoot: false, version: "1.2.3", clock: systemClock },
    ...{ signal: interrupt.signal, leave: () => {}, daemon: { serve: never, demo: never } },
    stdin: typed as never,
    stdout: screen,
    stderr: {
      write: (text) => {
        errors += text;
      },
    },
  });
  return running;
}

const shows = (what: string | RegExp): Promise<unknown> =>
  eventually(() => (typeof what === "string" ? screen.text.includes(what) : what.test(screen.text)), {
    what: `${what} on the screen`,
  }).catch((error: unknown) => {
    throw new Error(`${(error as Error).message}\n${screen.text}\n${errors}`);
  });

/** Expects that the view left nothing on the terminal. */
function expectRestored(): void {
  expect([...screen.modes]).toEqual(
    expect.arrayContaining([
      ["1049", false],
      ["25", true],
      ["7", true],
    ]),
  );
  expect([typed.raw, typed.reading, typed.listenerCount("data"), screen.listenerCount("resize")]).toEqual([false, false, 0, 0]);
}

describe("homesec live", () => {
  it("homesec live: shows the stored events, then new ones as they arrive, and exits with 0 on q", async () => {
    const code = start();
    await shows("● connected");
    await shows("One person at the front door");
    await shows("1 open alert");
    daemon.tell({ type: "event", data: event(3, { summary: "Somebody new" }) });
    await shows("Somebody new");
    typed.type("q");
    expect(await code).toBe(0);
    expectRestored();
    expect(errors).toBe("");
  });

  it("homesec live: shows an event with its picture, reasons and explanation", async () => {
    const code = start();
    await shows("One person at the front door");
    typed.type("j\r");
    await shows("explanation");
    await shows("server does not answer");
    await shows("person 97 %");
    expect(daemon.requests).toContain("GET /api/detections/70/thumbnail");
    typed.type("\u001b[C");
    await eventually(() => daemon.requests.includes("GET /api/detections/71/thumbnail"));
    typed.type("q");
    await code;
  });

  it("homesec live: reloads the details and the picture after a failure", async () => {
    const failing = new Set(["/api/events/2", "/api/detections/70/thumbnail"]);
    refused = (path) => (failing.delete(path) ? new Refusal(503, "The database is away for a moment") : undefined);
    const code = start();
    await shows("One person at the front door");
    typed.type("\r");
    await shows("The database is away for a moment");
    await shows("explanation");
    await eventually(() => daemon.requests.filter((each) => each === "GET /api/detections/70/thumbnail").length === 2, {
      timeoutMs: 10_000,
    });
    typed.type("q");
    await code;
  });

  it("homesec live: reloads the details of the selected row when the daemon is back", async () => {
    const code = start();
    await shows("One person at the front door");
    typed.type("\r");
    await shows("explanation");
    await daemon.stop();
    await shows(/reconnecting/);
    const before = daemon.requests.length;
    await daemon.start();
    await shows("● connected");
    await eventually(() => daemon.requests.slice(before).includes("GET /api/events/2/explain"));
    typed.type("q");
    await code;
  });

  it("homesec live: acknowledges alerts after a confirmation and shows the daemon's answer", async () => {
    const code = start();
    await shows("Somebody at night");
    typed.type("\u001b[Za");
    await shows("Acknowledge the high alert “Somebody at night” of event 2 at front-door? y/N");
    typed.type("y");
    await shows("the alert is acknowledged");
    expect(posted).toEqual([`POST /api/alerts/${alert(2).id}/acknowledge`]);
    daemon.tell({ type: "alert_acknowledged", data: alert(2, { status: "acknowledged" }) });
    await shows("no open alerts");
    typed.type("q");
    await code;
  });

  it("homesec live: acknowledges the remaining alerts when one was settled meanwhile, and reports both", async () => {
    openAlerts = [alert(1, { event_id: 2 }), alert(2), alert(3, { event_id: 2 })];
    refused = (path) => (path.includes(alert(3).id) ? new Refusal(409, "Alert 3 is dismissed already; that is final") : undefined);
    const code = start();
    await shows("3 open alerts");
    typed.type("a");
    await shows(/Acknowledge .*3 .*\? y\/N/);
    typed.type("y");
    await shows("2 alerts are acknowledged; 1 was already closed");
    expect(posted).toHaveLength(3);
    typed.type("q");
    await code;
  });

  it("homesec live: says that the daemon asked it to wait, and still shows the daemon's health", async () => {
    const code = start();
    await shows("● connected");
    await shows("One person at the front door");
    refused = (path) =>
      path.startsWith("/api/system/health") ? undefined : new Refusal(429, "Too many requests", { "Retry-After": "60" });
    const before = daemon.requests.length;
    typed.type("\r");
    await shows("rate limit reached; continuing in 60 s");
    const healths = (): number => daemon.requests.slice(before).filter((each) => each === "GET /api/system/health/full").length;
    await eventually(() => healths() >= 2);
    expect(errors).toBe("");
    typed.type("q");
    expect(await code).toBe(0);
  });

  it("homesec live: silences the camera of the selected row", async () => {
    const code = start();
    await shows("One person at the front door");
    typed.type("stea party\r");
    await shows("front-door is silenced until 2026-01-31");
    expect(posted).toEqual(["POST /api/silences"]);
    typed.type("q");
    await code;
  });

  it("homesec live: says that it is reconnecting, and catches up on everything afterwards", async () => {
    const code = start();
    await shows("● connected");
    daemon.tell({ type: "event", data: event(10, { summary: "before" }) });
    await shows("before");
    await daemon.stop();
    await shows(/reconnecting \(\d+ s\)/);
    for (let id = 11; id <= 40; id += 1) daemon.tell({ type: "event", data: event(id, { summary: `while away ${id}` }) });
    await daemon.start();
    await shows("● connected");
    await shows("while away 40");
    await shows("events 33");
    typed.type("q");
    expect(await code).toBe(0);
  });

  it("homesec live: follows a resized terminal at once", async () => {
    const code = start();
    await shows("One person at the front door");
    screen.resize(200, 50);
    await shows("log");
    screen.resize(60, 15);
    await eventually(() => screen.lines.every((line) => line.length <= 60) && screen.text.includes("events"));
    expect(screen.lines.at(-1)).toBe("");
    typed.type("q");
    expect(await code).toBe(0);
  });

  it("homesec live: redraws the screen on Ctrl-L", async () => {
    const code = start();
    await shows("One person at the front door");
    const before = screen.text.split("\n").slice(1).join("\n");
    screen.write("\u001b[5;1Hbroadcast message from root");
    typed.type("\u000c");
    await eventually(() => !screen.text.includes("broadcast"));
    expect(screen.text.split("\n").slice(1).join("\n")).toBe(before);
    typed.type("q");
    await code;
  });

  it.each([
    ["Ctrl-C", 130, () => typed.type("\u0003")],
    ["SIGTERM", 143, () => interrupt.abort("SIGTERM")],
    ["SIGINT", 130, () => interrupt.abort("SIGINT")],
  ])("homesec live: restores the terminal on %s and ends with %i", async (_, expected, end) => {
    const code = start();
    await shows("● connected");
    expect([typed.raw, screen.modes.get("1049"), screen.modes.get("25")]).toEqual([true, true, false]);
    end();
    expect(await code).toBe(expected);
    expectRestored();
  });

  it("homesec live: restores the terminal before it prints an uncaught error", async () => {
    const code = start();
    await shows("● connected");
    (process as NodeJS.EventEmitter).emit("uncaughtExceptionMonitor", new Error("a fault"), "uncaughtException");
    expectRestored();
    interrupt.abort("SIGTERM");
    await code;
  });

  it("homesec live: writes little when little changes", async () => {
    const code = start();
    await shows("One person at the front door");
    await eventually(() => daemon.requests.includes("GET /api/system/telemetry"));
    await new Promise((resolve) => setTimeout(resolve, 300));
    const before = screen.written.length;
    daemon.tell({ type: "event.updated", data: event(2, { summary: "Only this line is new" }) });
    await shows("Only this line is new");
    const written = screen.written.slice(before).join("");
    expect(written).not.toContain("\u001b[2J");
    expect(written.split("\n").join("").length).toBeLessThan(1_500);
    typed.type("q");
    await code;
  });
});

describe("homesec live without a screen", () => {
  it.each([
    ["in CI", { CI: "true" }],
    ["on a dumb terminal", { TERM: "dumb" }],
  ])("homesec live without a screen: prints lines %s", async (_, env) => {
    const code = start([], env);
    await eventually(() => daemon.clients === 1);
    daemon.tell({ type: "event", data: event(3) });
    await eventually(() => screen.written.join("").includes("front-door: event 3 opened, person"));
    expect([...screen.modes]).toEqual([]);
    interrupt.abort("SIGINT");
    expect(await code).toBe(130);
  });

  it("homesec live without a screen: prints lines into a pipe", async () => {
    const stop = new AbortController();
    const piped = cli(["live", "--url", daemon.url], { signal: stop.signal, onOut: () => stop.abort("SIGINT") });
    await eventually(() => daemon.clients === 1);
    daemon.tell({ type: "event", data: event(3) });
    expect(await piped).toMatchObject({ code: 130, out: expect.stringMatching(/front-door: event 3 opened, person\n$/), err: "" });
  });

  it("homesec live without a screen: restores the terminal and says that no daemon answers", async () => {
    await daemon.stop();
    expect(await start()).toBe(6);
    expect(errors).toContain("No homesec daemon answers");
    expect(screen.written).toEqual([]);
    await daemon.start();
  });

  it("homesec live without a screen: rejects --direct, which uses no daemon", async () => {
    expect(await start(["--direct"])).toBe(2);
    expect(errors).toContain("live needs a daemon; remove --direct");
  });
});
