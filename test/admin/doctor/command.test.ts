import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { checks } from "../../../src/admin/doctor/checks.ts";
import type { CheckReport } from "../../../src/admin/doctor/run-checks.ts";
import { cli, startBinary } from "../../support/cli.ts";
import { eventually } from "../../support/eventually.ts";
import { freePort } from "../../support/free-port.ts";
import { type HomesecProcess, serveHomesec } from "../../support/homesec-process.ts";
import { muteServer } from "../../support/mail-server.ts";
import { temporaryFolder } from "../../support/temporary.ts";

interface Body {
  readonly version: string;
  readonly elapsed_ms: number;
  readonly findings: number;
  readonly errors: number;
  readonly warnings: number;
  readonly skipped: number;
  readonly ok: number;
  readonly checks: readonly CheckReport[];
}

const folder = temporaryFolder("doctor-command");
const dataDir = join(folder.path, "data");
let port: number;
beforeAll(async () => {
  port = await freePort();
});
afterAll(() => folder.remove());

const doctor = (args: readonly string[], env: Record<string, string> = {}) =>
  startBinary(["doctor", ...args], { cwd: folder.path, env: { DATA_DIR: dataDir, PORT: String(port), ...env } });
/** Runs the command in this process, which is faster. */
const inProcess = (args: readonly string[], env: Record<string, string> = {}) =>
  cli(["doctor", ...args], { cwd: folder.path, env: { DATA_DIR: dataDir, PORT: String(port), ...env } });
const bodyOf = (out: string): Body => JSON.parse(out) as Body;
const of = ({ checks: reports }: Body, id: string): CheckReport => reports.find((report) => report.id === id) as CheckReport;

