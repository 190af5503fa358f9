import { covers } from "../../alerting/silences/silence.ts";
import { activeSilences } from "../../alerting/silences/silences-repository.ts";
import { notFound } from "../../contract/problem.ts";
import type { explainRoutes } from "../../contract/routes/explain.ts";
import { uuidOf } from "../../contract/values.ts";
import { requireImage } from "../../monitoring/images/ledger-repository.ts";
import type { Sql } from "../../platform/database/database.ts";
import type { Operations } from "../../work/operations/operation.ts";
import { eventOfAlert } from "./alerts-repository.ts";
import { chainOfEvent, type EventChain, knownTo } from "./event.ts";
import type { Known } from "./event-steps.ts";
import { explainImage } from "./image.ts";
import { explainMoment } from "./moment.ts";
import { outcomeOfAlert, outcomeOfEvent } from "./outcome.ts";
import { explainPath } from "./path.ts";
import { silenceStep } from "./rule-steps.ts";
import type { Explanation, Step } from "./step.ts";

/** Maximum number of silences in an explanation. */
const maxSilences = 20;

/** Operations that explain why something happened or did not. They read what each stage stored, and evaluate nothing again. */
export const explainOperations: Pick<Operations, keyof typeof explainRoutes> = {
  explainEvent: async ({ params }, context) => {
    const chain = await context.db.query((sql) => chainOfEvent(sql, params.event_id, knownTo(context)));
    if (!chain) throw notFound("Event", params.event_id);
    return {
      subject: { type: "event", id: String(params.event_id) },
      found: true,
      trace: chain.event.batch_id,
      outcome: outcomeOfEvent(chain),
      steps: [...chain.before, ...chain.after],
    };
  },

  explainImage: async ({ params }, context) =>
    await context.db.query(async (sql) => {
      const image = await requireImage(sql, params.image_id);
      return { subject: { type: "image", id: String(image.id) }, found: true, ...(await explainImage(sql, image, knownTo(context))) };
    }),

  explainPath: async ({ query }, context) => await explainPath(query.path, context),

  explainAlert: async ({ params }, context) => await context.db.query((sql) => explainAlert(sql, params.alert_id, knownTo(context))),

  explainMoment: async ({ params, query }, { db, clock, config, settings }) =>
    await db.query((sql) =>
      explainMoment(sql, {
        cameraId: params.camera_id,
        at: query.at,
        withinMs: query.within_seconds * 1000,
        now: clock.now(),
        offlineAfterSeconds: config.cameraOfflineAfterSeconds,
        retentionDays: settings.current().retentionDays,
      }),
    ),
};

async function explainAlert(sql: Sql, alertId: string, known: Known): Promise<Explanation> {
  const id = uuidOf(alertId);
  const eventId = id && (await eventOfAlert(sql, id));
  const chain = eventId && (await chainOfEvent(sql, eventId, known));
  if (!id || !chain) throw notFound("Alert", alertId);
  const alert = chain.alerts.find((each) => each.id === id);
  const subject = { cameraId: chain.event.camera_id, ruleId: alert?.rule_id ?? "" };
  // active silences explain why no later alert came
  const silences = (await activeSilences(sql, known.now, maxSilences)).filter((silence) => covers(silence, subject));
  const steps = [...[...chain.before, ...chain.after].filter((step) => concerns(step, id, chain)), ...silences.map(silenceStep)];
  return { subject: { type: "alert", id }, found: true, trace: chain.event.batch_id, outcome: outcomeOfAlert(chain, id), steps };
}

/** Whether a step in the chain of the event concerns this alert, and not only another alert of the event. */
function concerns({ step, details }: Step, alertId: string, { notifications }: EventChain): boolean {
  switch (step) {
    case "rule":
    case "alert":
    case "notification":
      return details["alert_id"] === alertId;
    case "notification_attempt": {
      const id = details["notification_id"];
      return notifications.some((each) => each.alert_id === alertId && (each.joined_to ?? each.notification_id) === id);
    }
    case "webhook_delivery":
    case "webhook_attempt":
      return details["event_id"] === alertId;
    default:
      return true;
  }
}
