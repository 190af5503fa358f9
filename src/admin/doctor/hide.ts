import { redact } from "../../base/log/redact.ts";
import { configKey, type ParsedConfig } from "../../platform/config/config.ts";
import { variable, variableNames } from "../../platform/config/variables.ts";

/** Shorter ones stand in too many words by chance. */
const shortestSecret = 4;

/** Makes the last gate before anything is shown: whatever a server repeated of a secret, or an address carries, is masked. */
export function hider(parsed: ParsedConfig | Error): (text: string) => string {
  const secrets = parsed instanceof Error ? [] : secretsOf(parsed).filter((secret) => secret.length >= shortestSecret);
  // the longest first: one may be a part of another
  secrets.sort((one, other) => other.length - one.length);
  return (text) => secrets.reduce((shown, secret) => shown.replaceAll(secret, "***"), redact(text));
}

function secretsOf({ config }: ParsedConfig): string[] {
  const own = variableNames.filter((name) => variable(name).secret).flatMap((name) => config[configKey(name)] ?? []);
  const passwords = [config.databaseUrl, config.redisUrl].flatMap((url) => (url && URL.canParse(url) ? [new URL(url).password] : []));
  return [...own, ...passwords, ...passwords.map(decodeURIComponent)].map(String);
}
