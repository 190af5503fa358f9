import { z } from "zod";
import { type OutboundEvent, type OutboundEventType, outboundEvents } from "../../contract/outbound-events.ts";
import type { WebhookAuth } from "../../contract/routes/webhook-headers.ts";
import { traceHeader } from "../../platform/outbound/trace.ts";
import { compileTemplate, renderTemplate } from "../templates/template.ts";
import { botMarkdown } from "./formats/bot-markdown.ts";
import { chatBlocks } from "./formats/chat-blocks.ts";
import { chatEmbeds } from "./formats/chat-embeds.ts";
import { messageOf } from "./formats/message.ts";
import { teamCards } from "./formats/team-cards.ts";
import { signatureHeaders } from "./signing.ts";
import type { OpenWebhook, WebhookDefinition } from "./webhook.ts";

/** What is to be told, with `data` in the form of the wire. */
export interface Told {
  readonly eventType: OutboundEventType;
  readonly emittedAt: Date;
  readonly data: unknown;
  /** What people call the camera that it is about, for the forms of chats. */
  readonly cameraName?: string | null;
  readonly webhookId: string;
  readonly deliveryId: string;
}

/** Where the chat of a bot stands when it is not in the query of the URL. This header is not sent. */
export const chatIdHeader = "x-chat-id";

/**
 * The body for a webhook: its template, or the form of its platform. Throws `TemplateError` when the template fails on
 * this event, and `ZodError` when stored data is of a form that this version does not know.
 */
export function bodyOf(
  webhook: Pick<WebhookDefinition, "url" | "custom_headers" | "payload_template" | "integration_type">,
  told: Told,
  timeZone: string,
): string {
  const payload = {
    event_type: told.eventType,
    timestamp: told.emittedAt.toISOString(),
    webhook_id: told.webhookId,
    delivery_id: told.deliveryId,
    data: told.data,
  };
  if (webhook.payload_template !== null) {
    return renderTemplate(compileTemplate(webhook.payload_template), { ...(told.data as object), ...payload });
  }
  if (webhook.integration_type === "generic") return JSON.stringify(payload);
  const data = z.decode(outboundEvents[told.eventType] as z.ZodType, told.data);
  const event = { type: told.eventType, eventId: "", data } as OutboundEvent;
  const message = messageOf(event, told.emittedAt, timeZone, told.cameraName);
  switch (webhook.integration_type) {
    case "chat_blocks":
      return JSON.stringify(chatBlocks(message));
    case "chat_embeds":
      return JSON.stringify(chatEmbeds(message));
    case "bot_markdown":
      return JSON.stringify(botMarkdown(message, chatIdOf(webhook)));
    case "team_cards":
      return JSON.stringify(teamCards(message));
  }
}

/** The chat that a bot writes into: from the URL's query, or from a custom header. What stands before a bot may know it by itself. */
export function chatIdOf({ url, custom_headers }: Pick<WebhookDefinition, "url" | "custom_headers">): string | undefined {
  const header = Object.entries(custom_headers).find(([name]) => name.toLowerCase() === chatIdHeader)?.[1];
  return new URL(url).searchParams.get("chat_id") || header || undefined;
}

/** All headers of a request with exactly this body: custom ones, authentication, type and signature. */
export function headersOf(
  webhook: Pick<OpenWebhook, "custom_headers" | "auth" | "signingSecrets" | "integration_type">,
  message: { readonly id: string; readonly time: Date; readonly body: string; readonly trace?: string | null },
): Readonly<Record<string, string>> {
  const isBot = webhook.integration_type === "bot_markdown";
  const own = Object.entries(webhook.custom_headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  return {
    ...traceHeader(message.trace),
    ...Object.fromEntries(own.filter(([name]) => !(isBot && name === chatIdHeader))),
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

/** A template may make any text. */
function isJson(body: string): boolean {
  try {
    JSON.parse(body);
    return true;
  } catch {
    return false;
  }
}
