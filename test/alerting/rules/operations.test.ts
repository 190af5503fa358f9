import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ruleFacts } from "../../../src/alerting/rules/facts-repository.ts";
import { enabledRules } from "../../../src/alerting/rules/rules-repository.ts";
import { findVersion } from "../../../src/alerting/rules/versions-repository.ts";
import { type Desk, openDesk } from "../../support/operations.ts";

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
});
afterAll(() => desk.close());
beforeEach(async () => {
  await desk.db.query((sql) => sql`delete from rules`);
  desk.at("2026-03-01T12:00:00Z");
});

const create = (body: unknown) => desk.ask("createRule", { body });
const update = (id: string, body: unknown) => desk.ask("updateRule", { params: { id }, body });
const get = (id: string) => desk.ask("getRule", { params: { id } });
const unknownId = "99999999-9999-4999-8999-999999999999";

const full = {
  name: "Person at night",
  enabled: false,
  severity: "CRITICAL",
  risk_threshold: 70,
  object_types: ["person"],
  camera_ids: ["front_door", "never_seen"],
  zones: ["Driveway"],
  not_zones: ["street"],
  min_size: 0.1,
  min_confidence: 0.8,
  schedule: { days: ["Monday", "tuesday"], start_time: "22:00", end_time: "06:00", timezone: "Europe/Berlin" },
  dedup_key_template: "{camera_id}:{object_type}",
  cooldown_seconds: 31_536_000,
  channels: ["email", "WEBHOOK"],
  escalate: true,
  digest: true,
};

describe("creating a rule", () => {
  it("creating a rule: everything but the name has a default", async () => {
    const rule = await create({ name: "Anything" });
    expect(rule).toEqual({
      id: expect.any(String),
      name: "Anything",
      enabled: true,
      kind: "event",
      severity: "medium",
      risk_threshold: null,
      object_types: null,
      camera_ids: null,
      zones: null,
      not_zones: null,
      min_size: null,
      min_confidence: null,
      schedule: null,
      modes: null,
      dedup_key_template: "{camera_id}:{rule_id}",
      cooldown_seconds: 300,
      channels: null,
      escalate: false,
      digest: false,
      immediate: false,
      version: 1,
      created_at: "2026-03-01T12:00:00.000Z",
      updated_at: "2026-03-01T12:00:00.000Z",
    });
    expect(await get(rule.id.toUpperCase())).toEqual(rule);
  });

  it("creating a rule: an immediate rule has no threshold and is about events, and the refusal says why", async () => {
    await expect(create({ name: "Both", immediate: true, risk_threshold: 70 })).rejects.toThrow(
      "An immediate rule cannot have this risk_threshold: an event has its score only after the visit. Remove the threshold, or set immediate to false",
    );
    await expect(create({ name: "Silence", immediate: true, kind: "camera_health" })).rejects.toThrow("alerts at once anyway");
    const rule = await create({ name: "Now", immediate: true });
    await expect(desk.ask("updateRule", { params: { id: rule.id }, body: { risk_threshold: 70 } })).rejects.toThrow("only after the visit");
    expect(await get(rule.id)).toMatchObject({ immediate: true, risk_threshold: null, version: 1 });
  });

  it("creating a rule: stores the given values; enum values are accepted in any case and returned in lower case", async () => {
    expect(await create(full)).toMatchObject({
      ...full,
      severity: "critical",
      schedule: { ...full.schedule, days: ["monday", "tuesday"] },
      channels: ["email", "webhook"],
    });
  });

  it("creating a rule: an empty list sets no condition, and a schedule gets its defaults", async () => {
    expect(await create({ name: "x", object_types: [], camera_ids: [], schedule: { days: ["sunday"] }, channels: [] })).toMatchObject({
      object_types: null,
      camera_ids: null,
      schedule: { days: ["sunday"], start_time: null, end_time: null, timezone: "UTC" },
      channels: [],
    });
  });

  it.each<[string, object, readonly (string | number)[], string]>([
    ["no name", {}, ["body", "name"], "missing"],
    ["an empty name", { name: "" }, ["body", "name"], "string_too_short"],
    ["a long name", { name: "x".repeat(256) }, ["body", "name"], "string_too_long"],
    ["an unknown severity", { severity: "urgent" }, ["body", "severity"], "enum"],
    ["a threshold too low", { risk_threshold: -1 }, ["body", "risk_threshold"], "greater_than_equal"],
    ["a threshold too high", { risk_threshold: 101 }, ["body", "risk_threshold"], "less_than_equal"],
    ["half a threshold", { risk_threshold: 1.5 }, ["body", "risk_threshold"], "int_parsing"],
    ["a confidence too high", { min_confidence: 1.01 }, ["body", "min_confidence"], "less_than_equal"],
    ["a confidence too low", { min_confidence: -0.01 }, ["body", "min_confidence"], "greater_than_equal"],
    ["an empty class", { object_types: [""] }, ["body", "object_types", 0], "string_too_short"],
    ["no list", { object_types: "person" }, ["body", "object_types"], "value_error"],
    ["an unknown day", { schedule: { days: ["someday"] } }, ["body", "schedule", "days", 0], "enum"],
    [
      "an hour too late",
      { schedule: { start_time: "24:00", end_time: "06:00" } },
      ["body", "schedule", "start_time"],
      "string_pattern_mismatch",
    ],
    [
      "a time without zero",
      { schedule: { start_time: "08:00", end_time: "9:00" } },
      ["body", "schedule", "end_time"],
      "string_pattern_mismatch",
    ],
    ["half a window", { schedule: { start_time: "08:00" } }, ["body", "schedule", "end_time"], "value_error"],
    ["an unknown zone", { schedule: { timezone: "Europe/Atlantis" } }, ["body", "schedule", "timezone"], "value_error"],
    ["an unknown field of a schedule", { schedule: { from: "08:00" } }, ["body", "schedule", "from"], "extra_forbidden"],
    ["an unknown name in the template", { dedup_key_template: "{camera}" }, ["body", "dedup_key_template"], "value_error"],
    ["an open brace in the template", { dedup_key_template: "{camera_id" }, ["body", "dedup_key_template"], "value_error"],
    ["an empty template", { dedup_key_template: "" }, ["body", "dedup_key_template"], "string_too_short"],
    ["a negative cooldown", { cooldown_seconds: -1 }, ["body", "cooldown_seconds"], "greater_than_equal"],
    ["a cooldown of more than a year", { cooldown_seconds: 31_536_001 }, ["body", "cooldown_seconds"], "less_than_equal"],
    ["an unknown channel", { channels: ["pigeon"] }, ["body", "channels", 0], "enum"],
    ["a channel twice", { channels: ["email", "EMAIL"] }, ["body", "channels"], "value_error"],
    ["a word for a switch", { enabled: "yes" }, ["body", "enabled"], "bool_parsing"],
    ["null where nothing can be unset", { severity: null }, ["body", "severity"], "value_error"],
    ["an unknown kind", { kind: "weather" }, ["body", "kind"], "enum"],
    ["a score for the health of cameras", { kind: "camera_health", risk_threshold: 1 }, ["body", "risk_threshold"], "value_error"],
    ["classes for the health of cameras", { kind: "camera_health", object_types: ["dog"] }, ["body", "object_types"], "value_error"],
    ["confidence for the health of cameras", { kind: "camera_health", min_confidence: 0 }, ["body", "min_confidence"], "value_error"],
    ["an unknown field", { priority: 1 }, ["body", "priority"], "extra_forbidden"],
  ])("is refused with %s, and so is a change", async (what, fields, loc, type) => {
    const item = { items: [expect.objectContaining({ loc, type })] };
    await expect(create(what === "no name" ? {} : { name: "x", ...fields })).rejects.toMatchObject(item);
    if (what === "no name") return;
    const { id } = await create({ name: "x" });
    await expect(update(id, fields)).rejects.toMatchObject(item);
  });
});

