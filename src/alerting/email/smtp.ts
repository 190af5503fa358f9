import { isIP } from "node:net";
import { Readable } from "node:stream";
import type SMTPConnection from "nodemailer/lib/smtp-connection";
import type { SMTPConnectionOptions, SMTPConnectionSendInfo } from "nodemailer/lib/smtp-connection";
import type { Config } from "../../platform/config/config.ts";
import { isLoopback } from "../../platform/config/cross-checks.ts";
import { refusalOf } from "../../platform/outbound/address.ts";

/** The mail server and who asks it. */
export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  readonly user: string | undefined;
  readonly password: string | undefined;
}

/** A mail as it goes over the line. */
export interface Envelope {
  readonly from: string;
  readonly to: readonly string[];
  readonly raw: Buffer;
}

/** How long a mail server may take, in milliseconds. */
export interface SmtpTimeouts {
  readonly connect: number;
  readonly greeting: number;
  /** Between two signs of life. */
  readonly idle: number;
  /** From the first packet until the mail is written. */
  readonly total: number;
  /** From then to the answer. The server has the mail by then, looks for viruses in it perhaps, and whoever does not wait sends it again. */
  readonly answer: number;
}

/**
 * Generous enough for servers that let strangers wait and for slow lines, and short enough that a silent one does not hold up what comes after.
 * For the answer to the whole mail RFC 5321, 4.5.3.2.6, has ten minutes.
 */
export const smtpTimeouts: SmtpTimeouts = { connect: 15_000, greeting: 20_000, idle: 40_000, total: 300_000, answer: 600_000 };

/** A recipient that the server did not take. */
export interface Refusal {
  readonly recipient: string;
  readonly answer: string;
  readonly permanent: boolean;
}

/** What the mail server did with a mail. `status` is its reply code, where it gave one. */
export type SmtpResult =
  | { readonly kind: "taken"; readonly answer: string; readonly refusals: readonly Refusal[] }
  | {
      readonly kind: "not_taken";
      readonly answer: string;
      readonly status: number | undefined;
      readonly isLogin: boolean;
      /** It would not hear of any mail: it refuses whoever comes from here, by its greeting. */
      readonly refusesUs: boolean;
      /** It takes no mail from this sender, whatever is in it. */
      readonly refusesSender: boolean;
      readonly isTooLarge: boolean;
      /** It refuses TLS, and a password goes over the line in nothing else. */
      readonly refusesTls: boolean;
      readonly refusals: readonly Refusal[];
    };

/** The mail server of the configuration, or undefined without one. */
export function smtpServerOf(config: Pick<Config, "smtpHost" | "smtpPort" | "smtpUser" | "smtpPassword">): SmtpServer | undefined {
  if (config.smtpHost === undefined) return undefined;
  return { host: config.smtpHost, port: config.smtpPort, user: config.smtpUser, password: config.smtpPassword };
}

/**
 * Hands a mail to the mail server: TLS from the start on port 465, else by STARTTLS where the server offers it. A
 * password goes over the line in TLS only, with a certificate that is checked; on this machine neither is needed. An
 * abort of `signal` ends the connection at once. Never throws for what the server did or failed to do.
 */
export async function sendBySmtp(
  server: SmtpServer,
  envelope: Envelope,
  signal: AbortSignal,
  timeouts = smtpTimeouts,
): Promise<SmtpResult> {
  return await converse(server, signal, timeouts, async (connection, step, waitNow) => {
    const body = Readable.from([envelope.raw], { objectMode: false });
    body.once("end", () => waitNow(timeouts.answer));
    const info = await step<SMTPConnectionSendInfo>((done) =>
      connection.send({ from: envelope.from, to: [...envelope.to], size: envelope.raw.length }, body, done),
    );
    return { kind: "taken", answer: oneLine(info.response), refusals: refusalsOf(info) } as const;
  });
}

/** Goes the way of a mail as far as the login, and sends nothing. `secure`: in TLS. Never throws for what the server did or failed to do. */
export async function loginBySmtp(
  server: SmtpServer,
  signal: AbortSignal,
  timeouts = smtpTimeouts,
): Promise<{ readonly kind: "welcome"; readonly secure: boolean } | Extract<SmtpResult, { kind: "not_taken" }>> {
  return await converse(server, signal, timeouts, async (connection) => ({ kind: "welcome", secure: connection.secure }) as const);
}

/** Runs a step of the conversation, which calls `done` at its end, or the connection breaks. */
type Step = <T>(run: (done: (error: unknown, result?: T) => void) => void) => Promise<T>;

