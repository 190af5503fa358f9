import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type TestDatabase, testDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { freePort } from "../support/free-port.ts";
import { type HomesecProcess, serveHomesec } from "../support/homesec-process.ts";
import { renameIn, uniqueJpeg } from "../support/pictures.ts";
import { type Receiver, receiver } from "../support/receiver.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { detectorStandIn, languageModelStandIn, type StandIn } from "../support/upstream.ts";

/* Attacks on the secrets and the integrity of the real program with keys, over loopback. */

const key = "hs_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG";
const folder = temporaryFolder("intrusion");
const cameraFolder = join(folder.path, "cameras", "front");
let database: TestDatabase;
let services: readonly StandIn[];
let target: Receiver;
let daemon: HomesecProcess & { readonly url: string };
/** The detection of a picture. */
let detection: number;
beforeAll(async () => {
  services = await Promise.all([detectorStandIn(), languageModelStandIn()]);
  [database, target] = await Promise.all([testDatabase(), receiver()]);
  daemon = await serveHomesec({
    // A webhook to homesec itself is known by this port.
    PORT: String(await freePort()),
    ...{ DATABASE_URL: database.url, DATA_DIR: join(folder.path, "data"), CAMERA_ROOT: join(folder.path, "cameras") },
    ...{ DETECTOR_URL: services[0]?.url ?? "", LANGUAGE_MODEL_URL: services[1]?.url ?? "" },
    ...{ API_KEY_ENABLED: "true", API_KEYS: JSON.stringify([key]), LOG_FORMAT: "pretty" },
  });
  await renameIn(join(cameraFolder, "first.jpg"), await uniqueJpeg());
  const detections = async () => ((await (await ask("GET /api/detections")).json()) as { items: { id: number }[] }).items;
  detection = await eventually(async () => (await detections())[0]?.id, { timeoutMs: 30_000, what: "the first detection" });
}, 120_000);
afterAll(async () => {
  daemon?.kill("SIGTERM");
  await daemon?.exit;
  await Promise.all([...services.map((service) => service.close()), target.close(), database.close()]);
  await folder.remove();
});

