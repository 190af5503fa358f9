import { isIP } from "node:net";
import type { Config } from "./config.ts";
import { detectorList, usesBuiltInDetector } from "./detector-address.ts";
import { formatRoles, missingRoles } from "./roles.ts";

/** With the delay after wrong keys, a random key of this length cannot be guessed in a lifetime. */
const shortestKey = 16;

/** Checks the values together: errors for those that contradict each other, warnings for those that are probably mistakes. */
export function crossChecks(config: Config): { readonly errors: readonly string[]; readonly warnings: readonly string[] } {
  const errors: string[] = [];
  const warnings: string[] = [];
  if (config.tlsMode === "provided") {
    if (config.tlsCertPath === undefined) errors.push("TLS_CERT_PATH is not set: TLS_MODE=provided needs a certificate");
    if (config.tlsKeyPath === undefined) errors.push("TLS_KEY_PATH is not set: TLS_MODE=provided needs a private key");
  } else if (config.tlsCertPath !== undefined || config.tlsKeyPath !== undefined) {
    warnings.push("TLS_CERT_PATH and TLS_KEY_PATH have no effect without TLS_MODE=provided");
  }
  if (config.batchIdleTimeoutSeconds > config.batchWindowSeconds) {
    warnings.push("BATCH_IDLE_TIMEOUT_SECONDS is longer than BATCH_WINDOW_SECONDS: batches always close by their window");
  }
  if (config.apiKeyEnabled && config.apiKeys.length === 0) {
    errors.push("API_KEYS is not set: API_KEY_ENABLED=true needs at least one key; create one with `homesec keys generate`");
  }
  if (config.apiKeyEnabled && config.apiKeys.some((key) => key.length < shortestKey)) {
    warnings.push(
      `API_KEYS holds a key of fewer than ${shortestKey} characters, which can be guessed; create a long one with \`homesec keys generate\``,
    );
  }
  if (!config.apiKeyEnabled && config.apiKeys.length > 0) {
    warnings.push("API_KEYS has no effect without API_KEY_ENABLED=true");
  }
  if (config.mediaRequiresKey && !config.apiKeyEnabled) {
    errors.push("MEDIA_REQUIRES_KEY=true needs API_KEY_ENABLED=true: without it, everything but the pictures is open to everyone");
  }
  const missing = missingRoles(config.roles);
  if (missing.length > 0 && config.databaseUrl === undefined) {
    errors.push(
      `ROLES is ${formatRoles(config.roles)}: no daemon would run the other roles (${missing.join(", ")}), because only this daemon can use the embedded database; set DATABASE_URL to a shared server, or remove ROLES`,
    );
  }
  if (missing.length > 0 && config.redisUrl === undefined && config.roles.includes("api") && config.rateLimitEnabled) {
    warnings.push(notShared);
  }
  const open = openToNetwork(config);
  if (open !== undefined) warnings.push(open);
  const forMail = { SMTP_HOST: config.smtpHost, SMTP_FROM_ADDRESS: config.smtpFromAddress };
  const mailLacks = [
    ...Object.entries(forMail).flatMap(([name, value]) => (value === undefined ? [name] : [])),
    ...(config.defaultEmailRecipients.length === 0 ? ["DEFAULT_EMAIL_RECIPIENTS"] : []),
  ];
  if ((config.smtpHost ?? config.smtpFromAddress) !== undefined && mailLacks.length > 0) {
    warnings.push(`the email channel is off: it needs ${mailLacks.join(" and ")}`);
  }
  if (!usesBuiltInDetector(config.detectorUrl) && config.detectorModelPath !== undefined) {
    warnings.push("DETECTOR_MODEL_PATH has no effect: DETECTOR_URL replaces the built-in detector");
  }
  const withoutEffect = uselessSecondOpinion(config);
  if (withoutEffect !== undefined) warnings.push(withoutEffect);
  errors.push(...modelErrors(config));
  warnings.push(...modelWarnings(config));
  if (config.mqttPassword !== undefined && config.mqttUsername === undefined) {
    warnings.push("MQTT_PASSWORD has no effect without MQTT_USERNAME");
  }
  return { errors, warnings };
}

/** Says why DETECTOR_SECOND_OPINION_BELOW has no effect; undefined if it has one, or is off. */
export function uselessSecondOpinion({
  detectorUrl,
  detectorSecondOpinionBelow: below,
  detectionConfidenceThreshold: threshold,
}: SecondOpinionValues): string | undefined {
  if (below === 0) return undefined;
  if (detectorList(detectorUrl).length < 2) return "DETECTOR_SECOND_OPINION_BELOW has no effect: DETECTOR_URL does not name two detectors";
  if (below > threshold) return undefined;
  return `DETECTOR_SECOND_OPINION_BELOW has no effect: ${below} is not above DETECTION_CONFIDENCE_THRESHOLD (${threshold})`;
}

interface SecondOpinionValues {
  readonly detectorUrl?: string | null | undefined;
  readonly detectorSecondOpinionBelow: number;
  readonly detectionConfidenceThreshold: number;
}

function modelErrors(config: Config): readonly string[] {
  const both = (["LANGUAGE_MODEL", "LANGUAGE_MODEL_FALLBACK"] as const).filter((prefix) =>
    prefix === "LANGUAGE_MODEL"
      ? config.languageModelKey !== undefined && config.languageModelKeyFile !== undefined
      : config.languageModelFallbackKey !== undefined && config.languageModelFallbackKeyFile !== undefined,
  );
  return both.map((prefix) => `${prefix}_KEY and ${prefix}_KEY_FILE are both set; remove one of them`);
}

function modelWarnings(config: Config): readonly string[] {
  const without = (url: string | undefined, prefix: string, values: readonly (string | undefined)[]): readonly string[] =>
    url === undefined && values.some((value) => value !== undefined)
      ? [`${prefix}_NAME and ${prefix}_KEY have no effect without ${prefix}_URL`]
      : [];
  return [
    ...without(config.languageModelUrl, "LANGUAGE_MODEL", [config.languageModelName, config.languageModelKey, config.languageModelKeyFile]),
    ...pictureWarnings(config),
    ...without(config.languageModelFallbackUrl, "LANGUAGE_MODEL_FALLBACK", [
      ...[config.languageModelFallbackName, config.languageModelFallbackKey, config.languageModelFallbackKeyFile],
    ]),
  ];
}

function pictureWarnings({
  languageModelPictures,
  languageModelUrl,
  languageModelApi,
  languageModelFallbackUrl,
}: Config): readonly string[] {
  if (languageModelPictures === "off") return [];
  if (languageModelUrl === undefined) return ["LANGUAGE_MODEL_PICTURES has no effect without LANGUAGE_MODEL_URL"];
  if (languageModelApi !== "completion" || languageModelFallbackUrl !== undefined) return [];
  return ["LANGUAGE_MODEL_PICTURES has no effect with LANGUAGE_MODEL_API=completion, which takes no pictures; with llama.cpp, use openai"];
}

/** State that several daemons do not share without a common store. */
const notShared =
  "REDIS_URL is not set: each daemon with the role api counts rate limits separately, so a client gets the limit once per such daemon; everything else is shared through the database";

/** Returns the warning that other machines can use the API without a key; undefined if they cannot. */
export function openToNetwork({ apiKeyEnabled, host }: Pick<Config, "apiKeyEnabled" | "host">): string | undefined {
  if (apiKeyEnabled || isLoopback(host)) return undefined;
  return `HOST is ${host} and no API key is required: everyone on that network can see and change everything; create a key with \`homesec keys generate\``;
}

/** Tells whether a listen address is reachable only from this machine. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));
}