describe("changing a rule", () => {
  it("changing a rule: leaves unnamed fields, clears with null and ignores read-only fields", async () => {
    const rule = await create(full);
    desk.at("2026-03-01T13:00:00Z");
    const changed = await update(rule.id, { ...rule, id: "other", version: 77, created_at: "?", risk_threshold: null, name: "Renamed" });
    expect(changed).toEqual({ ...rule, name: "Renamed", risk_threshold: null, version: 2, updated_at: "2026-03-01T13:00:00.000Z" });
    const cleared = { object_types: null, camera_ids: [], min_confidence: null, schedule: null, channels: null };
    expect(await update(rule.id, cleared)).toMatchObject({ name: "Renamed", ...cleared, camera_ids: null, version: 3 });
  });

  it("changing a rule: a change without effect adds no version", async () => {
    const rule = await create(full);
    desk.at("2026-03-01T13:00:00Z");
    expect(await update(rule.id, {})).toEqual(rule);
    expect(await update(rule.id, rule)).toEqual(rule);
    expect(await update(rule.id, { severity: "Critical" })).toEqual(rule);
  });

  it("changing a rule: every definition stays available", async () => {
    const { id } = await create({ name: "x", risk_threshold: 10 });
    await update(id, { risk_threshold: 20 });
    await Promise.all([update(id, { risk_threshold: 30 }), update(id, { cooldown_seconds: 60 })]);
    expect(await get(id)).toMatchObject({ risk_threshold: 30, cooldown_seconds: 60, version: 4 });
    const thresholds = await desk.db.query(async (sql) => [await findVersion(sql, id, 1), await findVersion(sql, id, 2)]);
    expect(thresholds).toMatchObject([{ risk_threshold: 10 }, { risk_threshold: 20 }]);
    expect(await desk.db.query((sql) => findVersion(sql, id, 4))).toMatchObject({ risk_threshold: 30, cooldown_seconds: 60 });
  });
});

