import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { reevaluateIncidents } from "../../../src/alerting/alerts/suppressed-incidents.ts";
import { endIncidents, openIncident } from "../../../src/monitoring/incidents/incidents.ts";
import { timed } from "../../support/timed.ts";
import { type AlertDesk, openAlertDesk } from "../alerts/alert-desk.ts";

const noon = Date.parse("2026-03-01T12:00:00Z");

let desk: AlertDesk;
beforeAll(async () => {
  desk = await openAlertDesk();
});
afterAll(() => desk.close());
beforeEach(() => desk.empty());

/** An event: seconds after the previous one, its score, and the delay of the score; 0: stored with it, null: never. */
const plan = fc.record({
  after: fc.integer({ min: 1, max: 90 }),
  camera: fc.constantFrom("yard", "gate"),
  score: fc.constantFrom(10, 40, 70, 90),
  judgedAfter: fc.oneof(fc.constantFrom(0, null), fc.integer({ min: 1, max: 200 })),
});
const ruleChanges = fc.record({
  escalate: fc.boolean(),
  risk_threshold: fc.constantFrom(null, null, 40),
  cooldown_seconds: fc.constantFrom(0, 60, 300),
  dedup_key_template: fc.constantFrom("{camera_id}:{rule_id}", "{rule_id}"),
});

/** Lets everything happen at its time. Returns the events in the order of the plan. */
const live = async (plans: readonly (typeof plan extends fc.Arbitrary<infer P> ? P : never)[]): Promise<number[]> => {
  let storedAt = 0;
  const ids: number[] = [];
  const steps = plans.flatMap(({ after, camera, score, judgedAfter }, index) => {
    storedAt += after;
    // Steps do not coincide: events are stored at whole seconds and scored in between.
    const store = {
      at: storedAt * 1_000,
      run: async () => {
        ids[index] = await desk.event({ camera, ...(judgedAfter === 0 && { score }) });
      },
    };
    if (judgedAfter === 0 || judgedAfter === null) return [store];
    const judge = {
      at: (storedAt + judgedAfter) * 1_000 + index + 1,
      run: async () => {
        const id = ids[index] as number;
        const now = desk.context.clock.now();
        await desk.db.query(
          (sql) => sql`
            insert into analysis_attempts (event_id, attempt, started_at, finished_at, outcome) values (${id}, 1, ${now}, ${now}, 'completed')
          `,
        );
        await desk.score(id, score);
      },
    };
    return [store, judge];
  });
  for (const step of steps.toSorted((one, other) => one.at - other.at)) {
    desk.at(new Date(noon + step.at));
    await step.run();
    await desk.look();
  }
  return ids;
};

test("replay: a rule decides on history as it decided live", { ...timed, timeout: 120_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(ruleChanges, fc.array(plan, { minLength: 2, maxLength: 9 }), async (changes, plans) => {
      await desk.empty();
      const rule = await desk.rule(changes);
      const ids = await live(plans);
      const raised = (await desk.alerts()).map(({ event_id, created_at }) => `${ids.indexOf(event_id)} at ${created_at}`);
      desk.at(new Date(noon + 3_600_000));
      const params = { id: rule.id };
      const { tested, events } = await desk.ask("backtestRule", { params });
      const replayed = events.filter(({ alert }) => alert).map(({ event_id, raised_at }) => `${ids.indexOf(event_id)} at ${raised_at}`);
      expect(replayed).toEqual(raised);
      const trial = await desk.ask("testRule", { params });
      expect([tested.alerts_after_cooldown, trial.alerts_after_cooldown]).toEqual([raised.length, raised.length]);
      expect([tested.events_matched, trial.events_matched]).toEqual([events.length, events.length]);
      const days = tested.days.map(({ events_matched, alerts }) => [events_matched, alerts]);
      expect(days).toEqual(events.length === 0 ? [] : [[events.length, raised.length]]);
    }),
    { numRuns: 40 },
  );
});

/** An incident: seconds after the previous one, and its duration; null: still open. */
const incidentPlan = fc.record({
  after: fc.integer({ min: 1, max: 200 }),
  camera: fc.constantFrom("yard", "gate"),
  cause: fc.constantFrom("silent", "black"),
  lasts: fc.oneof(fc.constant(null), fc.integer({ min: 1, max: 900 })),
});
type IncidentPlan = typeof incidentPlan extends fc.Arbitrary<infer P> ? P : never;

/** Evaluates the rules at the end of each cooldown until then, like the daemon. */
const liveUntil = async (ms: number): Promise<void> => {
  const end = new Date(noon + ms);
  for (;;) {
    const now = desk.context.clock.now();
    const [row] = await desk.db.query(
      (sql) => sql<[{ at: Date | null }]>`select min(c.ends_at) as at from cooldowns c where c.ends_at > ${now} and c.ends_at <= ${end}`,
    );
    desk.at(row.at ?? end);
    await desk.db.query((sql) => reevaluateIncidents(sql, row.at ?? end));
    await desk.look();
    if (!row.at) return;
  }
};

const liveIncidents = async (plans: readonly IncidentPlan[]): Promise<void> => {
  const { db, context } = desk;
  const now = () => context.clock.now();
  let begun = 0;
  const steps = plans.flatMap(({ after, camera, cause, lasts }, index) => {
    begun += after;
    const trouble = { cameraId: camera, cause, reason: "Tried" } as const;
    // No two things happen in the same millisecond.
    const begin = {
      at: begun * 1_000 + index,
      run: () => db.transaction((sql) => openIncident(sql, { ...trouble, beganAt: now() }, now())),
    };
    const end = {
      at: (begun + (lasts ?? 0)) * 1_000 + 500 + index,
      run: () => db.transaction((sql) => endIncidents(sql, camera, [cause], now())),
    };
    return lasts === null ? [begin] : [begin, end];
  });
  for (const step of steps.toSorted((one, other) => one.at - other.at)) {
    await liveUntil(step.at);
    await step.run();
    await desk.look();
  }
  await liveUntil(3_600_000);
};

test("replay: a rule about camera incidents decides on history as it decided live", { ...timed, timeout: 120_000 }, async () => {
  const changes = fc.record({
    cooldown_seconds: fc.constantFrom(0, 60, 300),
    dedup_key_template: fc.constantFrom("{camera_id}:{rule_id}", "{rule_id}"),
    digest: fc.boolean(),
    channels: fc.constantFrom<"email"[] | null>(null, ["email"]),
  });
  await fc.assert(
    fc.asyncProperty(changes, fc.array(incidentPlan, { minLength: 2, maxLength: 7 }), async (changed, plans) => {
      await desk.empty();
      const rule = await desk.rule({ ...changed, kind: "camera_health" });
      await liveIncidents(plans);
      const raised = (await desk.alerts()).map(({ event_id, created_at }) => `${event_id} at ${created_at}`);
      const { events } = await desk.ask("backtestRule", { params: { id: rule.id } });
      expect(events.filter(({ alert }) => alert).map(({ event_id, raised_at }) => `${event_id} at ${raised_at}`)).toEqual(raised);
      const trial = await desk.ask("testRule", { params: { id: rule.id } });
      expect(trial.alerts_after_cooldown).toBe(raised.length);
    }),
    { numRuns: 40 },
  );
});