describe("homesec doctor without a daemon", () => {
  it("runs or skips every check with a reason, and creates nothing", async () => {
    const { exitCode, stdout, stderr } = await doctor(["-o", "json"]);
    const body = bodyOf(stdout);
    expect(body.checks.map(({ id }) => id)).toEqual(checks.map(({ id }) => id));
    expect(of(body, "daemon")).toMatchObject({ status: "finding", severity: "error", remedy: expect.stringContaining("homesec serve") });
    expect(of(body, "database")).toMatchObject({
      status: "skipped",
      detail: "there is no database yet; the first start of homesec creates it",
    });
    expect(of(body, "detector")).toMatchObject({ status: "skipped", detail: expect.stringContaining("no daemon answers") });
    expect(of(body, "configuration")).toMatchObject({ status: "ok" });
    for (const { id, status, finding, remedy, elapsed_ms } of body.checks) {
      expect([id, finding !== null, remedy !== null]).toEqual([id, status === "finding", status === "finding"]);
      expect(elapsed_ms).toBeGreaterThanOrEqual(0);
    }
    expect([body.findings, body.errors + body.warnings, body.ok + body.findings + body.skipped]).toEqual([
      body.findings,
      body.findings,
      checks.length,
    ]);
    expect(exitCode).toBe(7);
    expect(stderr).toMatch(/^\d+ findings? \(.*\), \d+ ok, \d+ skipped, in [\d.]+ s\n$/);
    expect(existsSync(dataDir)).toBe(false);
  });

  it("exits with 0 without findings, and with 2 for an unknown check", async () => {
    const none = await doctor(["--direct", "--only", "node-version,configuration,daemon"]);
    expect(none).toMatchObject({ exitCode: 0, stderr: expect.stringMatching(/^no findings, 2 ok, 1 skipped/) });
    const guess = await inProcess(["--only", "sntp,disk"]);
    expect(guess).toMatchObject({ code: 2, out: "", err: expect.stringContaining("there is no check sntp (did you mean smtp?), disk") });
    expect(await inProcess(["--only", "smtp", "--skip", "smtp"])).toMatchObject({
      code: 2,
      err: expect.stringContaining("leave no check"),
    });
    const lost = await inProcess(["--config", "nowhere.conf"]);
    expect(lost).toMatchObject({ code: 2, err: expect.stringContaining("nowhere.conf cannot be read") });
  });

  it("reports a configuration with errors", async () => {
    const { code, out } = await inProcess(["-o", "json"], { RETENTION_DAYS: "many" });
    const body = bodyOf(out);
    expect(code).toBe(7);
    expect(of(body, "configuration").finding).toContain('RETENTION_DAYS="many"');
    expect(of(body, "node-version").status).toBe("ok");
    expect(of(body, "smtp").detail).toBe("the configuration has errors");
  });

  it("reports a database that cannot be opened or resolved", async () => {
    for (const [DATABASE_URL, reason] of [
      ["postgres://me:hidden@h/d?sslmode=sometimes", "has sslmode=sometimes"],
      ["postgres://me:hidden@nowhere.invalid/d", "The host of the database cannot be resolved"],
    ] as const) {
      const { code, out } = await inProcess(["--only", "database,rules", "-o", "json"], { DATABASE_URL });
      expect(code).toBe(7);
      expect(of(bodyOf(out), "database")).toMatchObject({ severity: "error", finding: expect.stringContaining(reason) });
      expect(of(bodyOf(out), "rules").status).toBe("skipped");
      expect(out).not.toContain("hidden");
    }
  });

  it("ends in time when no server answers, and shows no secret", async () => {
    const mute = await muteServer();
    const at = `127.0.0.1:${mute.port}`;
    const { exitCode, stdout, stderr } = await doctor(["-o", "json"], {
      DATABASE_URL: `postgres://me:hidden-one@${at}/home`,
      REDIS_URL: `redis://:hidden-two@${at}`,
      SMTP_HOST: "127.0.0.1",
      SMTP_PORT: String(mute.port),
      SMTP_FROM_ADDRESS: "a@example.org",
      SMTP_USER: "me",
      SMTP_PASSWORD: "hidden-three",
      API_KEY_ENABLED: "true",
      API_KEYS: "hidden-four",
      DEFAULT_WEBHOOK_URL: `https://${at}/hidden-five`,
      DETECTOR_URL: `http://${at}`,
      LANGUAGE_MODEL_URL: `http://${at}`,
      VISION_URL: `http://${at}`,
      EMBEDDER_URL: `http://${at}`,
      ENRICHMENT_URL: `http://${at}`,
      HOMESEC_URL: `http://${at}`,
    });
    await mute.close();
    const body = bodyOf(stdout);
    expect(exitCode).toBe(7);
    const asked = [
      "redis",
      "smtp",
      "detector",
      "language-model",
      "vision",
      "embedder",
      "enrichment",
      "webhook-targets",
      "database",
      "daemon",
    ];
    const told = asked
      .map((id) => of(body, id))
      .filter(({ status, detail }) => status === "finding" || detail?.startsWith("not done within"));
    expect(told.map(({ id }) => id)).toEqual(asked);
    // ten seconds, plus a margin for a busy machine
    expect(body.elapsed_ms).toBeLessThan(20_000);
    expect(stdout + stderr).not.toContain("hidden");
  });
});