describe("listing rules", () => {
  it("listing rules: shows the newest first, page by page, filtered by state and severity", async () => {
    for (const [n, severity] of ["low", "high", "high"].entries()) {
      desk.at(`2026-03-01T12:0${n}:00Z`);
      await create({ name: `rule ${n}`, severity, enabled: n !== 1 });
    }
    const names = async (query: string) => (await desk.ask("listRules", { query })).items.map(({ name }) => name);
    expect(await names("")).toEqual(["rule 2", "rule 1", "rule 0"]);
    expect(await names("severity=HIGH")).toEqual(["rule 2", "rule 1"]);
    expect(await names("enabled=true")).toEqual(["rule 2", "rule 0"]);
    expect(await names("enabled=false&severity=low")).toEqual([]);
    const first = await desk.ask("listRules", { query: "limit=2" });
    expect(first.pagination).toMatchObject({ total: 3, has_more: true });
    expect(await names(`limit=2&cursor=${first.pagination.next_cursor}`)).toEqual(["rule 0"]);
  });

  it("listing rules: the enabled rules contain no disabled one", async () => {
    await create({ name: "stored" });
    await create({ name: "off", enabled: false });
    await create({ name: "scored", risk_threshold: 0 });
    expect((await desk.db.query(enabledRules)).map(({ name }) => name).toSorted()).toEqual(["scored", "stored"]);
  });
});

describe("missing rule", () => {
  it.each([unknownId, "night-rule", "1", "%", "x".repeat(300)])("missing rule: the error names %s", async (id) => {
    const missing = { kind: "not_found", message: expect.stringContaining(id) };
    await expect(get(id)).rejects.toMatchObject(missing);
    await expect(update(id, { name: "x" })).rejects.toMatchObject(missing);
    await expect(desk.ask("deleteRule", { params: { id } })).rejects.toMatchObject(missing);
    await expect(desk.ask("testRule", { params: { id } })).rejects.toMatchObject(missing);
    await expect(desk.ask("backtestRule", { params: { id } })).rejects.toMatchObject(missing);
  });

  it("missing rule: a deleted rule is missing", async () => {
    const { id } = await create({ name: "x" });
    await desk.ask("deleteRule", { params: { id } });
    await expect(get(id)).rejects.toMatchObject({ kind: "not_found" });
  });
});

it("rule facts: the score, and each class with its highest confidence", async () => {
  const eventId = await desk.db.query(async (sql) => {
    await sql`insert into cameras (camera_id, name, folder_path) values ('facts', 'Facts', '/facts')`;
    const [event] = await sql<[{ id: number }]>`
      insert into events (camera_id, started_at, ended_at, risk_score, risk_level, created_at)
      values ('facts', '2026-01-01', '2026-01-01', 71, 'high', '2026-01-02T03:04:05Z')
      returning event_id as id
    `;
    await sql`
      insert into detections (camera_id, event_id, file_path, detected_at, object_type, confidence)
      values ('facts', ${event.id}, '/a', '2026-01-01', 'person', 0.5), ('facts', ${event.id}, '/b', '2026-01-01', 'person', 0.75),
        ('facts', ${event.id}, '/b', '2026-01-01', 'dog', 0.6)
    `;
    return event.id;
  });
  const facts = () => desk.db.query((sql) => ruleFacts(sql, eventId));
  const expected = {
    eventId,
    kind: "event",
    cameraId: "facts",
    riskScore: 71,
    startedAt: new Date("2026-01-01T00:00:00Z"),
    endedAt: new Date("2026-01-01T00:00:00Z"),
    storedAt: new Date("2026-01-02T03:04:05Z"),
    objects: [
      { objectType: "dog", confidence: 0.6 },
      { objectType: "person", confidence: 0.75 },
    ],
    placed: [
      { objectType: "dog", confidence: 0.6, feet: null, height: null },
      { objectType: "person", confidence: 0.5, feet: null, height: null },
      { objectType: "person", confidence: 0.75, feet: null, height: null },
    ],
    zones: [],
    deleted: null,
    restoredAt: null,
  };
  expect(await facts()).toEqual(expected);
  await desk.db.query((sql) => sql`update events set deleted_at = now() where event_id = ${eventId}`);
  expect(await facts()).toEqual({ ...expected, deleted: "event" });
  expect(await desk.db.query((sql) => ruleFacts(sql, eventId + 1))).toBeUndefined();
});
