import { chmodSync, mkdirSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createAppOf } from "../../../daemon/http/app.ts";
import { type Listening, listen } from "../../../daemon/http/listen.ts";
import { checks } from "../../../src/admin/doctor/checks.ts";
import type { DoctorReport } from "../../../src/admin/doctor/report.ts";
import { operations } from "../../../src/all-operations.ts";
import { silentLog } from "../../../src/base/log/log.ts";
import { routes } from "../../../src/contract/routes/index.ts";
import { cli } from "../../support/cli.ts";
import { eventually } from "../../support/eventually.ts";
import { freePort } from "../../support/free-port.ts";
import { type HomesecProcess, serveHomesec } from "../../support/homesec-process.ts";
import { openDesk } from "../../support/operations.ts";
import { quietRuntime } from "../../support/runtime.ts";
import { temporaryFolder } from "../../support/temporary.ts";

type Wire = Omit<DoctorReport, "checked_at"> & { readonly checked_at: string };

const folder = temporaryFolder("doctor-elsewhere");
/** The data folder of the daemon, and that of the terminal, which is empty. */
const [daemonFolder, ownFolder] = [join(folder.path, "daemon"), join(folder.path, "own")];
const key = "hs_a-key-that-nobody-guesses-0123456789";
const headers = { "x-api-key": key };

let daemon: HomesecProcess & { readonly url: string };
beforeAll(async () => {
  mkdirSync(daemonFolder);
  // PostgreSQL runs as another user if the tests run as root; doctor warns about it
  chmodSync(folder.path, 0o755);
  chmodSync(daemonFolder, 0o755);
  const closed = `127.0.0.1:${await freePort()}`;
  daemon = await serveHomesec({
    ...{ DATA_DIR: daemonFolder, API_KEY_ENABLED: "true", API_KEYS: key },
    ...{ CAMERA_EXTRA_ROOTS: "/nonexistent/porch", BATCH_WINDOW_SECONDS: "20", BATCH_IDLE_TIMEOUT_SECONDS: "30" },
    ...{ SMTP_HOST: "127.0.0.1", SMTP_PORT: closed.split(":")[1] ?? "", SMTP_FROM_ADDRESS: "a@example.org", SMTP_USER: "me" },
    ...{ SMTP_PASSWORD: "hidden-one", DEFAULT_EMAIL_RECIPIENTS: "b@example.org", DEFAULT_WEBHOOK_URL: `http://${closed}/hidden-two` },
    ...{ LANGUAGE_MODEL_URL: `http://${closed}`, WEBSOCKET_TOKEN: "hidden-four" },
  });
}, 150_000);
afterAll(async () => {
  daemon.kill("SIGTERM");
  await daemon.exit;
  await folder.remove();
});

const doctor = (args: readonly string[], env: Record<string, string> = {}) =>
  cli(["doctor", ...args], {
    cwd: folder.path,
    env: { DATA_DIR: ownFolder, HOMESEC_URL: daemon.url, HOMESEC_API_KEY: key, ...env },
  });
const report = (out: string): Wire => JSON.parse(out) as Wire;
const of = ({ checks: reports }: Pick<Wire, "checks">, id: string) => reports.find((each) => each.id === id);

