import { z } from "zod";
import { type OutboundEvent, type OutboundEventType, outboundEvents } from "../../contract/outbound-events.ts";
import type { WebhookAuth } from "../../contract/routes/webhook-headers.ts";
import { traceHeader } from "../../platform/outbound/headers.ts";
import type { Outbound, OutboundAnswer } from "../../platform/outbound/outbound.ts";
import { type LinkSettings, withLinks } from "../delivery/links.ts";
import { maskSecrets } from "../delivery/texts.ts";
import { compileTemplate, renderTemplate } from "../templates/template.ts";
import { chatFormats } from "./formats/chat-formats.ts";
import { type Message, messageOf } from "./formats/message.ts";
import { headlineOf, plainText } from "./formats/texts.ts";
import { signatureHeaders } from "./signing.ts";
import { chatIdHeader, type OpenWebhook, type WebhookDefinition } from "./webhook.ts";

/** The event that a delivery reports. `data` is as JSON, not decoded. */
interface ReportedEvent {
  readonly eventType: OutboundEventType;
  readonly emittedAt: Date;
  readonly data: unknown;
  /** The camera's display name, for chat messages. */
  readonly cameraName?: string | null;
  readonly webhookId: string;
  readonly deliveryId: string;
  /** Leaves out the picture, as in a retry: a chat that cannot load it may have refused the message for it. */
  readonly withoutPicture?: boolean;
}

/** The reader's place: the zone of times in texts, and the address of homesec in links. */
export interface Place {
  readonly timeZone: string;
  readonly links: LinkSettings;
}

/** The values that a template sees beside the keys of the data. */
export interface TemplatePayload {
  readonly event_type: OutboundEventType;
  readonly timestamp: string;
  readonly webhook_id: string;
  readonly delivery_id: string;
  readonly data: unknown;
  /** The message as a chat would show it: one line, then sentences and facts. */
  readonly title: string;
  readonly text: string;
}

/**
 * Writes the body of a request: from the webhook's template, or in the format of its platform. Throws `TemplateError` when the template
 * fails on this event, and `ZodError` when this version does not know the shape of the stored data.
 */
export function bodyOf(
  webhook: Pick<WebhookDefinition, "url" | "custom_headers" | "payload_template" | "integration_type">,
  reported: ReportedEvent,
  place: Place,
): string {
  const wire = withLinks(reported.data, place.links);
  const payload = {
    event_type: reported.eventType,
    timestamp: reported.emittedAt.toISOString(),
    webhook_id: reported.webhookId,
    delivery_id: reported.deliveryId,
    data: wire,
  };
  if (webhook.payload_template === null && webhook.integration_type === "generic") return JSON.stringify(payload);
  const data = z.decode(outboundEvents[reported.eventType] as z.ZodType, wire);
  const event = { type: reported.eventType, eventId: "", data } as OutboundEvent;
  const { picture, ...texts } = messageOf(event, reported.emittedAt, place.timeZone, reported.cameraName);
  const message: Message = { ...texts, ...(picture !== undefined && !reported.withoutPicture && { picture }) };
  if (webhook.payload_template !== null) {
    const values: TemplatePayload = { ...payload, title: headlineOf(message), text: plainText(message) };
    return renderTemplate(compileTemplate(webhook.payload_template), { ...(wire as object), ...values });
  }
  return JSON.stringify(chatFormats[webhook.integration_type as keyof typeof chatFormats](message, webhook));
}

/** An HTTP POST to a webhook. */
export interface WebhookRequest {
  readonly url: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The secrets in its headers. An answer may repeat them, and nobody may read them there. */
  readonly secrets: readonly string[];
}

/** Writes the request that reports an event under a message id. Throws as `bodyOf` does. */
export function requestFor(
  webhook: OpenWebhook,
  reported: Omit<ReportedEvent, "webhookId">,
  message: Place & { readonly id: string; readonly time: Date; readonly trace?: string | null },
): WebhookRequest {
  const body = bodyOf(webhook, { ...reported, webhookId: webhook.id }, message);
  return { url: webhook.url, body, headers: headersOf(webhook, { ...message, body }), secrets: secretsOf(webhook.auth) };
}

/** Returns all headers of a request with exactly this body: custom headers, authentication, content type and signature. */
function headersOf(
  webhook: Pick<OpenWebhook, "custom_headers" | "auth" | "signingSecrets" | "integration_type">,
  message: { readonly id: string; readonly time: Date; readonly body: string; readonly trace?: string | null },
): Readonly<Record<string, string>> {
  const isBot = webhook.integration_type === "bot_markdown";
  const custom = Object.entries(webhook.custom_headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  return {
    ...traceHeader(message.trace),
    ...Object.fromEntries(custom.filter(([name]) => !(isBot && name === chatIdHeader))),
    ...authHeaders(webhook.auth),
    "content-type": isJson(message.body) ? "application/json" : "text/plain; charset=utf-8",
    ...signatureHeaders(webhook.signingSecrets, message),
  };
}

function authHeaders(auth: WebhookAuth): Readonly<Record<string, string>> {
  switch (auth.type) {
    case "none":
      return {};
    case "bearer":
      return { authorization: `Bearer ${auth.token}` };
    case "basic":
      return { authorization: `Basic ${Buffer.from(`${auth.username}:${auth.credential}`).toString("base64")}` };
    case "header":
      return { [String(auth.header_name).toLowerCase()]: String(auth.header_value) };
  }
}

/** The secret of an authentication, in each form in which it is sent. */
function secretsOf(auth: WebhookAuth): readonly string[] {
  const headers = Object.values(authHeaders(auth)).map((value) => value.replace(/^(?:Bearer|Basic) /, ""));
  return auth.type === "basic" ? [...headers, auth.credential ?? ""] : headers;
}

/** A template may render any text. */
function isJson(body: string): boolean {
  try {
    JSON.parse(body);
    return true;
  } catch {
    return false;
  }
}

/**
 * Sends a request to a webhook; never rejects. Replaces secrets of the request in the answer: a target that repeats what it receives must not
 * show stored secrets to everyone who may read answers.
 */
export async function postWebhook(
  outbound: Pick<Outbound, "post">,
  { secrets, ...request }: WebhookRequest,
  options: { readonly timeoutMs: number; readonly signal?: AbortSignal },
): Promise<OutboundAnswer> {
  const answer = await outbound.post({ ...request, ...options });
  return answer.kind === "answered" ? { ...answer, body: maskSecrets(answer.body, secrets) } : answer;
}
