import { variable, variableNames } from "./variables.ts";

/** Variables that only commands read. */
export const commandLineVariables = {
  HOMESEC_URL: "Address of the daemon for commands (default: from HOST and PORT)",
  HOMESEC_API_KEY: "API key for commands",
  HOMESEC_CA_FILE: "PEM file with the certificates that commands trust instead of those of the system, for a daemon with TLS",
  HOMESEC_CAMERA_PASSWORD: "Password at the camera for `homesec cameras add` and `homesec cameras update` with `--pull`",
  HOMESEC_DISCOVERY_TARGET:
    "Address (with `:port`) that `homesec cameras discover` asks instead of the whole network, if that has no multicast",
  HOMESEC_WEBHOOK_SECRET: "Token, password or header value for `homesec webhooks add` and `homesec webhooks update` with `--auth`",
  HOMESEC_SIGNING_SECRET: "Signing secret that `homesec webhooks listen` verifies messages with",
  CALLED_HOMESEC_AS: "How suggestions of commands call homesec (default: `homesec`); the script of a clone sets it",
  NO_COLOR: "Disables colours in the output of commands",
} as const;

/** Variables of Node.js that the daemon and the commands use. */
export const environmentVariables = {
  TZ: "Time zone of emails, of schedules without one, and of times in commands, such as `Europe/Berlin` (default: the time zone of the machine)",
  NODE_EXTRA_CA_CERTS: "PEM file with certificates of a custom authority, trusted for mail servers, webhooks and services",
} as const;

/** Variables, also those of commands, whose values are secrets or URLs that may contain a password. */
export const secretNames: readonly string[] = [
  ...variableNames.filter((name) => variable(name).secret || ["DATABASE_URL", "REDIS_URL", "MQTT_URL"].includes(name)),
  ...Object.keys(commandLineVariables).filter((name) => /KEY|SECRET/.test(name)),
];
