import { isIP } from "node:net";
import { Readable } from "node:stream";
import type SMTPConnection from "nodemailer/lib/smtp-connection";
import type { SMTPConnectionOptions, SMTPConnectionSendInfo } from "nodemailer/lib/smtp-connection";
import type { Config } from "../../platform/config/config.ts";
import { isLoopback } from "../../platform/config/cross-checks.ts";
import { refusalOf } from "../../platform/outbound/address.ts";
import { meaningOf } from "./smtp-replies.ts";

/** The mail server and the login there. */
export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  readonly user: string | undefined;
  readonly password: string | undefined;
}

/** A mail as it goes over the network. */
export interface Envelope {
  readonly from: string;
  readonly to: readonly string[];
  readonly raw: Buffer;
}

/** How long a mail server may take, in milliseconds. */
export interface SmtpTimeouts {
  readonly connect: number;
  readonly greeting: number;
  /** Longest silence of the server. */
  readonly idle: number;
  /** From the connection until the whole mail is written. */
  readonly total: number;
  /** From then to the answer. The server has the mail by now and may scan it; homesec would send it twice if it did not wait. */
  readonly answer: number;
}

/**
 * Long enough for slow lines and for servers that delay unknown senders, short enough that a silent server does not block the mails behind
 * it. RFC 5321, section 4.5.3.2.6, allows 10 minutes for the answer to the whole mail.
 */
export const smtpTimeouts: SmtpTimeouts = { connect: 15_000, greeting: 20_000, idle: 40_000, total: 300_000, answer: 600_000 };

/** A recipient that the server refused. */
export interface Refusal {
  readonly recipient: string;
  readonly answer: string;
}

/** The mail server's answer to a mail. `status` is its reply code; undefined when it gave none. */
export type SmtpResult =
  | { readonly kind: "accepted"; readonly answer: string; readonly refusals: readonly Refusal[] }
  | {
      readonly kind: "not_accepted";
      readonly answer: string;
      readonly status: number | undefined;
      readonly isLogin: boolean;
      /** It refuses every mail from this machine, in its greeting. */
      readonly refusesUs: boolean;
      /** It refused at MAIL FROM: the sender address, or the account. */
      readonly refusesSender: boolean;
      readonly isTooLarge: boolean;
      /** It refuses TLS, and homesec sends a password only over TLS. */
      readonly refusesTls: boolean;
      readonly refusals: readonly Refusal[];
    };

/** Returns the configured mail server; undefined without one. */
export function smtpServerOf(config: Pick<Config, "smtpHost" | "smtpPort" | "smtpUser" | "smtpPassword">): SmtpServer | undefined {
  if (config.smtpHost === undefined) return undefined;
  return { host: config.smtpHost, port: config.smtpPort, user: config.smtpUser, password: config.smtpPassword };
}

/**
 * Sends a mail to the mail server: with TLS from the start on port 465, otherwise with STARTTLS when the server offers it. Sends a password
 * only over TLS with a valid certificate, unless the server runs on this machine. An abort of `signal` closes the connection. Never throws
 * for what the server did or failed to do.
 */
export async function sendBySmtp(
  server: SmtpServer,
  envelope: Envelope,
  signal: AbortSignal,
  timeouts = smtpTimeouts,
): Promise<SmtpResult> {
  return await converse(server, signal, timeouts, async (connection, exchange, waitNow) => {
    const body = Readable.from([envelope.raw], { objectMode: false });
    body.once("end", () => waitNow(timeouts.answer));
    const info = await exchange<SMTPConnectionSendInfo>((done) =>
      connection.send({ from: envelope.from, to: [...envelope.to], size: envelope.raw.length }, body, done),
    );
    return { kind: "accepted", answer: oneLine(info.response), refusals: refusalsOf(info) } as const;
  });
}

/** Connects and logs in as for a mail, and sends nothing. `secure`: over TLS. Never throws for what the server did or failed to do. */
export async function loginBySmtp(
  server: SmtpServer,
  signal: AbortSignal,
  timeouts = smtpTimeouts,
): Promise<{ readonly kind: "welcome"; readonly secure: boolean } | Extract<SmtpResult, { kind: "not_accepted" }>> {
  return await converse(server, signal, timeouts, async (connection) => ({ kind: "welcome", secure: connection.secure }) as const);
}

/** Runs one command of the conversation, which calls `done` with its reply. Rejects when the connection breaks. */
type Exchange = <T>(run: (done: (error: unknown, result?: T) => void) => void) => Promise<T>;

