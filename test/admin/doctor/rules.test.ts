import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { whyNever } from "../../../src/admin/doctor/rule-faults.ts";
import { initialMode } from "../../../src/alerting/modes/mode.ts";
import { evaluate } from "../../../src/alerting/rules/conditions.ts";
import { newDefinition, type RuleChange } from "../../../src/alerting/rules/definition.ts";
import type { Rule } from "../../../src/alerting/rules/rule.ts";
import { insertRule } from "../../../src/alerting/rules/rules-repository.ts";
import { type TestDatabase, testDatabase } from "../../support/database.ts";
import { emptyTables } from "../../support/empty-tables.ts";
import { finds, says, skips, well } from "./support.ts";

const now = new Date("2026-03-01T12:00:00Z");
let database: TestDatabase;
const given = (env: Readonly<Record<string, string>> = {}) => ({
  db: database.db,
  now,
  env: { DETECTOR_URL: "http://detector.example", ...env },
});
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
  await database.db.query(async (sql) => {
    await emptyTables(sql, "cameras, rules, event_search");
    await sql`insert into cameras (camera_id, name, folder_path, deleted_at) values ('yard', 'Yard', '/a', null), ('gone', 'Gone', '/b', now())`;
  });
});

const mail = { SMTP_HOST: "127.0.0.1", SMTP_FROM_ADDRESS: "a@example.org", DEFAULT_EMAIL_RECIPIENTS: "b@example.org" };
let added = 0;
/** Adds a rule one second after the previous one. */
const add = (name: string, change: Partial<RuleChange> = {}) => {
  added += 1;
  return database.db.query((sql) => insertRule(sql, newDefinition({ ...change, name }), new Date(now.getTime() + added * 1_000)));
};
const ruleOf = (change: Partial<Rule>): Rule => ({
  ...newDefinition({ name: "r" }),
  id: "1",
  version: 1,
  created_at: now,
  updated_at: now,
  ...change,
});