describe("homesec doctor beside a daemon", () => {
  const home = temporaryFolder("doctor-home");
  let daemon: HomesecProcess & { readonly url: string };
  let env: Record<string, string>;
  beforeAll(async () => {
    daemon = await serveHomesec({ DATA_DIR: home.path });
    env = { DATA_DIR: home.path, HOMESEC_URL: daemon.url, VISION_EXTRACTION_ENABLED: "false", REID_ENABLED: "false" };
  });
  afterAll(async () => {
    daemon.kill("SIGTERM");
    await daemon.exit;
    await home.remove();
  });
  const beside = (args: readonly string[]) => inProcess(args, env);

  it("checks the daemon, its services and its database", async () => {
    const good = ["daemon", "workers", "version", "database", "migrations", "database-server", "database-server", "database-server"].concat(
      ["embedded-postgres", "data-folder", "detector", "language-model", "breakers", "dead-letters", "key-file"],
      ["port", "stuck-files"],
    );
    // retries while a built-in service starts, or a busy machine makes a check time out
    const { exitCode, body } = await eventually(
      async () => {
        const run = await doctor(["-o", "json"], env);
        const answer = bodyOf(run.stdout);
        expect(good.map((id) => of(answer, id)).filter(({ status }) => status !== "ok")).toEqual([]);
        return { exitCode: run.exitCode, body: answer };
      },
      { timeoutMs: 60_000, what: "every one of these checks to be ok" },
    );
    expect(of(body, "detector").detail).toMatch(/^built-in: found a person with \d+ %, \d+ ms$/);
    for (const id of ["vision", "embedder", "enrichment"]) expect(of(body, id).detail).toContain("switched off");
    for (const id of ["cameras", "rules"]) expect(of(body, id)).toMatchObject({ status: "finding", severity: "warning" });
    expect(exitCode).toBe(7);
  }, 90_000);

  it("prints tables, and formats for scripts", async () => {
    const only = ["--only", "cameras,database,smtp"];
    const table = await beside(only);
    expect(table).toMatchObject({ code: 7, err: expect.stringMatching(/^1 finding \(0 errors, 1 warning\), 1 ok, 1 skipped/) });
    expect(table.out).toMatch(/^! cameras: Cameras\n {4}There is no camera yet, so homesec monitors nothing\n {2}→ homesec cameras add/);
    expect(table.out).toMatch(/\n {3}Database\n✓ {2}database {2}Database: embedded, \d+ ms\n/);
    expect(table.out).toMatch(/\n- {2}smtp +Mail server: skipped: SMTP_HOST is not set\n/);
    expect((await beside([...only, "-o", "id"])).out).toBe("database\ncameras\nsmtp\n");
    const csv = "id,status,severity\r\ndatabase,ok,\r\ncameras,finding,warning\r\nsmtp,skipped,\r\n";
    expect((await beside([...only, "-o", "csv", "--fields", "id,status,severity"])).out).toBe(csv);
    const lines = (await beside([...only, "-o", "ndjson"])).out.trim().split("\n");
    expect(lines.map((line) => (JSON.parse(line) as CheckReport).status)).toEqual(["ok", "finding", "skipped"]);
    expect((await beside([...only, "-o", "yaml", "--quiet"])).out).toMatch(/findings: 1\n[\s\S]*- id: database\n/);
    expect(await beside(["--only", "database,daemon,workers", "--quiet"])).toMatchObject({ code: 0, err: "" });
  });

  it("opens and closes the database of a stopped daemon", async () => {
    daemon.kill("SIGTERM");
    await daemon.exit;
    const { exitCode, stdout } = await doctor(["--direct", "-o", "json"], env);
    const body = bodyOf(stdout);
    expect(exitCode).toBe(7);
    for (const id of ["database", "migrations", "database-server", "dead-letters"])
      expect(of(body, id), id).toMatchObject({ status: "ok" });
    expect(of(body, "daemon")).toMatchObject({ status: "skipped", detail: "--direct uses no daemon" });
    expect(readdirSync(home.path).filter((name) => name.startsWith("homesec.pid"))).toEqual([]);
    expect(existsSync(join(home.path, "postgres", "postmaster.pid"))).toBe(false);
  });
});

describe("homesec doctor on a terminal", () => {
  const run = (terminal: number, env: Record<string, string> = {}) =>
    cli(["doctor", "--direct", "--only", "configuration,node-version,camera-roots"], {
      terminal,
      env: { DATA_DIR: dataDir, CAMERA_EXTRA_ROOTS: "/nonexistent/a,/nonexistent/b", ...env },
    });

  it("wraps lines at the width of the terminal", async () => {
    const { code, out } = await run(60, { NO_COLOR: "1" });
    expect(code).toBe(7);
    expect(out.indexOf("! camera-roots")).toBe(0);
    for (const line of out.split("\n")) expect(line.length, line).toBeLessThanOrEqual(60);
    expect(out.replace(/\n {4}/g, " ")).toContain("mkdir -p /nonexistent/a /nonexistent/b");
    expect(out).not.toContain("\u001b[");
    expect((await run(60)).out).toContain("\u001b[33m!\u001b[39m");
  });
});
