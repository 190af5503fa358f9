import { Problem } from "../../src/contract/problem.ts";
import { choice, choiceList, integer, text, toggle } from "../input/options.ts";
import { readText } from "../input/read-text.ts";
import type { Io } from "../io.ts";

// as the contract has them; the contract itself is read only by the command that runs
const eventTypes = [
  ...(["alert_fired", "alert_acknowledged", "alert_dismissed", "event_created", "event_enriched", "entity_discovered"] as const),
  ...(["anomaly_detected", "system_health_changed", "batch_analysis_started", "batch_analysis_completed"] as const),
  "batch_analysis_failed" as const,
] as const;

export const eventTypeOption = choice(eventTypes, "What the sample is of");
export const sampleKindOption = choice(
  ["camera_health", "scene_change"],
  "Of the other kind: event_created of an incident of a camera, anomaly_detected of a scene change",
);

/** One flag for each field of a webhook. What may be secret comes from a file, from what is piped in (-), or the environment. */
export const webhookOptions = {
  eventTypes: choiceList(eventTypes, "What it is told; commas for several"),
  integrationType: choice(
    ["generic", "chat_blocks", "chat_embeds", "bot_markdown", "team_cards"],
    "Form of the messages; a new webhook: generic",
  ),
  enabled: toggle("--no-enabled: switched off"),
  auth: choice(["none", "bearer", "basic", "header"], "How homesec shows who it is; the secret comes from --secret-file"),
  username: text("name", "For --auth basic"),
  headerName: text("name", "For --auth header"),
  secretFile: text("file", "File with the token, password or header value (or HOMESEC_WEBHOOK_SECRET); - reads what is piped in"),
  headersFile: text("file", "File with further headers, a `Name: value` a line; - reads what is piped in; an empty one takes them away"),
  payloadTemplate: text("file", "File with a template for the whole body; - reads what is piped in; an empty one takes it away"),
  maxRetries: integer("n", 0, 10, "Retries after the first attempt; a new webhook: 4"),
  retryDelaySeconds: integer("n", 1, 3600, "Before the first retry, doubled for each one after it; a new webhook: 10"),
};

type Given = { readonly [K in keyof typeof webhookOptions]: ReturnType<(typeof webhookOptions)[K]["read"]> };

/** The fields of the API for what was given. Reads the files. Throws `Problem("invalid")`. */
export async function webhookBody(io: Io, options: Given) {
  const { headersFile, payloadTemplate } = options;
  return {
    event_types: options.eventTypes,
    integration_type: options.integrationType,
    enabled: options.enabled,
    auth: await authOf(io, options),
    custom_headers: headersFile === undefined ? undefined : headersOf(await readText(io.host, "--headers-file", headersFile), headersFile),
    payload_template: payloadTemplate === undefined ? undefined : (await readText(io.host, "--payload-template", payloadTemplate)) || null,
    max_retries: options.maxRetries,
    retry_delay_seconds: options.retryDelaySeconds,
  };
}

/** An address that a person typed, or piped in because it is secret itself. */
export async function addressOf(io: Io, given: string): Promise<string> {
  return given === "-" ? (await readText(io.host, "the address", "-")).trim() : given;
}

async function authOf(io: Io, { auth, username, headerName, secretFile }: Given) {
  if (auth === undefined) {
    const [name] =
      Object.entries({ "--username": username, "--header-name": headerName, "--secret-file": secretFile }).find(([, value]) => value) ?? [];
    if (name !== undefined) throw new Problem("invalid", `${name} needs --auth, which says what it is for`);
    return undefined;
  }
  if (auth === "none") return { type: auth };
  const secret = await secretOf(io, secretFile);
  if (auth === "bearer") return { type: auth, token: secret };
  if (auth === "basic") return { type: auth, username, credential: secret };
  return { type: auth, header_name: headerName, header_value: secret };
}

async function secretOf(io: Io, file: string | undefined): Promise<string> {
  const secret = file === undefined ? io.host.env["HOMESEC_WEBHOOK_SECRET"] : await readText(io.host, "--secret-file", file);
  const trimmed = secret?.trim() ?? "";
  if (trimmed === "")
    throw new Problem("invalid", "--auth needs a secret: in --secret-file, in HOMESEC_WEBHOOK_SECRET, or piped in with --secret-file -");
  return trimmed;
}

function headersOf(content: string, file: string): Record<string, string> {
  const headers: Record<string, string> = {};
  content.split(/\r?\n/).forEach((line, at) => {
    if (line.trim() === "") return;
    const [, name, value] = /^([^:]+):(.*)$/.exec(line) ?? [];
    if (name === undefined || value === undefined)
      throw new Problem("invalid", `--headers-file ${file}: line ${at + 1} is not of the form Name: value`);
    headers[name.trim()] = value.trim();
  });
  return headers;
}
