import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Writable } from "node:stream";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Daemon, startDaemon } from "../../daemon/daemon.ts";
import { createLog } from "../../daemon/log.ts";
import { systemClock } from "../../src/base/clock/clock.ts";
import { fetchTrusting } from "../../src/monitoring/upstream/http.ts";
import { parseConfig } from "../../src/platform/config/parse.ts";
import { cli } from "../support/cli.ts";
import { testDatabase } from "../support/database.ts";
import { temporaryFolder } from "../support/temporary.ts";

const key = "hs_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG";
const token = "ticket-0123456789";
const folder = temporaryFolder("secured");
let database: Awaited<ReturnType<typeof testDatabase>>;
let daemon: Daemon;
let said = "";
let ask: typeof fetch;

/** The environment of daemon and commands: a key, TLS and small limits. */
const env = {
  DATA_DIR: folder.path,
  PORT: "0",
  API_KEY_ENABLED: "true",
  API_KEYS: JSON.stringify(["another", key]),
  WEBSOCKET_TOKEN: token,
  TLS_MODE: "self_signed",
  RATE_LIMIT_EXPORT_REQUESTS_PER_MINUTE: "2",
  RATE_LIMIT_REQUESTS_PER_MINUTE: "1000",
  DETECTOR_URL: "http://127.0.0.1:9",
  LANGUAGE_MODEL_URL: "http://127.0.0.1:9",
};

beforeAll(async () => {
  database = await testDatabase({ max: 2 });
  const { config } = parseConfig({ env: { ...env, DATABASE_URL: database.url }, isRoot: false, home: folder.path, cwd: folder.path });
  const destination = new Writable({
    write: (chunk, _encoding, done) => {
      said += String(chunk);
      done();
    },
  });
  daemon = await startDaemon({
    config,
    log: createLog({ level: "debug", format: "json", destination, clock: systemClock }),
    strictReplies: true,
  });
  ask = fetchTrusting(readFileSync(daemon.ownCertificatePath ?? "", "utf8"));
});
afterAll(async () => {
  await daemon.stop();
  await database.close();
  await folder.remove();
});

const statusOf = async (path: string, init: RequestInit = {}): Promise<number> => (await ask(`${daemon.url}${path}`, init)).status;