describe("homesec doctor for a daemon elsewhere", () => {
  it("prints the report of the daemon, with its settings and without secrets", async () => {
    // retries while the built-in detector starts
    const { code, out, err, body } = await eventually(
      async () => {
        const run = await doctor(["-o", "json"]);
        expect(run.err, run.err).toContain("checked by the daemon");
        const answer = report(run.out);
        expect(of(answer, "detector")).toMatchObject({ status: "ok" });
        return { ...run, body: answer };
      },
      { timeoutMs: 60_000, what: "the detector to be ok" },
    );
    expect(code).toBe(7);
    expect(body).toMatchObject({ host: hostname(), version: expect.stringMatching(/^\d/) });
    expect(body.checks.map(({ id }) => id)).toEqual(checks.map(({ id }) => id));
    for (const id of ["daemon", "workers", "version", "database", "migrations", "database-server", "key-file", "breakers", "stuck-files"])
      expect(of(body, id), id).toMatchObject({ status: "ok" });
    const found = {
      configuration: ["warning", "BATCH_IDLE_TIMEOUT_SECONDS"],
      "data-folder": ["warning", daemonFolder],
      "camera-roots": ["warning", "/nonexistent/porch"],
      cameras: ["warning", "There is no camera yet"],
      rules: ["warning", "rule"],
      smtp: ["error", "The mail server 127.0.0.1"],
      "webhook-targets": ["error", "DEFAULT_WEBHOOK_URL"],
      "language-model": ["error", "cannot be reached"],
    };
    for (const [id, [severity, text]] of Object.entries(found))
      expect(of(body, id), id).toMatchObject({ status: "finding", severity, finding: expect.stringContaining(text ?? "") });
    for (const { findings, remedy, finding } of body.checks) expect(findings.length > 0).toBe(finding !== null && remedy !== null);
    expect(body.findings).toBe(body.errors + body.warnings);
    expect(body.ok + body.findings + body.skipped).toBe(checks.length);
    expect(out + err).not.toMatch(/hidden|nobody-guesses/);
  }, 90_000);

  it("names the machine, and the checks that need a terminal there", async () => {
    const { code, out, err } = await doctor(["--only", "cameras,port,database,node-version"]);
    expect(code).toBe(7);
    expect(out).toMatch(/^! cameras: Cameras\n {4}There is no camera yet, so homesec monitors nothing\n {2}→ homesec cameras add/);
    expect(out).toContain(join(daemonFolder, "cameras"));
    expect(out).toMatch(/\n✓ {2}database {2}Database: embedded, \d+ ms\n/);
    expect(out).toMatch(/\n- {2}port +Address and port: skipped: the daemon itself listens there/);
    expect(err).toMatch(/^1 finding \(0 errors, 1 warning\), 2 ok, 1 skipped/);
    expect(err).toContain(`checked by the daemon at ${daemon.url}`);
    expect(err).toContain(`on ${hostname()}, with its settings`);
    expect(err).toContain(`only a terminal of ${hostname()} can check port; to run it: homesec doctor on that machine, with the settings`);
    const none = await doctor(["--only", "database,port", "-o", "ndjson"]);
    expect(none.code).toBe(0);
    expect(none.out.trim().split("\n")).toHaveLength(2);
    expect(await doctor(["--only", "database", "--quiet", "-o", "id"])).toMatchObject({ code: 0, out: "database\n", err: "" });
  });

  it("checks here when DATA_DIR is that of the daemon, or with --direct", async () => {
    for (const [args, env] of [
      [[], { DATA_DIR: daemonFolder }],
      [["--direct"], {}],
    ] as const) {
      const { err, out } = await doctor([...args, "--only", "configuration,port", "-o", "json"], env);
      expect(err).not.toContain("checked by the daemon");
      // these settings have no fault
      expect(of(report(out), "configuration")).toMatchObject({ status: "ok" });
      expect(of(report(out), "port")).toMatchObject({ needs_terminal: false });
    }
  });

  it("reports a wrong key and a daemon that does not answer like every command", async () => {
    const wrong = await doctor([], { HOMESEC_API_KEY: "wrong" });
    expect(wrong).toMatchObject({ code: 4, out: "" });
    // 0.0.0.0 is no address of an interface, like that of another machine, but leads to nothing beyond this one
    const nobody = await doctor([], { HOMESEC_URL: `http://0.0.0.0:${await freePort()}` });
    expect(nobody).toMatchObject({ code: 6, out: "", err: expect.stringMatching(/^homesec: no homesec daemon answers at/i) });
    const near = await doctor(["--only", "daemon"], { HOMESEC_URL: `http://127.0.0.1:${await freePort()}` });
    expect(near).toMatchObject({ code: 7, out: expect.stringContaining("No homesec daemon answers") });
  });
});