async function converse<T>(
  server: SmtpServer,
  signal: AbortSignal,
  timeouts: SmtpTimeouts,
  talk: (connection: SMTPConnection, exchange: Exchange, waitNow: (ms: number) => void) => Promise<T>,
): Promise<T | Extract<SmtpResult, { kind: "not_accepted" }>> {
  const { host } = server;
  const refusal = await refusalOf(`http://${isIP(host) === 6 ? `[${host}]` : host}`);
  if (refusal) return notAccepted({ message: `the mail server may not be called: ${refusal}` });
  // Loaded with the first mail, since most processes send none
  const { default: Connection } = await import("nodemailer/lib/smtp-connection");
  const connection = new Connection(optionsFor(server, timeouts));
  // Not AbortSignal.any: it leaks a little memory per mail while the signal lives
  const end = new AbortController();
  const abort = (): void => end.abort(new Error("the attempt was aborted"));
  const endAfter = (ms: number) => setTimeout(() => end.abort(new Error(`no answer within ${ms / 1000} s`)), ms);
  let timer = endAfter(timeouts.total);
  const waitNow = (ms: number): void => {
    clearTimeout(timer);
    timer = endAfter(ms);
    // The socket has its own timer for silence
    if (connection._socket) connection._socket.setTimeout(ms);
  };
  signal.addEventListener("abort", abort, { once: true });
  if (signal.aborted) abort();
  const exchange: Exchange = (run) =>
    new Promise((resolve, reject) => {
      const onEnd = () => reject(end.signal.reason as Error);
      if (end.signal.aborted) return onEnd();
      end.signal.addEventListener("abort", onEnd, { once: true });
      connection.once("error", reject);
      connection.once("end", () => reject(new Error("the mail server closed the connection")));
      run((error, result) => (error ? reject(error) : resolve(result as never)));
    });
  try {
    await exchange((done) => connection.connect(done));
    if (server.user !== undefined) {
      const auth = { user: server.user, pass: server.password ?? "" };
      await exchange((done) => connection.login(auth, done));
    }
    return await talk(connection, exchange, waitNow);
  } catch (error) {
    return notAccepted(error as SmtpFault);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", abort);
    // A second error may follow the first one; without a listener it would end the process
    connection.on("error", () => {});
    if (end.signal.aborted || connection.stage === "init") connection.close();
    else connection.quit();
  }
}

interface SmtpFault {
  readonly message: string;
  readonly code?: string;
  /** The command that this answers; `CONN` is the connection itself. */
  readonly command?: string;
  readonly response?: string;
  readonly responseCode?: number;
  readonly rejectedErrors?: readonly RejectedRecipient[] | undefined;
}

interface RejectedRecipient {
  readonly message: string;
  readonly recipient?: string | undefined;
  readonly response?: string | undefined;
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
    // Without a password, TLS with an unchecked certificate is better than none: forging it takes the same access as disabling STARTTLS
    tls: { rejectUnauthorized: !isOwnMachine && (isSecret || port === 465), minVersion: "TLSv1.2" },
    allowInternalNetworkInterfaces: true,
  };
}

function notAccepted(fault: SmtpFault): Extract<SmtpResult, { kind: "not_accepted" }> {
  return {
    kind: "not_accepted",
    answer: oneLine(fault.response ?? fault.message),
    status: fault.responseCode,
    refusesTls: fault.code === "ETLS" && fault.responseCode !== undefined,
    refusesUs: ["CONN", "EHLO", "HELO"].includes(fault.command ?? "") && fault.responseCode !== undefined,
    refusesSender: fault.command === "MAIL FROM" && fault.responseCode !== undefined,
    isTooLarge: isTooLarge(fault),
    isLogin: fault.code === "EAUTH" && !(fault.responseCode !== undefined && fault.responseCode < 500),
    refusals: refusalsOf(fault),
  };
}

/** Whether a mail without its picture may get through. A full mailbox (552) may have room for a small one. */
function isTooLarge({ code, response, responseCode }: SmtpFault): boolean {
  // When the server announces a size limit, the client rejects a larger mail itself: there is no response
  if (response === undefined) return code === "EMESSAGE";
  return responseCode === 552 || meaningOf(oneLine(response), "message") === "size";
}

function refusalsOf({ rejectedErrors }: Pick<SmtpFault, "rejectedErrors">): readonly Refusal[] {
  return (rejectedErrors ?? []).map(({ recipient, response, message }) => ({
    recipient: recipient ?? "",
    answer: oneLine(response ?? message),
  }));
}

/** Makes a server's text fit for a log line and a database row. */
function oneLine(text: string): string {
  return text
    .replace(/[\p{Cc}\s]+/gu, " ")
    .trim()
    .slice(0, 500);
}
