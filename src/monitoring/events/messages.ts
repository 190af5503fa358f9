import { z } from "zod";
import { type Analysis, EventOverview, type OutboundEvent, outboundEvents } from "../../contract/outbound-events.ts";
import type { Alert } from "../../contract/routes/alerts.ts";
import type { Sql } from "../../platform/database/database.ts";
import { releaseDeliverJobs } from "../../work/jobs/deliver-repository.ts";
import { emit, replaceUnsent } from "../../work/outbox/outbox.ts";
import type { Event, RiskLevel } from "./event.ts";
import { findOverviews } from "./overview-repository.ts";

type AlertData = z.output<typeof Alert>;
type AnalysisData = z.output<typeof Analysis>;

/** The data of each message about an event, without the overview of the event. */
interface MessageData {
  readonly alert_fired: AlertData;
  readonly alert_updated: AlertData;
  readonly alert_acknowledged: AlertData;
  readonly alert_dismissed: AlertData;
  readonly event_created: Event;
  readonly event_enriched: { readonly detection_ids: number[] };
  readonly batch_analysis_started: AnalysisData;
  readonly batch_analysis_completed: AnalysisData & { readonly risk_score: number; readonly risk_level: RiskLevel };
  readonly batch_analysis_failed: AnalysisData & { readonly error: string };
}

/** A message about an event for the subscribed webhooks. */
export type EventMessage = {
  [T in keyof MessageData]: {
    readonly type: T;
    /** The id of the event or alert, as text. */
    readonly subject: string;
    /** The id of the event. */
    readonly about: number;
    readonly data: MessageData[T];
    /** The webhooks that get it because the rule of the alert names them. */
    readonly webhookIds?: readonly string[];
  };
}[keyof MessageData];

/** These say what happened, so they wait for the judgement if it is near. */
const waitingTypes: ReadonlySet<string> = new Set(["event_created", "alert_fired"] satisfies (keyof MessageData)[]);

/** A person causes these now, however old the event is. */
const byPeople: ReadonlySet<string> = new Set(["alert_acknowledged", "alert_dismissed"] satisfies (keyof MessageData)[]);

/*
 * Most homes have a judgement within a second. A message that left before it would say that something happened, but not what. So a new
 * message waits, as a job that is available later, and one of these ends the wait:
 *
 *   waits --(the judgement or its failure is stored: the stored data of the message is replaced)--> due
 *     |---(the judge does not answer)--> due, without a judgement
 *     \---(4 s are over)---------------> due, without a judgement
 *
 * The wait is a row like the message, so it survives a crash. Later messages about the same event queue behind it; messages about other
 * events pass it.
 */

/**
 * Emits messages about events, with what happened, in the transaction that caused them. Writes nothing unless a webhook subscribes or is
 * named.
 */
export async function emitAboutEvents(sql: Sql, messages: readonly EventMessage[], now: Date): Promise<void> {
  if (messages.length === 0) return;
  const ids = [...new Set(messages.map(({ about }) => about))];
  const isNamed = messages.some(({ webhookIds = [] }) => webhookIds.length > 0);
  const overviews = await findOverviews(sql, ids, now, isNamed ? undefined : [...new Set(messages.map(({ type }) => type))]);
  const events = messages.flatMap(({ type, subject, about, data, webhookIds = [] }) => {
    const overview = overviews.get(about);
    if (!overview || (overview.isHeldBack && !byPeople.has(type))) return [];
    const due = waitingTypes.has(type) ? overview.judgementDueAt : null;
    const alert = "severity" in data ? { ruleId: data.rule_id, severity: data.severity } : undefined;
    const from = { type, eventId: subject, about: { eventId: about, judgementDueAt: due }, alert, webhookIds };
    const event = { ...from, data: { ...overview.event, ...data } };
    return [event as OutboundEvent];
  });
  await emit(sql, events, now);
}

/**
 * Sends the messages that waited for the judgement of an event, now with its score and summary, or with the failure of its analysis. With
 * `isEvaluated`, rules evaluate the event next: its mails wait for that, so that one mail names all rules.
 */
export async function releaseMessages(sql: Sql, event: Event, now: Date, isEvaluated: boolean): Promise<void> {
  const released = await releaseDeliverJobs(sql, String(event.id), now, isEvaluated ? "webhooks" : "all");
  const deliveries = released.flatMap((subject) => (subject.startsWith("delivery:") ? [subject.slice("delivery:".length)] : []));
  if (deliveries.length === 0) return;
  const overview = (await findOverviews(sql, [event.id], now)).get(event.id)?.event;
  if (!overview) return;
  await replaceUnsent(sql, deliveries, {
    overview: z.encode(EventOverview, overview),
    created: z.encode(outboundEvents.event_created, { ...overview, ...event }),
  });
}
