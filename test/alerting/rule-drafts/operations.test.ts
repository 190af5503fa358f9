import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { initialMode } from "../../../src/alerting/modes/mode.ts";
import { fieldOfCondition } from "../../../src/alerting/rules/condition-field.ts";
import { evaluate } from "../../../src/alerting/rules/conditions.ts";
import { conditionFields } from "../../../src/contract/constants.ts";
import { type Desk, openDesk } from "../../support/operations.ts";

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
  desk.at("2026-03-10T00:00:00Z");
  await desk.db.query(async (sql) => {
    await sql`insert into cameras (camera_id, name, folder_path) values ('front', 'Front', '/f'), ('back', 'Back', '/b')`;
    for (const [id, stored, camera, score, object] of [
      [1, "2026-01-05T22:00:00Z", "front", 90, "person"],
      [2, "2026-03-02T22:00:00Z", "front", 75, "person"],
      [3, "2026-03-02T22:01:00Z", "front", 80, "person"],
      [4, "2026-03-03T12:00:00Z", "front", 70, "person"],
      [5, "2026-03-04T23:00:00Z", "back", 85, "dog"],
      [6, "2026-03-05T23:30:00Z", "back", 40, "person"],
      [7, "2026-03-06T12:00:00Z", "back", 10, "dog"],
    ] as const) {
      await sql`
        insert into events (event_id, camera_id, started_at, ended_at, risk_score, risk_level, object_types, created_at)
        overriding system value
        values (${id}, ${camera}, ${stored}::text::timestamptz, ${stored}::text::timestamptz, ${score}, 'high', ${[object]},
          ${stored}::text::timestamptz)
      `;
      await sql`
        insert into detections (camera_id, event_id, file_path, detected_at, object_type, confidence)
        values (${camera}, ${id}, '/x', ${stored}::text::timestamptz, ${object}, 0.9)
      `;
    }
  });
});
afterAll(() => desk.close());

const night = { days: [], start_time: "22:00", end_time: "06:00", timezone: "UTC" };
const definition = { name: "People at night", object_types: ["person"], risk_threshold: 60, schedule: night };
const draft = (body: object) => desk.ask("backtestDefinition", { body });

