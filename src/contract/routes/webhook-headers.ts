import { z } from "zod";
import { authTypes } from "../constants.ts";
import type { ProblemType } from "../problem.ts";
import { EnumText } from "../values.ts";

/** Creates an issue with its type of the closed list for `superRefine`. */
export function fault(type: ProblemType, message: string, input: unknown, ...path: (string | number)[]) {
  return { code: "custom" as const, message, input, path, params: { type } };
}

const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}$/;
/** Visible ASCII characters, with spaces and tabs between them. */
const headerValue = /^[\x21-\x7e]([\x20-\x7e\t]*[\x21-\x7e])?$/;
/** Headers that belong to one connection, describe the body, or are set by homesec. */
const reservedHeaders = new Set([
  ...["connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "proxy-connection", "te", "trailer", "transfer-encoding"],
  ...["upgrade", "http2-settings", "host", "content-length", "content-encoding", "content-type", "expect"],
]);

const fieldsOf = {
  none: [],
  bearer: ["token"],
  basic: ["username", "credential"],
  header: ["header_name", "header_value"],
} as const;

/** Authentication of homesec at the target. Write only. */
export const WebhookAuth = z
  .strictObject({
    type: EnumText(authTypes).meta({ description: "Type of authentication; it determines the other fields" }),
    token: z.string().max(4096).optional().meta({ description: "Token, with `bearer`" }),
    username: z.string().max(1024).optional().meta({ description: "User name, with `basic`" }),
    credential: z.string().max(4096).optional().meta({ description: "Password, with `basic`" }),
    header_name: z.string().max(200).optional().meta({ description: "Header name, with `header`" }),
    header_value: z.string().max(4096).optional().meta({ description: "Header value, with `header`" }),
  })
  .superRefine((auth, context) => {
    const own: readonly string[] = fieldsOf[auth.type];
    for (const field of Object.values(fieldsOf).flat()) {
      const text = auth[field];
      const add = (type: ProblemType, message: string) => context.addIssue(fault(type, message, text, field));
      if (!own.includes(field)) {
        if (text !== undefined) add("extra_forbidden", `Unknown field of auth type ${auth.type}`);
      } else if (text === undefined) {
        add("missing", `Missing; auth type ${auth.type} needs it`);
      } else {
        const reason = faultOf[field](text);
        if (reason) add("value_error", reason);
      }
    }
  })
  .meta({
    id: "WebhookAuth",
    description: "Authentication at the webhook; never returned",
    writeOnly: true,
    example: { type: "bearer", token: "what-the-kitchen-light-knows" },
  });
export type WebhookAuth = z.output<typeof WebhookAuth>;

const faultOf: Readonly<Record<(typeof fieldsOf)["bearer" | "basic" | "header"][number], (text: string) => string | undefined>> = {
  token: valueFault,
  username: (text) => (/[:\p{Cc}]/u.test(text) ? "Must not contain a colon or a control character" : undefined),
  credential: (text) => (/\p{Cc}/u.test(text) ? "Must not contain a control character" : undefined),
  header_name: nameFault,
  header_value: valueFault,
};

function nameFault(name: string): string | undefined {
  if (!headerName.test(name)) return "Is not a valid header name";
  const lower = name.toLowerCase();
  if (reservedHeaders.has(lower)) return `The header ${name} is set by homesec or belongs to the connection; leave it out`;
  if (lower.startsWith("webhook-")) return "Headers that begin with webhook- carry the signature; use another name";
  return undefined;
}

function valueFault(value: string): string | undefined {
  return headerValue.test(value) ? undefined : "Must be visible ASCII characters, without line breaks or spaces at the ends";
}

/** Additional headers of each request. */
export const CustomHeaders = z
  .record(z.string(), z.string().max(4096))
  .superRefine((headers, context) => {
    const names = Object.keys(headers);
    if (names.length > 50) context.addIssue(fault("value_error", "Must have at most 50 entries", headers));
    const seen = new Set<string>();
    for (const name of names) {
      const value = headers[name] ?? "";
      const twice = seen.has(name.toLowerCase()) ? "Appears twice; header names ignore case" : undefined;
      const reason = twice ?? nameFault(name) ?? valueFault(value);
      if (reason) context.addIssue(fault("value_error", reason, value, name));
      seen.add(name.toLowerCase());
    }
  })
  .meta({ description: "Names and values; encrypted at rest" });
