import { randomUUID } from "node:crypto";
import { z } from "zod";
import { hourMs } from "../../base/clock/clock.ts";
import { localTimeZone } from "../../base/clock/time-zone.ts";
import { outboundEvents } from "../../contract/outbound-events.ts";
import { Problem } from "../../contract/problem.ts";
import type { webhookRoutes } from "../../contract/routes/webhooks.ts";
import { uuidOf } from "../../contract/values.ts";
import type { Sql } from "../../platform/database/database.ts";
import { deleteJobsOfWebhook } from "../../work/jobs/deliver-repository.ts";
import type { OperationContext, Operations } from "../../work/operations/operation.ts";
import { rulesNaming } from "../channels/channels-repository.ts";
import { outcomeOfAnswer } from "../delivery/http-outcome.ts";
import { allRules } from "../rules/rules-repository.ts";
import { TemplateError } from "../templates/template.ts";
import { requireUsable, templateFault } from "./definition.ts";
import { deliveryOperations } from "./delivery-operations.ts";
import { postWebhook, requestFor, type WebhookRequest } from "./request.ts";
import { otherSamples, sampleOf } from "./samples.ts";
import { newSigningSecret } from "./signing.ts";
import {
  authForUrl,
  noSuchWebhook,
  opened,
  openWebhook,
  recordOf,
  type StoredWebhook,
  sealDefinition,
  type Webhook,
  type WebhookDefinition,
} from "./webhook.ts";
import {
  countWebhooks,
  deleteWebhook,
  findWebhook,
  insertWebhook,
  listWebhooks,
  rotateSecret,
  setEnabled,
  updateWebhook,
} from "./webhooks-repository.ts";

/** How long the old secret also signs after a rotation. */
const secretOverlapMs = 24 * hourMs;

/** The operations on outbound webhooks and their deliveries. */
export const webhookOperations: Pick<Operations, keyof typeof webhookRoutes> = {
  ...deliveryOperations,

  createWebhook: async ({ body }, context) => {
    const { sealer, db, clock } = context;
    const definition: WebhookDefinition = {
      ...body,
      ...limitsOf({ rule_ids: body.rule_ids ?? null, severities: body.severities ?? null }),
      auth: body.auth ?? { type: "none" },
      custom_headers: body.custom_headers ?? {},
      payload_template: body.payload_template ?? null,
    };
    await requireUsable(definition, context.outbound);
    await db.query((sql) => requireRules(sql, definition.rule_ids));
    const secret = newSigningSecret();
    const columns = { ...definition, ...sealDefinition(definition, sealer), sealedSecret: sealer.seal(secret) };
    const row = await db.transaction((sql) => insertWebhook(sql, randomUUID(), columns, clock.now()));
    return { ...recordOf(row, sealer), signing_secret: secret };
  },

  listWebhooks: async ({ query }, context) => {
    const { limit, offset } = query;
    const { rows, total } = await context.db.query(async (sql) => ({
      rows: await listWebhooks(sql, query.enabled_only, { limit, offset: offset ?? 0 }),
      total: await countWebhooks(sql, query.enabled_only),
    }));
    return {
      webhooks: rows.map((row) => recordOf(row, context.sealer)),
      total,
      ...(offset !== undefined && { deprecation_warning: "offset is deprecated; use a limit of up to 1000 to list all webhooks" }),
    };
  },

  getWebhook: async ({ params }, context) => recordOf(await required(context, params.id), context.sealer),

  updateWebhook: async ({ params, body }, context) => {
    const { sealer, db, clock } = context;
    // Secrets that were sealed with another key file stay unless the client sets them: the right file may return
    const definitionNow = (row: StoredWebhook): WebhookDefinition => changed({ ...recordOf(row, sealer), auth: { type: "none" } }, body);
    const before = await required(context, params.id);
    await requireUsable(definitionNow(before), context.outbound, (...fields) =>
      fields.some((field) => (body as Readonly<Record<string, unknown>>)[field] !== undefined),
    );
    if (body.rule_ids) await db.query((sql) => requireRules(sql, body.rule_ids ?? null, before.rule_ids ?? []));
    const row = await db.transaction(async (sql) => {
      const current = await findWebhook(sql, before.id, "lock");
      if (!current) throw noSuchWebhook(params.id);
      if (body.name !== undefined && body.name.toLowerCase() !== current.name.toLowerCase()) await requireUnnamed(sql, current, "rename");
      // Another client may have changed other fields meanwhile: only the given ones are overwritten
      const definition = definitionNow(current);
      const { sealedAuth, sealedHeaders } = sealDefinition(definition, sealer);
      const columns = {
        ...definition,
        sealedAuth: body.auth === undefined ? authForUrl(current, definition.url, sealer) : sealedAuth,
        sealedHeaders: body.custom_headers === undefined ? current.sealed_headers : sealedHeaders,
      };
      return await updateWebhook(sql, before.id, columns, clock.now());
    });
    return recordOf(row, sealer);
  },

  deleteWebhook: async ({ params }, { db }) => {
    const id = uuidOf(params.id);
    const isDeleted =
      id !== undefined &&
      (await db.transaction(async (sql) => {
        const webhook = await findWebhook(sql, id);
        if (webhook) await requireUnnamed(sql, webhook, "delete");
        const existed = await deleteWebhook(sql, id);
        await deleteJobsOfWebhook(sql, id);
        return existed;
      }));
    if (!isDeleted) throw noSuchWebhook(params.id);
    return undefined;
  },

  testWebhook: async ({ params, body }, context) => {
    const { clock, config, outbound } = context;
    const webhook = openWebhook(await required(context, params.id), context.sealer, clock.now());
    const now = clock.now();
    const sample = sampleOf(body.event_type, body.kind);
    if (!sample) {
      const msg = `${body.event_type} has no such kind; ${otherSamples[body.kind ?? "camera_health"].type} has`;
      throw new Problem("invalid", `kind: ${msg}`, { items: [{ loc: ["body", "kind"], msg, type: "value_error" }] });
    }
    const data = z.encode(outboundEvents[body.event_type] as z.ZodType, sample.data);
    const id = randomUUID();
    let request: WebhookRequest;
    try {
      // The picture of a sample does not exist
      const event = { eventType: body.event_type, emittedAt: now, data, deliveryId: id, withoutPicture: true };
      request = requestFor(webhook, event, { id, time: now, timeZone: localTimeZone(), links: config });
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error;
      const error_message = `The payload template failed: ${templateFault(error)}`;
      return { success: false, status_code: 0, response_time_ms: 0, response_body: "", error_message };
    }
    const answer = await postWebhook(outbound, request, { timeoutMs: config.webhookTimeoutSeconds * 1000 });
    const outcome = outcomeOfAnswer(answer, now);
    return {
      success: outcome.kind === "sent",
      status_code: answer.kind === "answered" ? answer.status : 0,
      response_time_ms: answer.kind === "refused" ? 0 : Math.round(answer.ms),
      response_body: answer.kind === "answered" ? answer.body : "",
      error_message: outcome.kind === "sent" ? null : outcome.answer,
    };
  },

  enableWebhook: async ({ params }, context) => await switchTo(context, params.id, true),

  disableWebhook: async ({ params }, context) => await switchTo(context, params.id, false),

  rotateWebhookSecret: async ({ params }, { db, sealer, clock }) => {
    const id = uuidOf(params.id);
    const secret = newSigningSecret();
    const now = clock.now();
    const rotated =
      id !== undefined &&
      (await db.transaction(async (sql) => {
        const row = await findWebhook(sql, id, "lock");
        if (!row) return undefined;
        // A secret that was sealed with another key file cannot sign any more
        const previousUntil = new Date(now.getTime() + (opened(row.sealed_secret, sealer) === undefined ? 0 : secretOverlapMs));
        await rotateSecret(sql, id, sealer.seal(secret), { previousUntil, now });
        return { previousUntil };
      }));
    if (!rotated) throw noSuchWebhook(params.id);
    return { id, signing_secret: secret, previous_secret_valid_until: rotated.previousUntil };
  },
};