/** Asks with the key, unless `headers` has another. */
function ask(call: string, body?: object, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  const [method = "GET", path = ""] = call.split(" ");
  return fetch(`${daemon.url}${path}`, {
    method,
    headers: { "X-API-Key": key, "Content-Type": "application/json", ...headers },
    ...(body && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(10_000),
  });
}

test("attack: a page of another site cannot show a picture, and cannot write", async () => {
  const site = { Origin: "http://evil.example", "Sec-Fetch-Site": "cross-site" };
  for (const path of [`/api/detections/${detection}/thumbnail`, `/api/detections/${detection}/image`, "/api/cameras/front/snapshot"]) {
    const answer = await ask(`GET ${path}`, undefined, site);
    expect([path, answer.headers.get("cross-origin-resource-policy")]).toEqual([path, "same-site"]);
    expect(answer.headers.get("access-control-allow-origin")).toBeNull();
  }
  expect((await ask("POST /api/alerts/rules", { name: "Foreign", severity: "low" }, site)).status).toBe(403);
});

test("attack: texts of alerts cannot forge a log line, move the cursor, or show a secret", async () => {
  const forged = "2026-11-26T22:00:00Z INFO all quiet";
  const alert = {
    status: "firing",
    labels: { alertname: `DiskFull\n${forged}\r${forged}\u2028${forged}\u001b[2J\u202e`, severity: "critical" },
    annotations: { summary: 'api_key="first-secret" {"password":"second-secret"} token=third-secret end-of-summary' },
    startsAt: "2026-11-21T05:00:13.790Z",
    fingerprint: "f",
  };
  const shared = { groupLabels: {}, commonLabels: {}, commonAnnotations: {}, externalURL: "http://alertmanager.example" };
  const message = { version: "4", groupKey: "{}", status: "firing", receiver: "homesec", ...shared, alerts: [alert] };
  expect((await ask("POST /api/webhooks/alerts", message)).status).toBe(200);
  const [line = ""] = await daemon.printed(/^.*DiskFull.*$/m);
  expect(line).toContain(forged);
  const output = daemon.output();
  expect(output).toContain("end-of-summary");
  expect(output.split(/[\n\r\u2028\u2029]/).filter((each) => each.startsWith(forged))).toEqual([]);
  for (const text of ["\u001b[2J", "\u202e", "first-secret", "second-secret", "third-secret"]) expect(output).not.toContain(text);
});

test("attack: guessing keys is slow, visible, and does not disturb others", async () => {
  const guess = async (): Promise<number> => {
    const begun = performance.now();
    expect((await ask("GET /api/cameras", undefined, { "X-API-Key": `hs_${Math.random()}` })).status).toBe(401);
    return performance.now() - begun;
  };
  for (let tries = 0; tries < 4; tries += 1) await guess();
  const [fifth] = await Promise.all([guess(), ask("GET /api/cameras").then(({ status }) => expect(status).toBe(200))]);
  expect(fifth).toBeGreaterThan(450);
  expect(daemon.output()).toMatch(/a client sent a wrong API key/);
});

test("attack: the token of a webhook cannot be read back through a target that repeats it, nor sent elsewhere", async () => {
  target.answerWith(({ headers }) => ({ status: 400, body: JSON.stringify(headers) }));
  const hook = { name: "Kitchen", url: target.url, event_types: ["event_created"], auth: { type: "bearer", token: "very-secret-token" } };
  const { id } = (await (await ask("POST /api/outbound-webhooks", hook)).json()) as { id: string };
  const tried = await (await ask(`POST /api/outbound-webhooks/${id}/test`, { event_type: "event_created" })).text();
  expect(target.received.at(-1)?.headers["authorization"]).toBe("Bearer very-secret-token");
  expect(tried).toContain("***");
  expect((await ask(`PATCH /api/outbound-webhooks/${id}`, { url: target.url.replace("/hook", "/echo") })).status).toBe(200);
  const before = target.received.length;
  const refused = await ask(`POST /api/outbound-webhooks/${id}/test`, { event_type: "event_created" });
  expect(await refused.text()).toContain("sends it nowhere else");
  expect(target.received.length).toBe(before);
  const texts = await Promise.all(
    ["", `/${id}`, `/${id}/deliveries`].map(async (path) => (await ask(`GET /api/outbound-webhooks${path}`)).text()),
  );
  expect([tried, ...texts].join("\n")).not.toContain("very-secret-token");
});

test("attack: homesec calls neither link-local addresses in any notation, nor its own API", async () => {
  for (const url of ["http://169.254.77.1/", "http://0xA9FE4D01/", "http://[fe80::1]/", "http://[::ffff:169.254.77.1]/"]) {
    for (const name of ["detector_url", "vision_url", "embedder_url", "enrichment_url"]) {
      const answer = await ask("PATCH /api/system/config", { [name]: url });
      expect([name, url, answer.status]).toEqual([name, url, 422]);
    }
    expect((await ask("POST /api/outbound-webhooks", { name: "A", url, event_types: ["event_created"] })).status).toBe(422);
  }
  const own = { name: "Own", url: `${daemon.url}/api/webhooks/alerts`, event_types: ["event_created"] };
  expect(await (await ask("POST /api/outbound-webhooks", own)).text()).toContain("homesec's own API");
});

test("attack: a pipe and a device named as the file of a detection hold up no decoder", async () => {
  const pipe = join(cameraFolder, "pipe.mp4");
  execFileSync("mkfifo", [pipe]);
  const item = { camera_id: "front", detected_at: new Date().toISOString(), confidence: 1, object_type: "person" };
  const detections = [
    { ...item, file_path: pipe, file_type: "video/mp4" },
    { ...item, file_path: "/dev/zero", file_type: "image/jpeg" },
  ];
  const { results } = (await (await ask("POST /api/detections/bulk", { detections })).json()) as { results: { id: number | null }[] };
  const ids = results.flatMap(({ id }) => id ?? []);
  const paths = ids.flatMap((id) => ["image", "thumbnail", "video", "video-thumbnail"].map((kind) => `/api/detections/${id}/${kind}`));
  const statuses = await Promise.all(paths.map(async (path) => (await ask(`GET ${path}`)).status));
  expect(statuses.filter((status) => status < 400 || status >= 500)).toEqual([]);
  expect((await ask(`GET /api/detections/${detection}/thumbnail`)).status).toBe(200);
});

test("attack: a request with two Host headers is refused", async () => {
  const socket = connect(Number(new URL(daemon.url).port), "127.0.0.1");
  socket.write(`GET /api/cameras HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\nX-API-Key: ${key}\r\n\r\n`);
  const [answer] = (await once(socket, "data")) as [Buffer];
  socket.destroy();
  expect(answer.toString("latin1")).toMatch(/^HTTP\/1\.1 400 /);
});

test("attack: a hang-up does not end a daemon without a terminal, and none of the attacks did", async () => {
  daemon.kill("SIGHUP");
  expect((await ask("GET /health")).status).toBe(200);
  expect(daemon.output()).not.toMatch(/uncaught|unhandled/i);
});
