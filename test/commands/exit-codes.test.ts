import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { apiStandIn, type StandInAnswer } from "../support/api-stand-in.ts";
import { type CliOptions, cli } from "../support/cli.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { camera, page } from "./records.ts";

let answer: (path: string) => StandInAnswer | undefined = () => undefined;
let api: Awaited<ReturnType<typeof apiStandIn>>;
const folder = temporaryFolder("exit");

beforeAll(async () => {
  api = await apiStandIn(({ path }) => answer(path));
});
afterAll(async () => {
  await api.close();
  await folder.remove();
});
afterEach(() => {
  answer = () => undefined;
});

const on = (args: string, options: CliOptions = {}) => cli(args.split(" "), { ...options, env: { HOMESEC_URL: api.url, ...options.env } });

describe("exit codes", () => {
  it("exit code 0: success", async () => {
    answer = (path) => (/\/(pull|parked)$/.test(path) ? undefined : { body: camera });
    expect((await on("cameras show front-door")).code).toBe(0);
  });

  it("exit code 1: the daemon failed", async () => {
    answer = () => ({ status: 500, body: { detail: "internal error, request 17" } });
    const { code, out, err } = await on("cameras show x");
    expect([code, out]).toEqual([1, ""]);
    expect(err).toMatch(/^homesec: .*request 17\nThis is a bug in homesec; --debug prints a stack trace.\n$/);
  });

  it.each([
    "cameras list --colour",
    "cameras list --limit 0",
    "cameras list --limit x",
    "cameras list --status loud",
    "cameras list extra",
    "cameras show",
    "cameras update front-door",
    "cameras",
    "camera list",
    "events list --start-date tomorrowish",
    "events show front",
    "events tail -o csv",
    "events tail -o yaml",
    "events tail --direct",
    "events tail --types event,evnet",
    "health --direct",
    "events show -5",
    "cameras list -o xml",
    "cameras list --fields nam",
    "cameras list --url localhost",
    "cameras list --api-key-file /nonexistent/key",
    "cameras list --config /nonexistent/conf --url=",
    "config check --config /nonexistent/conf",
  ])("exit code 2: homesec %s", async (args) => {
    const { code, out, err } = await on(args);
    expect([code, out]).toEqual([2, ""]);
    expect(err).not.toContain("    at ");
    expect(err).not.toBe("");
  });

  it("exit code 2: the daemon rejects values, and the error lists each of them", async () => {
    const detail = [
      { loc: ["body", "name"], msg: "Must have at most 255 characters", type: "string_too_long" },
      { loc: ["body", "folder_path"], msg: "Must not contain ..", type: "value_error" },
    ];
    answer = () => ({ status: 422, body: { detail } });
    const { code, err } = await on("cameras add Front");
    expect(code).toBe(2);
    expect(err).toContain("name: Must have at most 255 characters");
    expect(err).toContain("folder_path: Must not contain ..");
  });

  it("exit code 3: not found, with the closest match and the command that lists them", async () => {
    answer = (path) => (path === "/api/cameras" ? { body: { cameras: [camera], count: 1, pagination: page(1) } } : undefined);
    expect(await on("cameras show garage")).toEqual({
      code: 3,
      out: "",
      err: "homesec: /api/cameras/garage does not exist\n`homesec cameras list` lists them.\n",
    });
    expect((await on("cameras show front-dor")).err).toContain("\nDid you mean front-door? `homesec cameras list` lists them.\n");
  });

  it("exit code 2: an unknown field is rejected before the command changes anything", async () => {
    answer = () => ({ body: camera });
    const before = api.seen.length;
    expect(await on("cameras add Front --fields nmae")).toMatchObject({ code: 2, err: expect.stringContaining("did you mean name?") });
    expect(api.seen).toHaveLength(before);
  });

  it.each([401, 403])("exit code 4: status %i", async (status) => {
    answer = () => ({ status, body: { detail: "API key required" } });
    const { code, err } = await on("cameras list");
    expect(code).toBe(4);
    if (status === 401) expect(err).toBe("homesec: API key required\nSet the API key in HOMESEC_API_KEY or give --api-key-file.\n");
  });

  it("exit code 5: conflict", async () => {
    answer = () => ({ status: 409, body: { detail: "camera garage exists already" } });
    expect((await on("cameras add garage")).code).toBe(5);
  });

  it("exit code 6: no daemon answers, or another program does", async () => {
    const gone = await apiStandIn(() => undefined);
    await gone.close();
    const { code, err } = await cli(["cameras", "list", "--url", gone.url]);
    expect(code).toBe(6);
    expect(err).toContain(gone.url);
    expect(err).toContain("homesec serve");
    answer = () => ({ body: { hello: "world" } });
    expect((await on("cameras list")).code).toBe(6);
    expect((await cli(["events", "tail", "--url", gone.url])).code).toBe(6);
  });

  it("exit code 7: health reports a problem and still prints the body", async () => {
    const service = (status: string) => ({ status, message: "", details: null });
    const health = (status: string) => ({
      status,
      services: { database: service("healthy"), store: service("healthy"), ai: { ...service(status), details: { detector: status } } },
      timestamp: "2026-01-31T12:00:00.000Z",
      recent_events: [],
    });
    const check = { status: "healthy", latency_ms: 1, error: null };
    const ready = (is: boolean, watches = true) => ({
      ready: is,
      status: is ? "ready" : "not_ready",
      checks: { database: check, store: check, pipeline_workers: check, supervisor: check },
      workers: [
        { name: "detection_worker", running: is, message: is ? null : "restarting" },
        { name: "file_watcher", running: watches, message: watches ? null : "EACCES" },
      ],
    });
    const queue = { running: true, waiting: 0, deferred: 0, in_progress: 0, dead: 0, oldest_waiting_seconds: null };
    const since = "2026-01-31T12:00:00.000Z";
    const stuck = [{ path: "/srv/yard/half.jpg", reason: "the end marker of the JPEG is missing", since }];
    const pipeline = (files: typeof stuck) => ({
      file_watcher: { running: true, camera_root: "/srv", pending: files.length, stuck: files, watch_mode: "notify" },
      detection_worker: queue,
      batch_aggregator: { running: true, active_batches: 0, batches: [], batch_window_seconds: 90, idle_timeout_seconds: 30 },
      analysis_worker: queue,
      degradation: { mode: "normal", services: {} },
      timestamp: since,
    });
    const state =
      (status: string, isReady: boolean, files: typeof stuck = []) =>
      (path: string) => {
        if (path.endsWith("pipeline")) return { body: pipeline(files) };
        if (path.endsWith("/cameras")) return { body: { cameras: [], count: 0, pagination: page(0) } };
        if (path.endsWith("/zones")) return { body: { zones: [] } };
        if (path.endsWith("/masks")) return { body: { masks: [] } };
        if (path.endsWith("dlq/stats"))
          return { body: { queues: { detect: files.length, analyze: 0, deliver: 2 * files.length }, total_count: 3 * files.length } };
        return path.endsWith("ready")
          ? { status: isReady ? 200 : 503, body: ready(isReady) }
          : { status: status === "healthy" ? 200 : 503, body: health(status) };
      };

    answer = state("healthy", true);
    expect(await on("health")).toEqual({
      code: 0,
      out: `PART              STATE    MESSAGE
database          healthy
store             healthy
ai                healthy
detector          healthy
detection_worker  running
file_watcher      running
`,
      err: "healthy, ready\n",
    });
    answer = state("healthy", true, stuck);
    expect(await on("health -o id")).toMatchObject({
      code: 7,
      err: `healthy, ready, needs attention
incomplete file: /srv/yard/half.jpg: the end marker of the JPEG is missing
no longer retried: 1 picture; see homesec dlq list --queue detect
no longer retried: 2 messages; see homesec dlq list --queue deliver
`,
    });
    answer = state("degraded", true);
    const degraded = await on("health -o json");
    expect(degraded.code).toBe(7);
    expect(JSON.parse(degraded.out)).toEqual({ ...health("degraded"), ready: ready(true) });
    answer = state("healthy", false);
    expect((await on("health")).code).toBe(7);
    // the API does not call this worker critical, but no picture is processed without it
    answer = (path) => (path.endsWith("ready") ? { body: ready(true, false) } : state("healthy", true)(path));
    expect(await on("health -o id")).toMatchObject({ code: 7, err: "healthy, ready\nstopped: file_watcher\n" });
    const message = "2 notifications by email wait to be sent: 550 5.4.5 Daily limit exceeded";
    const delayed = { timestamp: since, service: "notifications", event_type: "delayed", message };
    answer = (path) =>
      path.endsWith("system/health") ? { body: { ...health("healthy"), recent_events: [delayed] } } : state("healthy", true)(path);
    expect(await on("health -o id")).toMatchObject({ code: 7, err: `healthy, ready, needs attention\nnotifications: ${message}\n` });
  });

  it("exit code 7: health and cameras validate name folders that cannot be read", async () => {
    const passed_over = [
      {
        ...{ kind: "unreadable_folder", camera_id: null, count: 3, path: "/srv/closed" },
        reason: "the folder /srv/closed cannot be read; give the user that runs homesec the right to read it",
      },
      { kind: "side_file", camera_id: "yard", count: 12, path: "/srv/yard/a.idx", reason: "/srv/yard/a.idx is no picture by its name" },
    ];
    const fault = "not read: the folder /srv/closed cannot be read (and 2 more); give the user that runs homesec the right to read it\n";
    const service = { status: "healthy", message: "", details: null };
    const check = { status: "healthy", latency_ms: 1, error: null };
    const queue = { running: true, waiting: 0, deferred: 0, in_progress: 0, dead: 0, oldest_waiting_seconds: null };
    const timestamp = "2026-01-31T12:00:00.000Z";
    const bodies: Readonly<Record<string, unknown>> = {
      "/api/system/health": {
        ...{ status: "healthy", services: { database: service, store: service, ai: service }, timestamp, recent_events: [] },
      },
      "/api/system/health/ready": {
        ...{ ready: true, status: "ready", workers: [] },
        checks: { database: check, store: check, pipeline_workers: check, supervisor: check },
      },
      "/api/system/pipeline": {
        file_watcher: { running: true, camera_root: "/srv", pending: 0, stuck: [], passed_over, watch_mode: "notify" },
        ...{ detection_worker: queue, analysis_worker: queue, degradation: { mode: "normal", services: {} }, timestamp },
        batch_aggregator: { running: true, active_batches: 0, batches: [], batch_window_seconds: 90, idle_timeout_seconds: 30 },
      },
      "/api/dlq/stats": { queues: {}, total_count: 0 },
      "/api/cameras": { cameras: [], count: 0, pagination: page(0) },
      "/api/zones": { zones: [] },
      "/api/masks": { masks: [] },
      "/api/cameras/validation/paths": {
        ...{ base_path: "/srv", total_cameras: 0, valid_count: 0, invalid_count: 0, valid_cameras: [], invalid_cameras: [] },
      },
    };
    answer = (path) => ({ body: bodies[path] });
    expect(await on("health -o id")).toMatchObject({ code: 7, err: `healthy, ready, needs attention\n${fault}` });
    const validated = await on("cameras validate");
    expect(validated.code).toBe(7);
    expect(validated.err).toContain(`${fault}yard: 12 side files, such as /srv/yard/a.idx\n`);
  });

  it.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ])("exit code after %s: %i, at once, even while the daemon does not answer", async (reason, code) => {
    const silent = createServer(() => {});
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    const stop = new AbortController();
    const running = cli(["cameras", "list", "--url", `http://127.0.0.1:${(silent.address() as AddressInfo).port}`], {
      signal: stop.signal,
    });
    setTimeout(() => stop.abort(reason), 100);
    expect((await running).code).toBe(code);
    silent.close();
    silent.closeAllConnections();
  });
});

