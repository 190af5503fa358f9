import { randomUUID } from "node:crypto";
import { minuteMs } from "../../base/clock/clock.ts";
import type { Sql } from "../../platform/database/database.ts";
import { insertChange } from "../../platform/keys/changes-repository.ts";
import { appendToJournal } from "../../work/journal/journal.ts";
import { findAlert } from "../alerts/alerts-repository.ts";
import { endOpenAlert } from "../alerts/ending.ts";
import { silencedMinutes } from "../notifications/answer-token.ts";
import { momentText } from "../notifications/phone-text.ts";
import { insertSilence } from "../silences/silences-repository.ts";
import { type Answer, type AnsweredAlert, answersTo, insertAnswer, lockAlertsOf } from "./answers-repository.ts";

/** The effect of an answer, with the sentence that the phone shows. `repeated`: another answer had this effect already. */
export interface AnswerEffect {
  readonly kind: "done" | "repeated" | "gone";
  readonly text: string;
}

/**
 * Carries out an answer in the caller's transaction, once, and stores who gave it. The answer counts for each alert that its message
 * reported. The caller must not hold a lock on an alert.
 */
export async function applyAnswer(sql: Sql, answer: Answer, at: { readonly now: Date; readonly timeZone: string }): Promise<AnswerEffect> {
  const alerts = await lockAlertsOf(sql, answer.notificationId);
  const [first] = alerts;
  if (!first) return { kind: "gone", text: "homesec deleted this alert" };
  return answer.action === "silence" ? await silence(sql, first, answer, at) : await end(sql, first, alerts, answer, at);
}

type Place = Parameters<typeof applyAnswer>[2];

async function end(
  sql: Sql,
  first: AnsweredAlert,
  alerts: readonly AnsweredAlert[],
  answer: Answer,
  { now, timeZone }: Place,
): Promise<AnswerEffect> {
  const status = answer.action === "acknowledge" ? "acknowledged" : "dismissed";
  let isDone = false;
  for (const { id } of alerts) {
    if (!(await endOpenAlert(sql, id, { status, by: answer.by }, now))) continue;
    isDone = true;
    await insertAnswer(sql, id, answer, now);
    const operation = answer.action === "acknowledge" ? "acknowledgeAlert" : "dismissAlert";
    await insertChange(sql, { by: answer.by, role: "resident", operation, subjects: [`alerts/${id}`], fields: [] }, now);
  }
  if (isDone) return { kind: "done", text: answer.action === "acknowledge" ? "Acknowledged" : "Dismissed: not interesting" };
  const alert = await findAlert(sql, first.id);
  const by = alert?.alert_metadata.closed_by === undefined ? "" : ` by ${alert.alert_metadata.closed_by}`;
  const endedAt = alert?.acknowledged_at ?? alert?.dismissed_at;
  const when = endedAt ? ` at ${momentText(endedAt, now, timeZone)}` : "";
  return { kind: "repeated", text: `Already ${alert?.status ?? status}${by}${when}` };
}

async function silence(sql: Sql, alert: AnsweredAlert, answer: Answer, { now, timeZone }: Place): Promise<AnswerEffect> {
  const camera = alert.cameraName;
  if (!(await insertAnswer(sql, alert.id, answer, now))) {
    const earlier = (await answersTo(sql, [alert.id])).find(({ action }) => action === answer.action);
    const when = earlier ? ` by ${earlier.answered_by} at ${momentText(earlier.answered_at, now, timeZone)}` : "";
    return { kind: "repeated", text: `${camera} was already silenced${when}` };
  }
  const endsAt = new Date(now.getTime() + silencedMinutes * minuteMs);
  const reason = "Silenced from a phone";
  const created = await insertSilence(sql, { id: randomUUID(), cameraId: alert.camera_id, rule: null, reason, endsAt, by: answer.by }, now);
  await appendToJournal(sql, [{ type: "silence.started", data: created }], now);
  const subjects = [`silences/${created.id}`, `alerts/${alert.id}`];
  await insertChange(sql, { by: answer.by, role: "resident", operation: "createSilence", subjects, fields: ["camera_id"] }, now);
  return { kind: "done", text: `${camera} is silenced until ${momentText(endsAt, now, timeZone)}` };
}