/** Applies the given fields; null clears those that can be empty. */
function changed(
  webhook: WebhookDefinition,
  change: { readonly [K in keyof WebhookDefinition]?: WebhookDefinition[K] | null | undefined },
): WebhookDefinition {
  const given = Object.fromEntries(
    Object.entries(change).filter(([key, value]) => value !== undefined && value !== null && key in webhook),
  );
  return {
    ...webhook,
    ...(given as Partial<WebhookDefinition>),
    ...(change.auth === null && { auth: { type: "none" as const } }),
    ...(change.custom_headers === null && { custom_headers: {} }),
    ...(change.payload_template === null && { payload_template: null }),
    ...limitsOf({ rule_ids: webhook.rule_ids, severities: webhook.severities, ...defined(change) }),
  };
}

type Limits = Pick<WebhookDefinition, "rule_ids" | "severities">;

/** Returns the limits that a change gives. */
function defined({ rule_ids, severities }: { readonly [K in keyof Limits]?: Limits[K] | undefined }): Partial<Limits> {
  return { ...(rule_ids !== undefined && { rule_ids }), ...(severities !== undefined && { severities }) };
}

/** An empty limit is none. */
function limitsOf({ rule_ids, severities }: Limits): Limits {
  const unlessEmpty = <T>(list: T[] | null): T[] | null => (list && list.length > 0 ? [...new Set(list)] : null);
  return { rule_ids: unlessEmpty(rule_ids), severities: unlessEmpty(severities) };
}

/** Throws `Problem("invalid")`, which names the rules that exist, for ids of none. Rules that were deleted may stay in a limit. */
async function requireRules(sql: Sql, ids: readonly string[] | null, kept: readonly string[] = []): Promise<void> {
  if (ids === null || ids.length === 0) return;
  const rules = await allRules(sql);
  const unknown = ids.filter((id) => !kept.includes(id) && !rules.some((rule) => rule.id === id));
  if (unknown.length === 0) return;
  const known = rules.map(({ id, name }) => `${name} (${id})`).join(", ");
  const msg = `There is no rule ${unknown.join(" or ")}; ${known === "" ? "there are no rules" : `the rules are ${known}`}`;
  throw new Problem("invalid", `rule_ids: ${msg}`, { items: [{ loc: ["body", "rule_ids"], msg, type: "value_error" }] });
}

/** A rule names the webhook by this name. Throws `Problem("conflict")`, which names the rules. */
async function requireUnnamed(sql: Sql, { id, name }: StoredWebhook, action: "rename" | "delete"): Promise<void> {
  // A rename leaves the id
  const rules = await rulesNaming(sql, action === "rename" ? [name] : [name, id]);
  if (rules.length === 0) return;
  throw new Problem("conflict", `These rules name the webhook ${name}: ${rules.join(", ")}; change them before you ${action} it`);
}

async function switchTo(context: OperationContext, text: string, enabled: boolean): Promise<Webhook> {
  const id = uuidOf(text);
  const row = id && (await context.db.transaction((sql) => setEnabled(sql, id, enabled, null, context.clock.now())));
  if (!row) throw noSuchWebhook(text);
  return recordOf(row, context.sealer);
}

async function required({ db }: OperationContext, text: string): Promise<StoredWebhook> {
  const id = uuidOf(text);
  const row = id && (await db.query((sql) => findWebhook(sql, id)));
  if (!row) throw noSuchWebhook(text);
  return row;
}