describe("address and key of the daemon", () => {
  const list = { cameras: [], count: 0, pagination: page(0) };

  it("daemon address: --url overrides HOMESEC_URL, which overrides HOST and PORT", async () => {
    answer = () => ({ body: list });
    const { port } = new URL(api.url);
    expect((await cli(["cameras", "list", "--url", api.url], { env: { HOMESEC_URL: "http://127.0.0.1:1" } })).code).toBe(0);
    expect((await cli(["cameras", "list"], { env: { HOMESEC_URL: `${api.url}/`, PORT: "1" } })).code).toBe(0);
    expect((await cli(["cameras", "list"], { env: { PORT: port, HOST: "0.0.0.0", API_KEYS: "" } })).code).toBe(0);
    writeFileSync(join(folder.path, ".env"), `PORT=${port}\n`);
    expect((await cli(["cameras", "list"], { cwd: folder.path })).code).toBe(0);
  });

  it("API key: --api-key-file overrides HOMESEC_API_KEY", async () => {
    answer = () => ({ body: list });
    const file = join(folder.path, "key");
    writeFileSync(file, "from-file\n");
    const keys = async (args: string) => {
      await on(args, { env: { HOMESEC_API_KEY: "from-env" } });
      return api.seen.at(-1)?.headers["x-api-key"];
    };
    expect([await keys("cameras list"), await keys(`cameras list --api-key-file ${file}`)]).toEqual(["from-env", "from-file"]);
    await on("cameras list --api-key-file -", { input: "piped-in\n" });
    expect(api.seen.at(-1)?.headers["x-api-key"]).toBe("piped-in");
  });
});

