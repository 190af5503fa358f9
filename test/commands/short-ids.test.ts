import { mkdir, mkdtemp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { apiStandIn } from "../support/api-stand-in.ts";
import { cli } from "../support/cli.ts";
import { type ServedDesk, serveDesk, ways } from "../support/served-desk.ts";

/*
 * Ids that no one types: their starts, and names, work in arguments and options of all commands; lists on a terminal show the short form.
 */

const alert = "5f0c9d6e-3f6b-4f0e-9a52-0c6f1f0e7a11";
const otherAlert = "5f0caaaa-3f6b-4f0e-9a52-0c6f1f0e7a12";
const entity = "3f0c7a52-8f0e-4a35-9d0b-6a8f0f6f5f11";
const delivery = "7d3a1f5e-8f0e-4f58-9a35-1f2b6d0c9e21";
let served: ServedDesk;
let rule: string;
let webhook: string;
let silence: string;
let picture: Buffer;

beforeAll(async () => {
  served = await serveDesk();
  const { desk } = served;
  await desk.ask("createCamera", { body: { camera_id: "front-door", name: "Front entrance" } });
  await desk.ask("createCamera", { body: { camera_id: "garage-2", name: "Garage" } });
  rule = (await desk.ask("createRule", { body: { name: "Person at night", severity: "high" } })).id;
  await desk.ask("createRule", { body: { name: "Dog", severity: "low" } });
  const target = { url: "https://example.org/in", event_types: ["alert_fired"] };
  webhook = (await desk.ask("createWebhook", { body: { name: "chat", ...target } })).id;
  silence = (await desk.ask("createSilence", { body: { camera_id: "garage-2", duration_seconds: 60, reason: "Painters" } })).id;
  await desk.db.query(async (sql) => {
    await sql`
      insert into events (event_id, camera_id, started_at, ended_at, risk_score, risk_level, analysis_status)
      overriding system value values (42, 'front-door', '2026-03-01T11:50:00Z', '2026-03-01T11:51:00Z', 90, 'critical', 'completed')
    `;
    for (const [id, of] of [
      [alert, rule],
      [otherAlert, null],
    ] as const) {
      await sql`
        insert into alerts (alert_id, event_id, rule_id, camera_id, rule_name, severity, status, dedup_key, alert_metadata, created_at, updated_at)
        values (${id}, 42, ${of}, 'front-door', 'Person at night', 'high', 'pending', 'front-door:x',
                '{"rule_name": "Person at night", "matched_conditions": [], "channels": [], "reason": null}', '2026-03-01T11:57:00Z', '2026-03-01T11:57:00Z')
      `;
    }
    await sql`
      insert into webhook_deliveries (delivery_id, webhook_id, event_type, event_id, status, status_code, attempt_count, created_at, message_id, data, emitted_at)
      values (${delivery}, ${webhook}, 'alert_fired', '1', 'failed', 500, 1, '2026-03-01T11:00:00Z', ${delivery}, '{}', '2026-03-01T11:00:00Z')
    `;
  });
  await addPicture();
});
afterAll(() => served.close());

/** Adds a picture with a detection of the event, and the person in it. */
async function addPicture(): Promise<void> {
  const { desk } = served;
  const file = join(desk.cameraRoot, "front-door", "a.png");
  await mkdir(join(desk.cameraRoot, "front-door"), { recursive: true });
  picture = await sharp({ create: { width: 640, height: 480, channels: 3, background: "#888" } })
    .png()
    .toBuffer();
  await writeFile(file, picture);
  const seen = { camera_id: "front-door", file_path: file, file_type: "image/png", detected_at: "2026-03-01T11:50:10Z", event_id: 42 };
  const found = { object_type: "person", confidence: 0.9, bbox_x: 10, bbox_y: 20, bbox_width: 30, bbox_height: 40 };
  await desk.ask("createDetections", { body: { detections: [{ ...seen, ...found }] } });
  await desk.db.query(
    (sql) => sql`
      insert into entities (entity_id, object_type, first_seen_at, last_seen_at, detection_count, representative_detection_id,
                            representative_confidence, created_at)
      select ${entity}, 'person', d.detected_at, d.detected_at, 1, d.detection_id, 0.91, d.detected_at from detections d
    `,
  );
}

describe.each(ways)("ids, %s", (way) => {
  const homesec = (args: readonly string[], terminal?: number) =>
    served.homesec(way, args, terminal === undefined ? {} : { terminal, env: { NO_COLOR: "1" } });
  const idOf = async (...args: string[]) => {
    const { code, out, err } = await homesec([...args, "-o", "id"]);
    expect(code, err).toBe(0);
    return out.trim();
  };

  it("ids: the start of an id works in every argument that takes one", async () => {
    expect(await idOf("alerts", "show", "5f0c9")).toBe(alert);
    expect(await idOf("rules", "show", rule.slice(0, 8))).toBe(rule);
    expect(await idOf("silence", "show", silence.slice(0, 13))).toBe(silence);
    expect(await idOf("webhooks", "show", webhook.slice(0, 8).toUpperCase())).toBe(webhook);
    expect(await idOf("entities", "show", "3f0c7a528f0e")).toBe(entity);
    expect(await idOf("webhooks", "deliveries", "chat", "--delivery", "7d3a1f5e")).toBe(delivery);
    expect((await homesec(["explain", "alert", "5f0c9d6e"])).out).toContain(alert);
    const retried = await homesec(["webhooks", "retry", "7d3a1f", "-o", "json"]);
    expect(JSON.parse(retried.out), retried.err).toMatchObject({ webhook_id: webhook, event_type: "alert_fired" });
  });

  it("ids: names in any case work in arguments and options", async () => {
    expect(await idOf("rules", "show", "person AT night")).toBe(rule);
    expect(await idOf("webhooks", "enable", "CHAT")).toBe(webhook);
    expect(await idOf("alerts", "list", "--rule-id", "Person at night")).toBe(alert);
    expect(await idOf("alerts", "list", "--rule-id", rule.slice(0, 8))).toBe(alert);
    expect(await idOf("cameras", "show", "Front entrance")).toBe("front-door");
    expect(await idOf("cameras", "show", "garage")).toBe("garage-2");
    expect(await idOf("events", "list", "--camera-id", "Front entrance,Garage")).toBe("42");
    const { out } = await homesec(["silence", "add", "--camera", "Garage", "--rule", "dog", "--for", "1m", "--reason", "x", "-o", "json"]);
    expect(JSON.parse(out)).toMatchObject({ camera_id: "garage-2", rule_name: "Dog" });
  });

  it("ids: rules take cameras by name, from flags and from a file", async () => {
    const added = await homesec(["rules", "add", "--name", `Flags, ${way}`, "--cameras", "Garage,front-door", "-o", "json"]);
    expect(JSON.parse(added.out), added.err).toMatchObject({ camera_ids: ["garage-2", "front-door"] });
    await writeFile(join(served.desk.dataDir, "rule.yaml"), `name: "File, ${way}"\ncamera_ids: [Front entrance]\n`);
    const filed = await homesec(["rules", "add", "-f", "rule.yaml", "-o", "json"]);
    expect(filed.code, filed.err).toBe(0);
    expect(filed.out).toContain('"front-door"');
  });

  it("ids: a start or name of several things is an error with the candidates", async () => {
    expect(await homesec(["alerts", "ack", "5f0c"])).toEqual({
      code: 5,
      out: "",
      err: expect.stringMatching(
        /^homesec: 2 alerts begin with "5f0c"; use one of these ids instead: 5f0c\w{4} \(Person at night, front-door\), 5f0c\w{4} \(Person at night, front-door\)\n$/,
      ),
    });
    await served.desk.ask("createRule", { body: { name: `Twice, ${way}`, severity: "low" } });
    await served.desk.ask("createRule", { body: { name: `Twice, ${way}`, severity: "low" } });
    const twice = await homesec(["rules", "remove", `twice, ${way}`, "--yes"]);
    expect(twice).toMatchObject({
      code: 5,
      err: expect.stringMatching(/2 rules are named "twice, .*"; use one of these ids instead: \w{8} \(Twice, .*\), \w{8} /),
    });
  });

  it("ids: an unknown one is an error with a suggestion, or the list command", async () => {
    expect(await homesec(["rules", "show", "Person at nigt"])).toMatchObject({
      code: 3,
      err: 'homesec: Rule "Person at nigt" does not exist; did you mean "Person at night"? `homesec rules list` shows names and ids\n',
    });
    expect((await homesec(["alerts", "show", "5f0c9d6f"])).err).toBe(
      "homesec: Alert 5f0c9d6f does not exist; did you mean 5f0c9d6e? `homesec alerts list` shows their ids\n",
    );
    expect(await homesec(["alerts", "show", "99999999"])).toMatchObject({ code: 3, err: expect.stringContaining("`homesec alerts list`") });
    expect(await homesec(["alerts", "list", "--rule-id", "Catt"])).toMatchObject({ code: 3 });
    expect((await homesec(["cameras", "show", "Front entrnce"])).err).toContain("Did you mean front-door?");
  });

  it("ids: on a terminal the unique start of a camera id works, in a script it is only suggested", async () => {
    expect((await homesec(["cameras", "show", "front"], 80)).out).toMatch(/^camera +front-door\n/);
    expect((await homesec(["events", "list", "--camera-id", "front"], 80)).out).toMatch(/\n42 .* front-door /);
    // `cameras show garage || cameras add Garage` relies on it
    expect(await homesec(["cameras", "show", "gara"])).toMatchObject({ code: 3, err: expect.stringContaining("Did you mean garage-2?") });
  });

  it("ids: the id of a deleted camera never means another camera of that name", async () => {
    const { desk } = served;
    const id = `attic-${ways.indexOf(way)}`;
    await desk.ask("createCamera", { body: { camera_id: id, name: `Old ${id}` } });
    await desk.ask("deleteCamera", { params: { camera_id: id } });
    await desk.ask("createCamera", { body: { camera_id: `new-${id}`, name: id } });
    expect(await homesec(["cameras", "show", id])).toMatchObject({ code: 3, out: "" });
    expect(await homesec(["cameras", "remove", id])).toMatchObject({ code: 5, out: "" });
    expect(await homesec(["cameras", "show", `new-${id}`])).toMatchObject({ code: 0 });
  });

  it("ids: lists are short on a terminal, and whole in pipes, JSON and CSV", async () => {
    const shown = await homesec(["alerts", "list"], 120);
    expect(shown.out.split("\n").map((line) => line.split(" ")[0])).toEqual(expect.arrayContaining(["ID", "5f0c9d6e", "5f0caaaa"]));
    expect(shown.out).not.toContain(alert);
    expect((await homesec(["rules", "list"], 120)).out).toMatch(new RegExp(`^${rule.slice(0, 8)} +Person at night `, "m"));
    expect((await homesec(["entities", "list"], 120)).out).toMatch(/^3f0c7a52 +person/m);
    expect((await homesec(["alerts", "show", "5f0c9d6e"], 120)).out).toContain(alert);
    for (const format of ["json", "csv", "id", "yaml", "ndjson"])
      expect((await homesec(["alerts", "list", "-o", format], 120)).out).toContain(alert);
    expect((await homesec(["alerts", "list"])).out).toContain(alert);
  });
});

describe("requests for ids", () => {
  it("ids: a whole id and a known camera id cost no second request", async () => {
    const api = await apiStandIn(() => ({ status: 409, body: { detail: "no" } }));
    for (const line of [
      `alerts show ${alert}`,
      `rules show ${alert}`,
      `silence end ${alert}`,
      `webhooks enable ${alert}`,
      "cameras show yard",
    ]) {
      const before = api.seen.length;
      expect((await cli(line.split(" "), { env: { HOMESEC_URL: api.url } })).code).toBe(5);
      expect(api.seen.length - before, line).toBe(1);
    }
    await api.close();
  });
});

describe("events picture", () => {
  it.each(ways)("events picture: saves the original and the small copy with boxes, and overwrites nothing, %s", async (way) => {
    const cwd = await mkdtemp(join(served.desk.dataDir, "saved-"));
    const homesec = (...args: string[]) => served.homesec(way, ["events", "picture", ...args], { cwd });
    expect((await homesec("42")).out).toBe(`saved  ${join(cwd, "event-42.png")} (${picture.length} bytes)\n`);
    expect(await readFile(join(cwd, "event-42.png"))).toEqual(picture);
    expect(await homesec("42")).toMatchObject({ code: 5, err: expect.stringContaining("already exists; choose another name with --to") });
    const small = JSON.parse((await homesec("42", "--with-boxes", "--to", "x.jpg", "-o", "json")).out);
    expect(small).toMatchObject({ event_id: 42, file: join(cwd, "x.jpg"), media_type: "image/jpeg" });
    expect(await sharp(join(cwd, "x.jpg")).metadata()).toMatchObject({ width: 320, height: 240 });
    expect(await homesec("999")).toMatchObject({ code: 3, err: expect.stringContaining("Event 999 does not exist") });
  });
});
