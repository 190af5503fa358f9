import {
  authTypes,
  integrationAliases,
  integrationTypes,
  outboundEventTypes,
  ranges,
  sampleKinds,
  severities,
} from "../../src/contract/constants.ts";
import { Problem } from "../../src/contract/problem.ts";
import type { Values } from "../command.ts";
import { textArgument } from "../input/arguments.ts";
import { choice, choiceList, idOf, integer, list, text, toggle } from "../input/options.ts";
import { readText } from "../input/read-text.ts";
import type { Io } from "../io.ts";

export const webhookArgument = idOf("webhook", textArgument("Webhook id, its start, or name"));
export const eventTypeOption = choice(outboundEventTypes, "Event type of the sample");
export const sampleKindOption = choice(sampleKinds, "Sample a camera incident or a scene change instead");

/** One flag per field of a webhook. Secrets come from a file, stdin (-) or the environment. */
export const webhookOptions = {
  event_types: choiceList(outboundEventTypes, "Event types to send, separated by commas"),
  rule_ids: { ...idOf("rule", list("rule", "Only alerts of these rules, by id or name; '' for all")), flag: "rules" },
  severities: choiceList(severities, "Only alerts of these severities; '' for all"),
  integration_type: choice(
    [...integrationTypes, ...(Object.keys(integrationAliases) as (keyof typeof integrationAliases)[])],
    "Message format, or chat it is for (default generic)",
  ),
  enabled: toggle("Enable the webhook; --no-enabled to disable it"),
  auth: choice(authTypes, "Authentication; its secret comes from --secret-file"),
  username: text("name", "User name for --auth basic"),
  header_name: text("name", "Header name for --auth header"),
  secret_file: text("file", "File with the secret, or HOMESEC_WEBHOOK_SECRET; - for stdin"),
  headers_file: text("file", "File with `Name: value` headers, empty for none; - for stdin"),
  payload_template: text("file", "File with a body template, empty for none; - for stdin"),
  max_retries: integer("n", ...ranges.webhookMaxRetries, "Retries after the first attempt (default 4)"),
  retry_delay_seconds: integer("n", ...ranges.webhookRetryDelaySeconds, "Seconds before the first retry, doubling (default 10)"),
};

type Given = Values<typeof webhookOptions>;

/** The API fields for these options. Reads the files. Throws `Problem("invalid")`. */
export async function webhookBody(io: Io, options: Given) {
  const {
    event_types,
    rule_ids,
    severities: only,
    integration_type,
    enabled,
    headers_file,
    payload_template,
    max_retries,
    retry_delay_seconds,
  } = options;
  const auth = await authOf(io, options);
  const headers = headers_file === undefined ? undefined : await readText(io.host, "--headers-file", headers_file);
  const template = payload_template === undefined ? undefined : await readText(io.host, "--payload-template", payload_template);
  return {
    ...{ event_types, integration_type: integration_type && formatOf(integration_type), enabled, auth, max_retries, retry_delay_seconds },
    ...{ rule_ids, severities: only },
    custom_headers: headers === undefined ? undefined : headersOf(headers, headers_file ?? ""),
    payload_template: template === "" ? null : template,
  };
}

/** The format for the name of a format or a chat. */
function formatOf(name: NonNullable<Given["integration_type"]>): (typeof integrationTypes)[number] {
  return name in integrationAliases
    ? integrationAliases[name as keyof typeof integrationAliases]
    : (name as (typeof integrationTypes)[number]);
}

/** The address from the command line, or from stdin for `-`. */
export async function addressOf(io: Io, given: string): Promise<string> {
  return given === "-" ? (await readText(io.host, "the address", "-")).trim() : given;
}

async function authOf(io: Io, { auth, username, header_name, secret_file }: Given) {
  if (auth === undefined) {
    const [name] =
      Object.entries({ "--username": username, "--header-name": header_name, "--secret-file": secret_file }).find(([, value]) => value) ??
      [];
    if (name !== undefined) throw new Problem("invalid", `${name} needs --auth; give the type of authentication too`);
    return undefined;
  }
  if (auth === "none") return { type: auth };
  const secret = await secretOf(io, secret_file);
  if (auth === "bearer") return { type: auth, token: secret };
  if (auth === "basic") return { type: auth, username, credential: secret };
  return { type: auth, header_name, header_value: secret };
}

async function secretOf(io: Io, file: string | undefined): Promise<string> {
  const secret = file === undefined ? io.host.env["HOMESEC_WEBHOOK_SECRET"] : await readText(io.host, "--secret-file", file);
  const trimmed = secret?.trim() ?? "";
  if (trimmed === "")
    throw new Problem("invalid", "--auth needs a secret; give --secret-file or HOMESEC_WEBHOOK_SECRET, or pipe it in with --secret-file -");
  return trimmed;
}

function headersOf(content: string, file: string): Record<string, string> {
  const headers: Record<string, string> = {};
  content.split(/\r?\n/).forEach((line, at) => {
    if (line.trim() === "") return;
    const [, name, value] = /^([^:]+):(.*)$/.exec(line) ?? [];
    if (name === undefined || value === undefined)
      throw new Problem("invalid", `--headers-file ${file}: line ${at + 1} must have the form Name: value`);
    headers[name.trim()] = value.trim();
  });
  return headers;
}
