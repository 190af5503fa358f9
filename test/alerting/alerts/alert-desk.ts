import { randomUUID } from "node:crypto";
import type { StoredVerdict } from "../../../src/alerting/alerts/verdicts-repository.ts";
import type { NotificationSettings } from "../../../src/alerting/channels/availability.ts";
import { channelAvailability } from "../../../src/alerting/channels/availability.ts";
import type { Rule, RuleDefinition } from "../../../src/alerting/rules/rule.ts";
import { insertRule } from "../../../src/alerting/rules/rules-repository.ts";
import { silentLog } from "../../../src/base/log/log.ts";
import { storeVerdict } from "../../../src/monitoring/events/analysis.ts";
import { createAlertStage } from "../../../src/pipeline/alert.ts";
import { claimNextJobs } from "../../../src/work/jobs/jobs-repository.ts";
import { emptyTables } from "../../support/empty-tables.ts";
import { type Desk, openDesk, type Wire } from "../../support/operations.ts";
import { definitionWith } from "../rules/rule-values.ts";

export type Verdict = Omit<StoredVerdict, "rule_version"> & { readonly event_id: number };
export type AlertRecord = Wire<"getAlert">;

/** Variables that make mail possible, as far as the configuration goes. */
export const withMail = { SMTP_HOST: "127.0.0.1", SMTP_FROM_ADDRESS: "homesec@example.org", DEFAULT_EMAIL_RECIPIENTS: "ada@example.org" };

const noon = new Date("2026-03-01T12:00:00Z");

/** A desk with the cameras `yard` and `gate`, and rules that run on request. */
export interface AlertDesk extends Desk {
  readonly delivery: NotificationSettings;
  rule(changes?: Partial<RuleDefinition>): Promise<Rule>;
  /** Stores an event, scored if a score is given, and returns its id. */
  event(fields?: { readonly camera?: string; readonly score?: number; readonly seen?: Readonly<Record<string, number>> }): Promise<number>;
  /** Gives an event a score, like an analysis. */
  score(eventId: number, score: number): Promise<void>;
  /** Runs all pending evaluations. */
  look(): Promise<void>;
  /** All alerts, oldest first. */
  alerts(): Promise<readonly AlertRecord[]>;
  verdicts(eventId?: number): Promise<readonly Verdict[]>;
  empty(): Promise<void>;
}

/** Creates a desk. Close it in `afterAll`. */
export async function openAlertDesk(variables: Readonly<Record<string, string>> = {}): Promise<AlertDesk> {
  const desk = await openDesk(variables);
  const { db, context } = desk;
  const processId = randomUUID();
  const delivery = { availability: channelAvailability(context.config), expiryHours: context.config.alertExpiryHours };
  const stage = createAlertStage({
    db,
    clock: context.clock,
    delivery,
    log: silentLog,
    onVerdicts: () => {},
  });
  const now = () => context.clock.now();

  const addDetections = (eventId: number, camera: string, seen: Readonly<Record<string, number>>) =>
    db.query(async (sql) => {
      for (const [type, confidence] of Object.entries(seen)) {
        await sql`
          insert into detections (camera_id, event_id, file_path, detected_at, object_type, confidence)
          values (${camera}, ${eventId}, '/a.jpg', ${now()}, ${type}, ${confidence})
        `;
      }
    });

  return {
    ...desk,
    delivery,
    rule: (changes = {}) => db.query((sql) => insertRule(sql, definitionWith(changes), now())),
    event: async ({ camera = "yard", score, seen = {} } = {}) => {
      const event = { camera_id: camera, started_at: now().toISOString(), ...(score !== undefined && { risk_score: score }) };
      const { results } = await desk.ask("createEvents", { body: { events: [event] } });
      const id = results[0]?.id as number;
      await addDetections(id, camera, seen);
      return id;
    },
    score: async (eventId, riskScore) => {
      const verdict = { riskScore, summary: "Somebody.", reasoning: "At night.", riskFactors: [] };
      const thresholds = context.settings.current().riskScoreThresholds;
      await db.transaction((sql) => storeVerdict(sql, { eventId, attempt: 1, verdict, analyzedBy: "tester", thresholds, now: now() }));
    },
    look: async () => {
      const claim = { queue: "alert", processId, now: now() } as const;
      for (let jobs = await db.query((sql) => claimNextJobs(sql, claim, 100)); jobs.length > 0; ) {
        for (const job of jobs) await stage.run(job, new AbortController().signal, () => {});
        jobs = await db.query((sql) => claimNextJobs(sql, claim, 100));
      }
    },
    alerts: async () => (await desk.ask("listAlerts", { query: "limit=1000" })).items.toReversed(),
    verdicts: (eventId) =>
      db.query(
        async (sql) =>
          await sql<Verdict[]>`
          select v.event_id, v.rule_id, v.rule_name, v.outcome, v.matched_conditions, v.failed_conditions, v.alert_id, v.suppressed_by,
            v.suppressed_until, v.silence_id, v.silence_reason, v.silence_by
          from rule_verdicts v
          where ${eventId ?? null}::bigint is null or v.event_id = ${eventId ?? null}
          order by v.event_id, v.rule_name
        `,
      ),
    empty: async () => {
      await db.query(async (sql) => {
        await emptyTables(sql, "cameras, rules, rule_verdicts, cooldowns, jobs, journal");
        await sql`
          insert into cameras (camera_id, name, folder_path, created_at, updated_at)
          select c.id, initcap(c.id), '/' || c.id, ${noon}::timestamptz, ${noon}::timestamptz
          from unnest(array['yard', 'gate']) c (id)
        `;
      });
      desk.at(noon);
    },
  };
}
