import { z } from "zod";
import { notFound, Problem } from "../../contract/problem.ts";
import type { alertRoutes } from "../../contract/routes/alerts.ts";
import { uuidOf } from "../../contract/values.ts";
import { readPage, timeKey } from "../../platform/database/keyset.ts";
import type { OperationContext, Operations } from "../../work/operations/operation.ts";
import type { Alert } from "./alert.ts";
import { countAlerts, findAlert, listAlerts } from "./alerts-repository.ts";
import { type AlertEnd, endOpenAlert } from "./ending.ts";

/** The use cases of alerts. */
export const alertOperations: Pick<Operations, keyof typeof alertRoutes> = {
  listAlerts: async ({ query }, { db }) => {
    const filter = {
      status: query.status,
      severity: query.severity,
      ruleId: query.rule_id,
      cameraId: query.camera_id,
      eventId: query.event_id,
      from: query.start_date,
      to: query.end_date,
    };
    return await readPage(db, query, {
      name: "alerts",
      key: timeKey(z.uuid()),
      rows: (sql, slice) => listAlerts(sql, { filter, ...slice }),
      count: (sql) => countAlerts(sql, filter),
    });
  },

  getAlert: async ({ params }, { db }) => {
    const id = uuidOf(params.id);
    const alert = id && (await db.query((sql) => findAlert(sql, id)));
    if (!alert) throw notFound("Alert", params.id);
    return alert;
  },

  acknowledgeAlert: async ({ params: { id } }, context) => await end(context, id, "acknowledged"),

  dismissAlert: async ({ params: { id } }, context) => await end(context, id, "dismissed"),
};

/** Acknowledges or dismisses an alert; the second of two requests gets a conflict. */
async function end({ db, clock, caller }: OperationContext, text: string, status: AlertEnd["status"]): Promise<Alert> {
  const id = uuidOf(text);
  if (id === undefined) throw notFound("Alert", text);
  return await db.transaction(async (sql) => {
    const ended = await endOpenAlert(sql, id, { status, by: caller?.access?.name }, clock.now());
    if (ended) return ended;
    const current = await findAlert(sql, id);
    if (!current) throw notFound("Alert", text);
    throw new Problem("conflict", `Alert ${id} is ${current.status} already; that is final`);
  });
}
