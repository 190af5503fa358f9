import type { z } from "zod";
import { notFound, Problem } from "../../contract/problem.ts";
import type { RetentionChange, retentionRoutes } from "../../contract/routes/system-retention.ts";
import { findCamera } from "../../monitoring/cameras/cameras-repository.ts";
import type { OperationContext, Operations } from "../../work/operations/operation.ts";
import { previewCleanup } from "./cleanup.ts";
import { periodsOf, type RetentionRule } from "./retention.ts";
import { deleteRule, listRules, putRule, type StoredRule } from "./rules-repository.ts";

/** The use cases of retention rules: how long data of a camera or a risk level is kept. */
export const retentionOperations: Pick<Operations, keyof typeof retentionRoutes> = {
  listRetention: async (_request, context) => {
    const rules = await context.db.query(listRules);
    const { retentionDays } = context.settings.current();
    return {
      retention_days: retentionDays,
      delete_images: context.config.deleteImages,
      rules: rules.map((rule) => recordOf(rule, context)),
    };
  },

  setRetention: async ({ body }, context) => {
    const rule = await checkedRule(body, context);
    const id = await context.db.transaction((sql) => putRule(sql, rule, context.clock.now()));
    return recordOf({ ...rule, id }, context);
  },

  previewRetention: async ({ body }, context) => {
    const rule = await checkedRule(body, context);
    const others = (await context.db.query(listRules)).filter(
      (each) => each.camera_id !== rule.camera_id || each.risk_level !== rule.risk_level,
    );
    return await previewCleanup(context, [...others, rule], context.caller?.gone);
  },

  deleteRetention: async ({ params: { rule_id: id } }, { db }) => {
    await db.transaction(async (sql) => {
      if (!(await deleteRule(sql, id))) throw notFound("Retention rule", id);
    });
    return undefined;
  },
};

function recordOf(rule: StoredRule, { settings }: OperationContext) {
  const { events, originals, thumbnails } = periodsOf(rule, settings.current().retentionDays);
  return { ...rule, effective: { event_days: events, original_days: originals, thumbnail_days: thumbnails } };
}

/** Returns the rule of a request. Throws `Problem` for a rule that homesec could not carry out. */
async function checkedRule(body: z.output<typeof RetentionChange>, { db, config, settings }: OperationContext): Promise<RetentionRule> {
  const { camera_id = null, risk_level = null, event_days = null, original_days = null, thumbnail_days = null } = body;
  const { retentionDays } = settings.current();
  if (camera_id === null && risk_level === null)
    throw new Problem("invalid", "Name a camera, a risk level, or both; RETENTION_DAYS is the period of everything else");
  if (event_days === null && original_days === null && thumbnail_days === null)
    throw new Problem("invalid", "Give at least one period: for events, originals or thumbnails");
  if (original_days !== null && !config.deleteImages)
    throw new Problem("invalid", "homesec deletes no original pictures while DELETE_IMAGES=false; set it to true first");
  const events = event_days ?? retentionDays;
  const longer = (
    [
      ["original pictures", original_days],
      ["thumbnails", thumbnail_days],
    ] as const
  ).find(([, days]) => (days ?? 0) > events);
  if (longer) {
    const [what, days] = longer;
    const why = event_days === null ? `RETENTION_DAYS is ${events}` : `the events are kept for ${events} days`;
    throw new Problem("invalid", `The ${what} cannot be kept for ${days} days: ${why}, and pictures go with their event at the latest`);
  }
  if (camera_id !== null && !(await db.query((sql) => findCamera(sql, camera_id)))) throw notFound("Camera", camera_id);
  return { camera_id, risk_level, event_days, original_days, thumbnail_days };
}