async function converse<T>(
  server: SmtpServer,
  signal: AbortSignal,
  timeouts: SmtpTimeouts,
  talk: (connection: SMTPConnection, step: Step, waitNow: (ms: number) => void) => Promise<T>,
): Promise<T | Extract<SmtpResult, { kind: "not_taken" }>> {
  const { host } = server;
  const refusal = await refusalOf(`http://${isIP(host) === 6 ? `[${host}]` : host}`);
  if (refusal) return notTaken({ message: `the mail server may not be called: ${refusal}` });
  // loaded with the first mail: most starts send none
  const { default: Connection } = await import("nodemailer/lib/smtp-connection");
  const connection = new Connection(optionsFor(server, timeouts));
  // not AbortSignal.any, which leaves something at the signal for each mail, for as long as the signal lives
  const end = new AbortController();
  const breakOff = (): void => end.abort(new Error("broken off"));
  const endAfter = (ms: number) => setTimeout(() => end.abort(new Error(`no answer within ${ms / 1000} s`)), ms);
  let timer = endAfter(timeouts.total);
  const waitNow = (ms: number): void => {
    clearTimeout(timer);
    timer = endAfter(ms);
    // its own timer is for the silence between two answers
    if (connection._socket) connection._socket.setTimeout(ms);
  };
  signal.addEventListener("abort", breakOff, { once: true });
  if (signal.aborted) breakOff();
  const step: Step = (run) =>
    new Promise((resolve, reject) => {
      const onEnd = () => reject(end.signal.reason as Error);
      if (end.signal.aborted) return onEnd();
      end.signal.addEventListener("abort", onEnd, { once: true });
      connection.once("error", reject);
      connection.once("end", () => reject(new Error("the mail server closed the connection")));
      run((error, result) => (error ? reject(error) : resolve(result as never)));
    });
  try {
    await step((done) => connection.connect(done));
    if (server.user !== undefined) {
      const auth = { user: server.user, pass: server.password ?? "" };
      await step((done) => connection.login(auth, done));
    }
    return await talk(connection, step, waitNow);
  } catch (error) {
    return notTaken(error as SmtpFault);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", breakOff);
    // after an error there may be another one, which nobody waits for
    connection.on("error", () => {});
    if (end.signal.aborted || connection.stage === "init") connection.close();
    else connection.quit();
  }
}

interface SmtpFault {
  readonly message: string;
  readonly code?: string;
  /** What was answered to; `CONN` is the connection itself. */
  readonly command?: string;
  readonly response?: string;
  readonly responseCode?: number;
  readonly rejectedErrors?: readonly RejectedRecipient[] | undefined;
}

interface RejectedRecipient {
  readonly message: string;
  readonly recipient?: string | undefined;
  readonly response?: string | undefined;
  readonly responseCode?: number | undefined;
}

function optionsFor({ host, port, user }: SmtpServer, timeouts: SmtpTimeouts): SMTPConnectionOptions {
  const isOwnMachine = isLoopback(host);
  const isSecret = user !== undefined && !isOwnMachine;
  return {
    host,
    port,
    secure: port === 465,
    requireTLS: isSecret,
    opportunisticTLS: !isSecret,
    connectionTimeout: timeouts.connect,
    greetingTimeout: timeouts.greeting,
    socketTimeout: timeouts.idle,
    dnsTimeout: timeouts.connect,
    socketCloseTimeout: 1_000,
    maxResponseSize: 64 * 1024,
    // without a password an unchecked certificate is better than none: whoever could forge it could also leave TLS out
    tls: { rejectUnauthorized: !isOwnMachine && (isSecret || port === 465), minVersion: "TLSv1.2" },
    allowInternalNetworkInterfaces: true,
  };
}

function notTaken(fault: SmtpFault): Extract<SmtpResult, { kind: "not_taken" }> {
  return {
    kind: "not_taken",
    answer: oneLine(fault.response ?? fault.message),
    status: fault.responseCode,
    refusesTls: fault.code === "ETLS" && fault.responseCode !== undefined,
    refusesUs: ["CONN", "EHLO", "HELO"].includes(fault.command ?? "") && fault.responseCode !== undefined,
    refusesSender: fault.command === "MAIL FROM" && fault.responseCode !== undefined && fault.responseCode !== 552,
    // with a limit that the server has told nothing is sent, and it answers nothing
    isTooLarge: fault.responseCode === 552 || (fault.code === "EMESSAGE" && !fault.response),
    isLogin: fault.code === "EAUTH" && !(fault.responseCode !== undefined && fault.responseCode < 500),
    refusals: refusalsOf(fault),
  };
}

function refusalsOf({ rejectedErrors }: Pick<SmtpFault, "rejectedErrors">): readonly Refusal[] {
  return (rejectedErrors ?? []).map(({ recipient, response, message, responseCode }) => ({
    recipient: recipient ?? "",
    answer: oneLine(response ?? message),
    permanent: (responseCode ?? 0) >= 500,
  }));
}

/** What a server wrote, fit for a log and a row. */
function oneLine(text: string): string {
  return text
    .replace(/[\p{Cc}\s]+/gu, " ")
    .trim()
    .slice(0, 500);
}