describe("error messages", () => {
  it("error messages: suggest the closest match", async () => {
    expect((await on("cameras lst")).err).toContain("Did you mean list?");
    expect((await on("evnts list")).err).toContain("Did you mean events?");
    expect((await on("cameras list --stauts online")).err).toContain("Did you mean --status?");
    expect((await on("cameras list --drect")).err).toContain("Did you mean --direct?");
    // the name of this flag in other programs
    expect((await on("events list --from 24h")).err).toContain("Did you mean --since?");
    expect((await on("events list --to=22:00")).err).toContain("Did you mean --until?");
    expect((await on("cameras rm")).err).toContain("Did you mean remove?");
    expect((await on("cameras get")).err).toContain("Did you mean show?");
    expect((await on("list cameras")).err).toContain("Did you mean homesec cameras list?");
    expect((await on("cameras baseline shw")).err).toContain("Did you mean show?");
    expect((await on("cameras list --status onlne")).err).toContain("must be one of unknown, online, offline, error; did you mean online?");
    expect((await on("events search -dog")).err).toContain("(Put a value that begins with - after --.)");
    expect((await on("events search -- -dog")).err).not.toContain("option");
  });

  it("error messages: print stack traces with --debug only", async () => {
    answer = () => ({ status: 404, body: { detail: "no" } });
    expect((await on("cameras show x")).err).not.toContain("    at ");
    expect((await on("cameras show x --debug")).err).toContain("    at ");
  });
});
