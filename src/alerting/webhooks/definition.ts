import { z } from "zod";
import { outboundEvents } from "../../contract/outbound-events.ts";
import { Problem, type ProblemType } from "../../contract/problem.ts";
import type { Outbound } from "../../platform/outbound/outbound.ts";
import { compileTemplate, type Template, TemplateError } from "../templates/template.ts";
import { bodyOf } from "./request.ts";
import { samplesOf } from "./samples.ts";
import { unknownName } from "./template-names.ts";
import type { WebhookDefinition } from "./webhook.ts";

/** The webhook's and the delivery's id in a sample. */
const sampleId = "00000000-0000-4000-8000-000000000000";

/**
 * Rejects a definition that cannot work: a URL that homesec must not call, or a template that fails on a sample of one of its event types.
 * Checks only what the `given` fields affect. Throws `Problem("invalid")`, which names the field.
 */
export async function requireUsable(
  webhook: WebhookDefinition,
  outbound: Outbound,
  given: (...fields: readonly (keyof WebhookDefinition)[]) => boolean = () => true,
): Promise<void> {
  if (given("url")) await requireCallable(webhook, outbound);
  if (given("payload_template", "integration_type", "event_types")) requireRenders(webhook);
}

async function requireCallable(webhook: WebhookDefinition, outbound: Outbound): Promise<void> {
  const url = URL.canParse(webhook.url) ? new URL(webhook.url) : undefined;
  if (!url || !["http:", "https:"].includes(url.protocol)) {
    throw invalid("url", "url_parsing", "Must be a URL that starts with http:// or https://");
  }
  if (url.username !== "" || url.password !== "") {
    throw invalid("url", "value_error", "Must contain no user name or password; use auth of type basic instead");
  }
  const refusal = await outbound.refusalOf(webhook.url);
  if (refusal !== undefined) throw invalid("url", "value_error", refusal);
}

function requireRenders(webhook: WebhookDefinition): void {
  if (webhook.payload_template === null) return;
  const unknown = unknownName(compiled(webhook.payload_template), webhook.event_types);
  if (unknown) throw invalid("payload_template", "value_error", `line ${unknown.line}: ${unknown.message}`);
  for (const { type: eventType, data } of webhook.event_types.flatMap(samplesOf)) {
    const wire = z.encode(outboundEvents[eventType] as z.ZodType, data);
    try {
      bodyOf(
        webhook,
        { eventType, emittedAt: new Date("2026-01-31T22:15:41Z"), data: wire, webhookId: sampleId, deliveryId: sampleId },
        { timeZone: "UTC", links: { publicUrl: undefined, webEnabled: true } },
      );
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error;
      throw invalid("payload_template", "value_error", `${templateFault(error)} (tried with ${eventType})`);
    }
  }
}

function compiled(source: string): Template {
  try {
    return compileTemplate(source);
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    throw invalid("payload_template", "value_error", templateFault(error));
  }
}

/** Describes the fault of a template, with its line and name. */
export function templateFault({ line, name, message }: TemplateError): string {
  const where = message.includes(`line ${line}`) ? "" : `line ${line}: `;
  return `${where}${message}${message.includes(name) ? "" : ` (${name})`}`;
}

function invalid(field: string, type: ProblemType, msg: string): Problem {
  return new Problem("invalid", `${field}: ${msg}`, { items: [{ loc: ["body", field], msg, type }] });
}