describe("GET /api/system/doctor", () => {
  const ask = async (init: RequestInit = { headers }) => await fetch(`${daemon.url}/api/system/doctor`, init);

  it("requires the API key, and gives callers at the same time one run", async () => {
    expect((await ask({})).status).toBe(401);
    const [first, second] = await Promise.all([1, 2].map(async () => (await (await ask()).json()) as Wire));
    expect(second).toEqual(first);
    const later = (await (await ask()).json()) as Wire;
    expect(later.checked_at).not.toBe(first?.checked_at);
  });

  it("leaves the daemon time for other requests", async () => {
    const running = ask();
    let isDone = false;
    void running.finally(() => {
      isDone = true;
    });
    const waits: number[] = [];
    while (!isDone) {
      const begun = performance.now();
      expect((await fetch(`${daemon.url}/health`)).status).toBe(200);
      waits.push(performance.now() - begun);
    }
    expect((await running).status).toBe(200);
    expect(Math.max(...waits)).toBeLessThan(2_000);
  });
});

describe("GET /api/system/doctor in parts", () => {
  const { getDoctorReport, ...older } = routes;
  let desk: Awaited<ReturnType<typeof openDesk>>;
  beforeAll(async () => {
    desk = await openDesk();
  });
  afterAll(() => desk.close());
  const asked = async (db = desk.db) => {
    // a new configuration is a new daemon
    const context = { ...desk.context, db, config: { ...desk.context.config }, runtime: quietRuntime() };
    return await operations.getDoctorReport({}, context);
  };
  const reply = async (...args: Parameters<typeof asked>) => (await asked(...args)) as DoctorReport;

  it("answers while a table is locked: its checks are skipped, the others have a result", async () => {
    let release: () => void = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let isLocked: () => void = () => {};
    const locked = new Promise<void>((resolve) => {
      isLocked = resolve;
    });
    const lock = desk.db.transaction(async (sql) => {
      await sql`lock table cameras in access exclusive mode`;
      isLocked();
      await held;
    });
    await locked;
    try {
      const body = await reply();
      expect(of(body, "cameras")).toMatchObject({ status: "skipped", detail: "not done within 8 s" });
      expect(of(body, "database")).toMatchObject({ status: "ok" });
      expect(of(body, "node-version")?.status).not.toBe("skipped");
    } finally {
      release();
      await lock;
    }
  });

  it("answers while the database is away: one finding, and a reason for each check that needs it", async () => {
    const { openPool } = await import("../../../src/platform/database/pool.ts");
    const db = openPool({ url: `postgres://me:hidden@127.0.0.1:${await freePort()}/home` }, { max: 4, log: silentLog });
    try {
      const body = await reply(db);
      expect(of(body, "database")).toMatchObject({ status: "finding", severity: "error" });
      for (const id of ["cameras", "rules", "dead-letters", "migrations"]) {
        expect(of(body, id), id).toMatchObject({ status: "skipped", detail: expect.stringMatching(/\S/) });
      }
      expect(of(body, "allowed-hosts")?.status).toBe("ok");
      expect(JSON.stringify(body)).not.toContain("hidden");
    } finally {
      await db.close();
    }
  });

  it("asks the receivers of the running daemon", async () => {
    expect(of(await reply(), "receivers")).toMatchObject({ status: "skipped", detail: "no camera has a login for a receiver" });
  });

  it("is refused without a running daemon", async () => {
    await expect(operations.getDoctorReport({}, desk.context)).rejects.toThrow("Only the running daemon knows this");
  });

  it("doctor names the fix when the daemon is older than the operation", async () => {
    const context = { ...desk.context, runtime: quietRuntime() };
    const app = createAppOf(older, operations, { context, log: silentLog, allowedHosts: [], strictReplies: true });
    const served: Listening = await listen({ app, host: "127.0.0.1", port: 0 });
    try {
      const { code, out, err } = await doctor([], { HOMESEC_URL: `http://127.0.0.1:${served.port}` });
      expect([code, out]).toEqual([1, ""]);
      expect(err).toContain("cannot check itself, because it is older than 0.3.0");
      expect(err).toContain("update it, or run homesec doctor on its machine");
    } finally {
      await served.close();
    }
    expect(getDoctorReport.path).toBe("/api/system/doctor");
  });
});
