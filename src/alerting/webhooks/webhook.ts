import type { z } from "zod";
import { notFound, Problem } from "../../contract/problem.ts";
import type { WebhookAuth } from "../../contract/routes/webhook-headers.ts";
import type { Webhook as WebhookReply } from "../../contract/routes/webhooks.ts";
import type { Sealer } from "../../platform/secrets/sealer.ts";

/** A webhook as clients see it. */
export type Webhook = z.output<typeof WebhookReply>;

/** Everything a client can set, including secrets, with all defaults. */
export interface WebhookDefinition
  extends Pick<
    Webhook,
    | "name"
    | "url"
    | "event_types"
    | "rule_ids"
    | "severities"
    | "integration_type"
    | "enabled"
    | "custom_headers"
    | "payload_template"
    | "max_retries"
    | "retry_delay_seconds"
  > {
  readonly auth: WebhookAuth;
}

/** The row of a webhook: its record and its sealed columns. */
export interface StoredWebhook extends Omit<Webhook, "custom_headers"> {
  readonly sealed_auth: Uint8Array | null;
  readonly sealed_headers: Uint8Array | null;
  readonly sealed_secret: Uint8Array;
  readonly sealed_previous_secret: Uint8Array | null;
  readonly previous_secret_until: Date | null;
}

/** A webhook with all secrets unsealed, ready to send. */
export interface OpenWebhook extends Webhook {
  readonly auth: WebhookAuth;
  /** The secrets that sign now, newest first. */
  readonly signingSecrets: readonly string[];
}

/** Seals the secrets of a definition. Empty ones are null. */
export function sealDefinition({ auth, custom_headers }: Pick<WebhookDefinition, "auth" | "custom_headers">, sealer: Sealer) {
  return {
    sealedAuth: auth.type === "none" ? null : sealer.seal(JSON.stringify(auth)),
    sealedHeaders: Object.keys(custom_headers).length === 0 ? null : sealer.seal(JSON.stringify(custom_headers)),
  };
}

/** The sealed authentication. `given_for` is the address that it was set for, once the webhook has another URL. */
type SealedAuth = WebhookAuth & { readonly given_for?: string };

/**
 * Returns the sealed authentication of a webhook whose URL becomes `url`, when the client sets none. A client that can change URLs must not
 * learn stored secrets that way, so homesec never sends them to another host, port or path: another path may show what it received. When
 * the URL returns to the old address, homesec sends them again.
 */
export function authForUrl({ sealed_auth, url: before }: StoredWebhook, url: string, sealer: Sealer): Uint8Array | null {
  const text = sealed_auth && addressOf(url) !== addressOf(before) ? opened(sealed_auth, sealer) : undefined;
  if (text === undefined) return sealed_auth;
  const auth = JSON.parse(text) as SealedAuth;
  return sealer.seal(JSON.stringify({ given_for: addressOf(before), ...auth }));
}

/** Host, port and path of a URL, with its scheme. */
function addressOf(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}

/** Version 0.2.0 and older stored only the origin. */
function isGivenFor(address: string, url: string): boolean {
  return address === addressOf(url) || address === new URL(url).origin;
}

/**
 * Unseals a row. Throws `Problem("unavailable")`, which names the fix, when a secret was sealed with another key file, or the authentication
 * was set for another origin.
 */
export function openWebhook(row: StoredWebhook, sealer: Sealer, now: Date): OpenWebhook {
  const { sealed_auth, sealed_headers, sealed_secret, sealed_previous_secret, previous_secret_until, ...record } = row;
  const read = (sealed: Uint8Array): string => sealer.unseal(Buffer.from(sealed));
  const { given_for, ...auth }: SealedAuth = sealed_auth ? (JSON.parse(read(sealed_auth)) as SealedAuth) : { type: "none" };
  if (given_for !== undefined && !isGivenFor(given_for, row.url)) {
    throw new Problem(
      "unavailable",
      `The authentication of this webhook was set for ${given_for}, and homesec sends it nowhere else; set it again (\`homesec webhooks update ${JSON.stringify(row.name)} --auth ...\`), or use --auth none`,
    );
  }
  const previous = sealed_previous_secret && previous_secret_until && previous_secret_until > now ? [read(sealed_previous_secret)] : [];
  return {
    ...record,
    custom_headers: sealed_headers ? (JSON.parse(read(sealed_headers)) as Record<string, string>) : {},
    auth,
    signingSecrets: [read(sealed_secret), ...previous],
  };
}

/** Returns a row as clients see it. Leaves out headers that were sealed with another key file: only sending needs them, and reports it. */
export function recordOf(row: StoredWebhook, sealer: Sealer): Webhook {
  const { sealed_auth: _, sealed_headers, sealed_secret: __, sealed_previous_secret: ___, previous_secret_until: ____, ...record } = row;
  const headers = sealed_headers && opened(sealed_headers, sealer);
  return { ...record, custom_headers: headers ? (JSON.parse(headers) as Record<string, string>) : {} };
}

/** Unseals a text; undefined when it was sealed with another key file. */
export function opened(sealed: Uint8Array, sealer: Sealer): string | undefined {
  try {
    return sealer.unseal(Buffer.from(sealed));
  } catch (error) {
    if (error instanceof Problem) return undefined;
    throw error;
  }
}

/** Returns the error for an unknown webhook id. */
export function noSuchWebhook(id: string): Problem {
  return notFound("Webhook", id);
}

/** The custom header that names a bot's chat when the URL does not. homesec does not send it. */
export const chatIdHeader = "x-chat-id";

/** Returns the chat that a bot writes to: from the URL's query, or from a custom header. Undefined is fine for a proxy that knows the chat. */
export function chatIdOf({ url, custom_headers }: Pick<WebhookDefinition, "url" | "custom_headers">): string | undefined {
  const header = Object.entries(custom_headers).find(([name]) => name.toLowerCase() === chatIdHeader)?.[1];
  return new URL(url).searchParams.get("chat_id") || header || undefined;
}
