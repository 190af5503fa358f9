import { isDeepStrictEqual } from "node:util";
import { pause } from "../../src/base/lifecycle/pause.ts";
import type { Config } from "../../src/platform/config/config.ts";
import { type EnvValues, setInEnvFile } from "../../src/platform/config/env-file.ts";
import { type VariableName, variable } from "../../src/platform/config/variables.ts";
import type { Setup } from "./questions.ts";

/** The daemon reads a changed file after half a second without another change. */
const applyMs = 3_000;
/** The longest wait for a daemon that does not show the new settings. */
const longestApplyMs = 15_000;

type MailValues = Readonly<Record<(typeof names)[number], string>>;
const names = [
  ...(["SMTP_HOST", "SMTP_PORT", "SMTP_USER", "SMTP_PASSWORD", "SMTP_FROM_ADDRESS"] as const),
  "DEFAULT_EMAIL_RECIPIENTS",
] as const;

/**
 * Asks for the mail settings and writes those that change. Resolves when the daemon uses them, or says why it does not. Throws `Stopped`,
 * and `Problem` if the file cannot be written.
 */
export async function askForMail(setup: Setup): Promise<void> {
  const { io, say, envFile, saved } = setup;
  const before = valuesOf((await io.configuration()).config);
  const wanted = await askForValues(setup, before);
  if (wanted === undefined) return;
  const changed: EnvValues = Object.fromEntries(names.filter((name) => wanted[name] !== before[name]).map((name) => [name, wanted[name]]));
  if (Object.keys(changed).length === 0) say("The mail settings stay as they are.");
  else {
    await io.configuration(changed);
    await setInEnvFile(envFile, changed);
    if (!saved.includes(mailIn(envFile))) saved.push(mailIn(envFile));
    say(`Written to ${envFile}, which only you can read.`);
    await noteOverruled(setup, wanted);
  }
  await waitUntilApplied(setup, wanted, Object.keys(changed).length > 0);
}

const mailIn = (envFile: string): string => `the mail settings in ${envFile}`;

/** Undefined if the user gives no server. */
async function askForValues({ say, text, secret }: Setup, before: MailValues): Promise<MailValues | undefined> {
  const ask = (name: VariableName, question: string, initial: string): Promise<string> =>
    text(question, initial, (answer) => (variable(name).kind.schema.safeParse(answer).success ? undefined : variable(name).kind.allowed));
  const { schema, allowed } = variable("SMTP_HOST").kind;
  say("Your mail provider's help pages name its SMTP server, also called the server for outgoing mail.");
  const host = await text("SMTP server, such as smtp.example.com?", before.SMTP_HOST, (answer) =>
    answer === "" || schema.safeParse(answer).success ? undefined : allowed,
  );
  if (host === "") return undefined;
  const port = await ask("SMTP_PORT", "Port (587, or 465 for TLS from the start)?", before.SMTP_PORT);
  const isNew = before.SMTP_HOST === "";
  const user = await text("User name (- for none)?", before.SMTP_USER || (isNew ? "" : "-"));
  const login = user === "-" || user === "" ? "" : user;
  const keeps = before.SMTP_PASSWORD === "" ? "" : "; Enter keeps the present one";
  const password = login === "" ? "" : (await secret(`Password, often an app password (not shown${keeps})?`)) || before.SMTP_PASSWORD;
  const own = variable("SMTP_FROM_ADDRESS").kind.schema.safeParse(login).success ? login : "";
  const from = await ask("SMTP_FROM_ADDRESS", "Sender address?", before.SMTP_FROM_ADDRESS || own);
  const plainSender = /<([^<>]+)>$/.exec(from)?.[1] ?? from;
  const to = await text("Recipients, separated by commas?", before.DEFAULT_EMAIL_RECIPIENTS || plainSender, (answer) =>
    recipientsOf(answer) === undefined ? variable("DEFAULT_EMAIL_RECIPIENTS").kind.allowed : undefined,
  );
  return {
    ...{ SMTP_HOST: host, SMTP_PORT: String(Number(port)), SMTP_USER: login, SMTP_PASSWORD: password, SMTP_FROM_ADDRESS: from },
    DEFAULT_EMAIL_RECIPIENTS: recipientsOf(to) ?? to,
  };
}

/** The recipients as the file holds them; undefined if there is none or one is no address. */
function recipientsOf(text: string): string | undefined {
  const parsed = variable("DEFAULT_EMAIL_RECIPIENTS").kind.schema.safeParse(text);
  const list = parsed.success ? (parsed.data as readonly string[]) : [];
  return list.length === 0 ? undefined : list.join(",");
}

function valuesOf(config: Config): MailValues {
  return {
    SMTP_HOST: config.smtpHost ?? "",
    SMTP_PORT: String(config.smtpPort),
    SMTP_USER: config.smtpUser ?? "",
    SMTP_PASSWORD: config.smtpPassword ?? "",
    SMTP_FROM_ADDRESS: config.smtpFromAddress ?? "",
    DEFAULT_EMAIL_RECIPIENTS: config.defaultEmailRecipients.join(","),
  };
}

/** Says which values have no effect, since the environment or another file sets the same variable. */
async function noteOverruled({ io, say }: Setup, wanted: MailValues): Promise<void> {
  const { config, sources } = await io.configuration();
  const now = valuesOf(config);
  for (const name of names.filter((each) => now[each] !== wanted[each])) {
    say(
      `${name} has no effect: it is also set in ${sources[name] === "environment" ? "the environment" : sources[name]}. Remove it there.`,
    );
  }
}

/** Waits for the daemon's reload. The daemon does not show user name and password, so their change is given a fixed time. */
async function waitUntilApplied({ io, say, unlessStopped }: Setup, wanted: MailValues, isChanged: boolean): Promise<void> {
  const { clock, signal } = io.host;
  const until = clock.now().getTime() + (isChanged ? longestApplyMs : 0);
  if (isChanged) await unlessStopped(pause(applyMs, signal));
  for (;;) {
    const config = await unlessStopped(io.call("getNotificationConfig", {}));
    const used = [
      config.smtp_host ?? "",
      String(config.smtp_port),
      config.smtp_from_address ?? "",
      config.default_email_recipients.join(","),
    ];
    const asked = [wanted.SMTP_HOST, wanted.SMTP_PORT, wanted.SMTP_FROM_ADDRESS, wanted.DEFAULT_EMAIL_RECIPIENTS];
    if (isDeepStrictEqual(used, asked)) return;
    if (clock.now().getTime() >= until) break;
    await unlessStopped(pause(1000, signal));
  }
  say("The running daemon does not use these settings: it was started in another folder, as a service or with other variables.");
  say("Restart it in this folder, or set the variables where it reads them (see docs/configuration.md).");
}