describe("rule draft", () => {
  it("rule draft: is tested on the last 30 days, with the alerts and the near misses as events, and stores nothing", async () => {
    const reply = await draft({ definition });
    expect(reply).toMatchObject({
      ...{ start_date: "2026-02-08T00:00:00.000Z", events_tested: 6, complete: true, faults: [] },
      tested: { version: null, events_matched: 2, alerts_after_cooldown: 1 },
      alerts: [{ raised_at: "2026-03-02T22:00:00.000Z", event: { id: 2, camera_id: "front", object_types: ["person"] } }],
    });
    expect(reply.near_misses.count).toBe(3);
    expect(reply.near_misses.fields.map(({ field, count }) => `${field} ${count}`).toSorted()).toEqual([
      "object_types 1",
      "risk_threshold 1",
      "schedule 1",
    ]);
    expect(reply.near_misses.events.map(({ field, event }) => [field, event.id])).toEqual([
      ["risk_threshold", 6],
      ["object_types", 5],
      ["schedule", 4],
    ]);
    expect((await desk.ask("listRules")).items).toEqual([]);
  });

  it("rule draft: gives the numbers of the stored rule", async () => {
    const rule = await desk.ask("createRule", { body: { ...definition, cooldown_seconds: 0 } });
    const stored = await desk.ask("backtestRule", {
      params: { id: rule.id },
      body: { start_date: "2026-01-01", timezone: "Europe/Berlin" },
    });
    const drafted = await draft({
      definition: { ...definition, cooldown_seconds: 0 },
      start_date: "2026-01-01",
      timezone: "Europe/Berlin",
    });
    expect(drafted.tested).toEqual({ ...stored.tested, version: null });
    expect(drafted.alerts.map(({ event }) => event.id)).toEqual([3, 2, 1]);
    await desk.ask("deleteRule", { params: { id: rule.id } });
  });

  it("rule draft: lists the newest alerts only, also behind suppressed matches", async () => {
    const all = { definition: { name: "All" }, start_date: "2026-01-01" };
    expect((await draft({ ...all, limit: 2 })).alerts.map(({ event }) => event.id)).toEqual([7, 6]);
    expect(await draft({ ...all, limit: 0 })).toMatchObject({ alerts: [], tested: { alerts_after_cooldown: 6 } });
  });

  it("rule draft: names what can never match or be sent", async () => {
    const { faults } = await draft({
      definition: { name: "Wrong", object_types: ["persn"], camera_ids: ["front", "attic"], channels: ["email", "webhook"] },
    });
    expect(faults).toEqual([
      { field: "object_types", message: "No detector reports persn; did you mean person?" },
      { field: "camera_ids", message: "Camera attic does not exist or is deleted; remove it from the rule" },
      { field: "channels", message: "Email cannot be used: it needs SMTP_HOST and SMTP_FROM_ADDRESS and DEFAULT_EMAIL_RECIPIENTS" },
      { field: "channels", message: "Webhook cannot be used: it needs DEFAULT_WEBHOOK_URL" },
    ]);
  });

  it.each([
    [{ definition: { ...definition, risk_threshold: 101 } }, ["body", "definition", "risk_threshold"]],
    [{ definition: { object_types: ["person"] } }, ["body", "definition", "name"]],
    [{ definition: { name: "Camera", kind: "camera_health", risk_threshold: 50 } }, ["body", "risk_threshold"]],
    [{ definition, limit: 101 }, ["body", "limit"]],
  ])("rule draft: is validated like a new rule: %j", async (body, loc) => {
    await expect(draft(body)).rejects.toMatchObject({ kind: "invalid", items: [{ loc }] });
  });

  it("rule draft: ends when its client has gone", async () => {
    const gone = AbortSignal.abort(new Error("gone"));
    const { ruleDraftOperations } = await import("../../../src/alerting/rule-drafts/operations.ts");
    const caller = { gone } as never;
    const body = { definition, timezone: "UTC", limit: 20 } as never;
    await expect(ruleDraftOperations.backtestDefinition({ body }, { ...desk.context, caller })).rejects.toThrow("gone");
  });

  it("rule draft: every kind of failed condition belongs to its field", () => {
    const conditions = {
      ...{ kind: "event", risk_threshold: 50, object_types: ["person"], camera_ids: ["front"], min_confidence: 0.5 },
      ...{ zones: ["driveway"], not_zones: ["street"], min_size: 0.5 },
      schedule: { days: ["monday"], start_time: "01:00", end_time: "02:00", timezone: "UTC" },
      modes: ["away"],
    } as const;
    const at = new Date("2026-03-03T12:00:00Z");
    const facts = {
      eventId: 1,
      mode: initialMode,
      kind: "event",
      cameraId: "back",
      riskScore: null,
      startedAt: at,
      endedAt: at,
      storedAt: at,
    } as const;
    const street = {
      name: "street",
      points: [
        { x: 0, y: 0 },
        { x: 1, y: 0 },
        { x: 1, y: 1 },
        { x: 0, y: 1 },
      ],
    };
    for (const objects of [[], [{ objectType: "dog", confidence: 0.1 }]]) {
      const { failedConditions } = evaluate({ ...conditions, object_types: ["person"], camera_ids: ["front"] } as never, {
        ...facts,
        objects,
        ...{ placed: objects.map((seen) => ({ ...seen, feet: { x: 0.5, y: 0.5 }, height: 0.1 })), zones: [street] },
      });
      expect(failedConditions.map(fieldOfCondition)).toEqual([...conditionFields]);
    }
    expect(fieldOfCondition("kind event is not camera_health")).toBeUndefined();
  });
});
