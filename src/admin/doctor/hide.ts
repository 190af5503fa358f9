import { redact } from "../../base/log/redact.ts";
import { configKey, type ParsedConfig } from "../../platform/config/config.ts";
import { variable, variableNames } from "../../platform/config/variables.ts";

/** Shorter secrets occur in other words by chance. */
const minSecretLength = 4;

/** Returns a function that masks secrets in a text, such as one that a server repeated or an address contains. */
export function hider(parsed: ParsedConfig | Error): (text: string) => string {
  const secrets = parsed instanceof Error ? [] : secretsOf(parsed).filter((secret) => secret.length >= minSecretLength);
  // the longest first, because one secret may be part of another
  secrets.sort((one, other) => other.length - one.length);
  return (text) => secrets.reduce((shown, secret) => shown.replaceAll(secret, "***"), redact(text));
}

function secretsOf({ config }: ParsedConfig): string[] {
  const own = variableNames.filter((name) => variable(name).secret).flatMap((name) => config[configKey(name)] ?? []);
  const passwords = [config.databaseUrl, config.redisUrl, config.mqttUrl].flatMap((url) =>
    url && URL.canParse(url) ? [new URL(url).password] : [],
  );
  return [...own, ...passwords, ...passwords.map(decodeURIComponent)].map(String);
}