describe("doctor: rules", () => {
  it("warns when no rule is enabled", async () => {
    expect(await finds("rules", given(), "warning")).toContain("homesec rules add");
    await add("Off", { enabled: false });
    expect(await finds("rules", given())).toContain("homesec rules enable Off");
    expect(await skips("rules-never-fire", given())).toBe("no rule is enabled");
    await add("On", { channels: ["email"] });
    expect(await well("rules", given(mail))).toBe("1 enabled");
  });

  it("reports a rule that names push while no channel to phones is enabled", async () => {
    await add("Both", { channels: ["email", "push"] });
    expect(await finds("rules", given(mail), "warning")).toMatch(
      /"Both": push sends nothing, because no channel.*homesec channels add ntfy/,
    );
    await add("Phone", { channels: ["push"] });
    expect(await finds("rules", given(mail), "error")).toMatch(/"Phone" notifies no one \(push: no channel to phones is enabled/);
    await database.db.query(
      (sql) => sql`
        insert into channels (channel_id, name, kind, settings, enabled, created_at, updated_at)
        values (gen_random_uuid(), 'Phone', 'ntfy', '{}', true, now(), now())
      `,
    );
    await well("rules", given(mail));
    await database.db.query((sql) => sql`delete from channels`);
  });

  it("reports rules that can never fire", async () => {
    await add("Good", {
      object_types: ["Person"],
      risk_threshold: 100,
      min_confidence: 1,
      schedule: { days: ["monday"], start_time: "23:59", end_time: "00:00", timezone: "Asia/Kathmandu" },
    });
    await add("Disabled", { camera_ids: ["gone"], enabled: false });
    expect(await well("rules-never-fire", given())).toBe("1 rule");
    await add("Old camera", { camera_ids: ["gone"] });
    await add("Dragons", { object_types: ["dragon"] });
    const text = await finds("rules-never-fire", given(), "error");
    expect(text).toContain('"Old camera": its camera gone does not exist; "Dragons": the detector never finds dragon, only person, car');
    expect(text).toContain("homesec rules edit 'Old camera'");
  });

  it("knows that the built-in detector finds every class, as other detectors may", async () => {
    await add("Cars", { object_types: ["car"] });
    await well("rules-never-fire", given());
    await well("rules-never-fire", given({ DETECTOR_URL: "" }));
    await well("rules-never-fire", given({ DETECTOR_URL: "http://detector.example,built-in" }));
  });

  it("warns about rules that no recent event reached", async () => {
    await add("Partly", { camera_ids: ["yard", "gone"] });
    expect(await finds("rules-never-fire", given(), "warning")).toContain("camera gone no longer exists");
    await database.db.query((sql) => sql`delete from rules`);
    await add("Highest", { risk_threshold: 90 });
    await well("rules-never-fire", given());
    await database.db.query(
      (sql) => sql`
        insert into events (camera_id, started_at, ended_at, analysis_status, risk_score)
        select 'yard', ${now}::timestamptz - n * interval '1 hour', ${now}, 'completed', n from generate_series(1, 60) n
      `,
    );
    expect(await finds("rules-never-fire", given(), "warning")).toContain(
      "no event of the last 30 days reached a risk score of 90; the highest was 60",
    );
  });

  it("warns about hours in UTC on a machine with another time zone", async () => {
    const night = { days: [], start_time: "22:00", end_time: "06:00" };
    await add("Night", { schedule: { ...night, timezone: "Europe/Berlin" } });
    expect(await says("rules", given())).not.toContain("in UTC");
    await add("Utc night", { schedule: { ...night, timezone: "UTC" } });
    expect(await finds("rules", given(), "warning")).toContain(
      "homesec rules edit 'Utc night' and write schedule: 22:00-06:00 Europe/Berlin",
    );
    for (const timeZone of ["UTC", "Africa/Abidjan"])
      expect(await says("rules", { ...given(), machine: { timeZone } })).not.toContain("in UTC");
    // London equals UTC only in winter
    expect(await finds("rules", { ...given(), machine: { timeZone: "Europe/London" } })).toContain("in UTC");
  });

  it("warns about hours in a zone that does not follow the local clock", async () => {
    const night = { days: [], start_time: "22:00", end_time: "06:00" };
    await add("Night", { schedule: { ...night, timezone: "EST" } });
    const machine = { timeZone: "America/Toronto" };
    expect(await finds("rules", { ...given(), machine }, "warning")).toContain(
      `The hours of "Night" do not follow the local clock: EST is 5 hours behind UTC all year, without daylight saving time; if you mean the local clock, write America/Toronto`,
    );
  });

  it("warns about rules that another rule suppresses", async () => {
    const key = { dedup_key_template: "{camera_id}", channels: ["email"] } satisfies Partial<RuleChange>;
    await add("Anything", { ...key, severity: "low", camera_ids: ["yard"] });
    await add("Grave elsewhere", { ...key, severity: "critical", risk_threshold: 70, camera_ids: ["gate"] });
    await add("Grave, own key", { ...key, severity: "critical", risk_threshold: 70, dedup_key_template: "{camera_id}:{rule_id}" });
    await add("Grave, by severity", { ...key, severity: "critical", risk_threshold: 70, dedup_key_template: "{camera_id}:{severity}" });
    await add("Grave, passes", { ...key, severity: "critical", risk_threshold: 70, escalate: true });
    await add("No graver", { ...key, severity: "low", risk_threshold: 70 });
    expect(await well("rules", given(mail))).toBe("6 enabled");
    await add("Grave", { ...key, severity: "critical", risk_threshold: 70 });
    const text = await finds("rules", given(mail), "warning");
    expect(text).toContain('"Anything" suppresses "Grave": it alerts first, under the same dedup key');
    expect(text).toContain(
      "homesec rules update Grave --dedup-key-template '{camera_id}:{rule_id}', or homesec rules update Grave --escalate",
    );
    await database.db.query((sql) => sql`delete from rules where name = 'Grave'`);
    await add("By webhook", { ...key, severity: "low", risk_threshold: 70, channels: ["email", "webhook"], escalate: true });
    expect(await finds("rules", given())).not.toContain("or homesec rules update");
  });

  it("reports rules without a channel that works", async () => {
    await add("Mute");
    expect(await finds("rules", given(), "warning")).toContain('"Mute" has no channel');
    await add("Mail", { channels: ["email"] });
    expect(await finds("rules", given(), "error")).toContain(
      '"Mail" notifies no one (email: it needs SMTP_HOST and SMTP_FROM_ADDRESS and DEFAULT_EMAIL_RECIPIENTS)',
    );
    await database.db.query((sql) => sql`delete from rules where name = 'Mute'`);
    await add("Push or mail", { channels: ["push", "email"] });
    expect(await finds("rules", given(mail), "warning")).not.toContain("notifies no one");
    expect(await finds("rules", given({ ...mail, NOTIFICATION_ENABLED: "false" }))).toContain("switched off");
  });
});

describe("doctor: rules and webhooks", () => {
  beforeEach(async () => {
    await database.db.query(async (sql) => {
      await sql`delete from webhooks`;
      await sql`
        insert into webhooks (webhook_id, name, url, event_types, integration_type, sealed_secret, max_retries, retry_delay_seconds, created_at, updated_at)
        values (gen_random_uuid(), 'Chat', 'http://127.0.0.1:1/', '{alert_fired}', 'chat_blocks', '\\x00', 4, 10, now(), now())
      `;
    });
  });
  const turn = (change: { readonly enabled?: boolean; readonly types?: readonly string[]; readonly severities?: readonly string[] }) =>
    database.db.query(
      (sql) => sql`
        update webhooks
        set enabled = ${change.enabled ?? true}, event_types = ${[...(change.types ?? ["alert_fired"])]},
          severities = ${change.severities ? [...change.severities] : null}::text[]
      `,
    );

  it("a rule without a channel is fine if a webhook gets its alerts", async () => {
    await add("Mute");
    expect(await well("rules", given())).toBe("1 enabled");
    for (const change of [{ enabled: false }, { types: ["event_created"] }]) {
      await turn(change);
      expect(await finds("rules", given(), "warning")).toContain('"Mute" has no channel, and no webhook gets its alerts');
    }
  });

  it("a webhook whose limits leave no enabled rule is named", async () => {
    await add("Mute", { severity: "low" });
    await turn({ severities: ["critical"] });
    expect(await finds("rules", given(), "warning")).toContain('Webhook "Chat" gets no alerts: no enabled rule is within its limits');
  });

  it("a rule whose channels do not work is only a warning if a webhook gets its alerts", async () => {
    await add("Mail", { channels: ["email"] });
    expect(await finds("rules", given(), "warning")).toMatch(
      /"Mail" sends nothing through its channels \(email: it needs .*\); webhook "Chat" gets its alerts/,
    );
  });
});

describe("doctor: whyNever", () => {
  const possible = { now, cameraIds: ["yard"], classes: ["person", "car"] };

  it("names missing cameras and contradicting conditions", () => {
    expect(whyNever(ruleOf({ kind: "camera_health", risk_threshold: 10 }), possible)).toContain(
      "contradict each other: risk_score unknown",
    );
    expect(whyNever(ruleOf({ kind: "camera_health" }), possible)).toBeUndefined();
    expect(whyNever(ruleOf({ camera_ids: ["a", "b"] }), possible)).toBe("its cameras (a, b) do not exist");
  });

  it("is undefined for every rule that some event matches", () => {
    const name = fc.constantFrom("person", "car", "dog");
    const rules = fc.record({
      risk_threshold: fc.option(fc.integer({ min: 0, max: 100 })),
      object_types: fc.option(fc.uniqueArray(name, { minLength: 1 })),
      camera_ids: fc.option(fc.uniqueArray(fc.constantFrom("yard", "gone"), { minLength: 1 })),
      min_confidence: fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
    });
    const event = fc.record({
      riskScore: fc.integer({ min: 0, max: 100 }),
      objects: fc.array(
        fc.record({ objectType: fc.constantFrom("person", "car"), confidence: fc.double({ min: 0, max: 1, noNaN: true }) }),
      ),
    });
    fc.assert(
      fc.property(rules, event, (conditions, facts) => {
        const rule = ruleOf(conditions);
        const times = { startedAt: now, endedAt: now, storedAt: now };
        const { matches } = evaluate(rule, { ...facts, eventId: 1, kind: "event", cameraId: "yard", mode: initialMode, ...times });
        return !matches || whyNever(rule, possible) === undefined;
      }),
    );
  });
});

describe("doctor: zones", () => {
  it("camera-zones: warns about zones of a camera that was moved, until they are confirmed", async () => {
    await database.db.query(
      (sql) => sql`
        insert into camera_zones (camera_id, name, points, doubtful_since, created_at, updated_at)
        values ('yard', 'driveway', '((0,0.5),(0.5,0.5),(0.5,1))', now(), now(), now())
      `,
    );
    expect(await finds("camera-zones", given(), "warning")).toContain("homesec cameras zones confirm yard");
    await database.db.query((sql) => sql`update camera_zones set doubtful_since = null`);
    expect(await well("camera-zones", given())).toBe("1 zone");
    await add("Garden", { zones: ["garden"] });
    expect(await finds("rules-never-fire", given(), "error")).toContain('"Garden": there is no zone garden at yard');
  });
});
