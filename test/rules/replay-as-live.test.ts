import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type AlertDesk, openAlertDesk } from "../alerts/alert-desk.ts";
import { timed } from "../support/timed.ts";

const noon = Date.parse("2026-03-01T12:00:00Z");

let desk: AlertDesk;
beforeAll(async () => {
  desk = await openAlertDesk();
});
afterAll(() => desk.close());
beforeEach(() => desk.empty());

/** An event: how many seconds after the one before it is stored, its score, and how long after that it has it; 0: it comes with it, null: never. */
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

/** Has everything happen at its time. Returns the events by their order in the plan. */
const live = async (plans: readonly (typeof plan extends fc.Arbitrary<infer P> ? P : never)[]): Promise<number[]> => {
  let storedAt = 0;
  const ids: number[] = [];
  const steps = plans.flatMap(({ after, camera, score, judgedAfter }, index) => {
    storedAt += after;
    // steps lie apart, so that each has its place: what is stored at whole seconds, what is judged in between
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

test("a rule makes of history what it made of it when it happened", { ...timed, timeout: 120_000 }, async () => {
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