describe("a daemon with keys, TLS and limits", () => {
  it("replies over HTTPS and requires a key", async () => {
    expect(daemon.url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
    expect(await statusOf("/health")).toBe(200);
    expect(await statusOf("/api/health", { method: "HEAD" })).toBe(200);
    for (const path of ["/api/events", "/metrics", "/openapi.json", "/api/system/health", "/nowhere"]) {
      expect([path, await statusOf(path)]).toEqual([path, 401]);
    }
    expect(await statusOf(`/api/events?api_key=${key}`)).toBe(200);
    expect(await statusOf("/openapi.json", { headers: { "X-API-Key": "another" } })).toBe(200);
    expect(await statusOf("/api/cameras/nothing/snapshot")).toBe(404);
  });

  it("applies a specific rate limit before it checks the key", async () => {
    expect([await statusOf("/api/events/export"), await statusOf("/api/events/export"), await statusOf("/api/events/export")]).toEqual([
      401, 401, 429,
    ]);
    expect(await statusOf(`/api/events/export?api_key=${key}`)).toBe(429);
    expect(await statusOf(`/api/events?api_key=${key}`)).toBe(200);
  });

  it("serves commands with its key and certificate, and tells others what is missing", async () => {
    const url = { HOMESEC_URL: daemon.url };
    const trust = { HOMESEC_CA_FILE: daemon.ownCertificatePath ?? "" };
    const list = ["cameras", "list", "-o", "json"];
    expect((await cli(list, { env: { ...url, ...trust, HOMESEC_API_KEY: key } })).code).toBe(0);
    const withoutKey = await cli(list, { env: { ...url, ...trust } });
    expect([withoutKey.code, withoutKey.err]).toEqual([4, expect.stringMatching(/API key required\n.*HOMESEC_API_KEY/)]);
    const wrongKey = await cli(list, { env: { ...url, ...trust, HOMESEC_API_KEY: "wrong" } });
    expect([wrongKey.code, wrongKey.err]).toEqual([4, expect.stringContaining("Invalid API key")]);
    const untrusted = await cli(list, { env: { ...url, HOMESEC_API_KEY: key } });
    expect([untrusted.code, untrusted.err]).toEqual([6, expect.stringContaining("--ca-file")]);

    writeFileSync(join(folder.path, "key"), `${key}\n`);
    const byFiles = ["--url", daemon.url, "--api-key-file", "key", "--ca-file", "tls/cert.pem"];
    expect((await cli([...list, ...byFiles], { cwd: folder.path })).code).toBe(0);
    // with the daemon's configuration, a command finds address and certificate itself
    const own = { ...env, PORT: String(daemon.port), HOMESEC_API_KEY: key };
    expect((await cli(list, { env: own })).code).toBe(0);
  });

  it("reports an invalid certificate file", async () => {
    const args = ["cameras", "list", "--url", daemon.url];
    const missing = await cli([...args, "--ca-file", "missing.pem"], { cwd: folder.path });
    expect([missing.code, missing.err]).toEqual([2, expect.stringMatching(/cannot read --ca-file .*missing\.pem: it does not exist/)]);
    writeFileSync(join(folder.path, "no.pem"), "no certificate");
    const wrong = await cli(args, { cwd: folder.path, env: { HOMESEC_CA_FILE: "no.pem" } });
    expect([wrong.code, wrong.err]).toEqual([2, expect.stringMatching(/HOMESEC_CA_FILE .*no\.pem contains no PEM certificate/)]);
  });

  it("serves live messages with key, token and certificate", async () => {
    const stopped = new AbortController();
    const own = { ...env, PORT: String(daemon.port), HOMESEC_API_KEY: key };
    const tailing = cli(["events", "tail", "-o", "ndjson"], {
      env: own,
      signal: stopped.signal,
      onOut: (text) => {
        if (text.includes("camera_status")) stopped.abort("SIGINT");
      },
    });
    await expect.poll(hasClient).toBe(true);
    const created = await ask(`${daemon.url}/api/cameras?api_key=${key}`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ name: "Porch" }),
    });
    expect(created.status).toBe(201);
    const { code, out } = await tailing;
    expect(code).toBe(130);
    expect(out).toContain('"camera_status"');

    const refused = await cli(["events", "tail"], { env: { ...own, HOMESEC_API_KEY: "wrong" } });
    expect([refused.code, refused.err]).toEqual([4, expect.stringContaining("API key")]);
    const noTicket = await cli(["events", "tail"], { env: { ...own, WEBSOCKET_TOKEN: "" } });
    expect([noTicket.code, noTicket.err]).toEqual([4, expect.stringContaining("Token missing or not valid")]);
  });

  it("never writes a key or a token into its log", async () => {
    await statusOf(`/api/events?api_key=${key}&limit=x`);
    await statusOf(`/nowhere?api_key=${key}&token=${token}`);
    await statusOf(`/api/events/%ZZ?api_key=${key}`);
    await statusOf("/api/events", { headers: { "X-API-Key": key, Authorization: `Bearer ${key}` } });
    daemon.context.log.warn({ url: `/x?api_key=${key}`, headers: { "x-api-key": key } }, `api-key:${key} and api_key=${key}`);
    expect(said).toContain("answered");
    expect(said).toContain("api-key:***");
    expect(said).not.toContain(key);
    expect(said).not.toContain(token);
  });
});

/** Whether a client follows the live messages. */
async function hasClient(): Promise<boolean> {
  const metrics = await (await ask(`${daemon.url}/metrics?api_key=${key}`)).text();
  return /^homesec_websocket_clients [1-9]/m.test(metrics);
}
