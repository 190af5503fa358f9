import type { ClientRequest } from "../../../../src/contract/client.ts";
import type { outboundEventTypes, severities } from "../../../../src/contract/constants.ts";
import type { webhookRoutes } from "../../../../src/contract/routes/webhooks.ts";
import type { WebhookRecord } from "../webhooks.tsx";

type NewBody = ClientRequest<typeof webhookRoutes.createWebhook>["body"];
type ChangeBody = ClientRequest<typeof webhookRoutes.updateWebhook>["body"];

/** What the form of a webhook holds: texts as they are typed. */
export interface WebhookDraft {
  readonly name: string;
  readonly url: string;
  readonly format: NewBody["integration_type"] & string;
  readonly events: readonly (typeof outboundEventTypes)[number][];
  /** Ids of the only rules whose alerts it gets; empty: of all. */
  readonly rules: readonly string[];
  /** The only severities; empty: all. */
  readonly severities: readonly (typeof severities)[number][];
  /** `keep`: the stored authentication stays, which homesec never shows. */
  readonly auth: "keep" | "none" | "bearer" | "basic" | "header";
  readonly user: string;
  readonly secret: string;
  /** One header a line: "X-Room: kitchen". */
  readonly headers: string;
  readonly template: string;
  readonly retries: string;
  readonly delay: string;
}

/** The form of a new webhook. */
export const emptyDraft: WebhookDraft = {
  ...{ name: "", url: "", format: "generic", events: ["alert_fired"], auth: "none", user: "", secret: "" },
  ...{ rules: [], severities: [], headers: "", template: "", retries: "4", delay: "10" },
};

/** Returns the form of a stored webhook. */
export function draftOf(webhook: WebhookRecord): WebhookDraft {
  const headers = Object.entries(webhook.custom_headers).map(([name, value]) => `${name}: ${value}`);
  return {
    ...{ name: webhook.name, url: webhook.url, format: webhook.integration_type, events: webhook.event_types },
    ...{ rules: webhook.rule_ids ?? [], severities: webhook.severities ?? [] },
    ...{ auth: "keep", user: "", secret: "", headers: headers.join("\n"), template: webhook.payload_template ?? "" },
    ...{ retries: String(webhook.max_retries), delay: String(webhook.retry_delay_seconds) },
  };
}

/** Returns the body of a new webhook. */
export function newBody(draft: WebhookDraft): NewBody {
  const headers = headersOf(draft.headers);
  return {
    ...plain(draft),
    ...(draft.auth !== "keep" && draft.auth !== "none" && { auth: authOf(draft) }),
    ...(Object.keys(headers).length > 0 && { custom_headers: headers }),
    ...(draft.template.trim() !== "" && { payload_template: draft.template }),
  };
}

/** Returns the changes of a stored webhook. */
export function changeBody(draft: WebhookDraft): ChangeBody {
  const headers = headersOf(draft.headers);
  return {
    ...plain(draft),
    ...(draft.auth !== "keep" && { auth: draft.auth === "none" ? null : authOf(draft) }),
    custom_headers: Object.keys(headers).length > 0 ? headers : null,
    payload_template: draft.template.trim() === "" ? null : draft.template,
  };
}

function plain(draft: WebhookDraft) {
  return {
    ...{ name: draft.name.trim(), url: draft.url.trim(), integration_type: draft.format, event_types: [...draft.events] },
    ...{ rule_ids: [...draft.rules], severities: [...draft.severities] },
    ...{ max_retries: Number(draft.retries), retry_delay_seconds: Number(draft.delay) },
  };
}

function authOf({ auth, user, secret }: WebhookDraft): NonNullable<NewBody["auth"]> {
  if (auth === "basic") return { type: "basic", username: user, credential: secret };
  if (auth === "header") return { type: "header", header_name: user, header_value: secret };
  return { type: "bearer", token: secret };
}

function headersOf(text: string): Record<string, string> {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return Object.fromEntries(
    lines.map((line) => {
      const [name = "", ...value] = line.split(":");
      return [name.trim(), value.join(":").trim()];
    }),
  );
}
