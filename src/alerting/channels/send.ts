import type { Outbound } from "../../platform/outbound/outbound.ts";
import { outcomeOfAnswer } from "../delivery/http-outcome.ts";
import type { Outcome } from "../delivery/outcome.ts";
import { maskSecrets, onOneLine } from "../delivery/texts.ts";
import type { OpenChannel } from "./channel.ts";
import type { Sender, Verdict } from "./kind.ts";
import { phoneKinds } from "./kinds.ts";
import type { PhoneMessage } from "./phone-message.ts";

/** The services that sending needs. */
export interface PhoneSending {
  readonly outbound: Pick<Outbound, "post">;
  /** For each request. */
  readonly timeoutMs: number;
  readonly now: () => Date;
}

const longestError = 300;

/**
 * Makes one attempt to send a message through a channel. If the service refuses the picture, sends the message without it. Never rejects for
 * what the service did, and no answer contains a secret.
 */
export async function sendToPhone(
  channel: OpenChannel,
  message: PhoneMessage,
  sending: PhoneSending,
  signal: AbortSignal,
): Promise<Outcome> {
  const { title, sender: senderOf } = phoneKinds[channel.kind];
  const sender = senderOf(channel.settings);
  const picture = await fitPicture(message.picture, sender.pictureBytes);
  const send = async (shown: PhoneMessage) => await attempt({ title, sender, secrets: channel.secretValues }, shown, sending, signal);
  const { outcome, isPictureRefused } = await send({ ...message, picture });
  if (picture === undefined || !isPictureRefused) return outcome;
  const note = `(No picture: ${title} did not accept it.)`;
  return (await send({ ...message, picture: undefined, text: `${message.text}\n${note}` })).outcome;
}

/** The new content of a message, and its reference. */
export interface Change {
  readonly message: PhoneMessage;
  readonly reference: string;
}

/** Makes one attempt to change a message that a service has. Never rejects for what the service did, and no answer contains a secret. */
export async function changeOnPhone(
  channel: OpenChannel,
  { message, reference }: Change,
  sending: PhoneSending,
  signal: AbortSignal,
): Promise<Outcome> {
  const { title, sender: senderOf } = phoneKinds[channel.kind];
  const sender = senderOf(channel.settings);
  const { change } = sender;
  if (!change) return { kind: "failed", answer: `${title} cannot change a message` };
  const changer = { ...sender, request: (shown: PhoneMessage) => change.request(shown, reference), verdict: change.verdict };
  return (await attempt({ title, sender: changer, secrets: channel.secretValues }, message, sending, signal)).outcome;
}

interface Target {
  readonly title: string;
  readonly sender: Sender;
  readonly secrets: readonly string[];
}

async function attempt(
  { title, sender, secrets }: Target,
  message: PhoneMessage,
  { outbound, timeoutMs, now }: PhoneSending,
  signal: AbortSignal,
): Promise<{ readonly outcome: Outcome; readonly isPictureRefused: boolean }> {
  const answer = await outbound.post({ ...sender.request(message), timeoutMs, signal });
  if (answer.kind !== "answered") return { outcome: outcomeOfAnswer(answer, now()), isPictureRefused: false };
  const body = maskSecrets(answer.body, secrets);
  const verdict = sender.verdict({ status: answer.status, body });
  const base = outcomeOfAnswer({ ...answer, body }, now());
  return { outcome: outcomeOf(title, base, verdict, answer.status), isPictureRefused: verdict.isPictureRefused ?? false };
}

/** Joins what the status means for any service with what the answer means for this one. */
function outcomeOf(title: string, base: Outcome, verdict: Verdict, status: number): Outcome {
  const { response } = base;
  const common = response === undefined ? {} : { response };
  if (verdict.isAccepted) {
    return { kind: "sent", answer: `${title} accepted it`, ...common, ...(verdict.reference && { reference: verdict.reference }) };
  }
  if (base.kind === "sent") {
    const answer = verdict.error ?? "not in the words of the service; is the address right?";
    return { kind: "again", answer: textFor(title, status, { ...verdict, error: answer }), ...common };
  }
  const answer = textFor(title, status, verdict);
  if (verdict.isGone) return { kind: "failed", answer, isGone: true, ...common };
  if (verdict.isFinal || base.kind === "failed") return { kind: "failed", answer, ...common };
  const asked: Partial<Outcome & { kind: "again" }> = base.kind === "again" ? base : {};
  const waitMs = verdict.waitMs ?? asked.waitMs ?? 0;
  return { kind: "again", answer, ...common, ...(asked.misconfigured && { misconfigured: true as const }), ...(waitMs > 0 && { waitMs }) };
}

function textFor(title: string, status: number, { error, fix }: Verdict): string {
  const said = error === undefined ? "" : `: ${onOneLine(error, longestError)}`;
  return `${title} answered ${status}${said}${fix === undefined ? "" : `; ${fix}`}`;
}

/** Each step makes a picture this much smaller in both directions. */
const shrink = 0.7;
const mostSteps = 8;

/** Returns a JPEG of at most `mostBytes`, smaller if need be. Undefined if there is no picture, or the service takes none (null). */
export async function fitPicture(jpeg: Buffer | undefined, mostBytes: number | null): Promise<Buffer | undefined> {
  if (jpeg === undefined || mostBytes === null) return undefined;
  let fitting = jpeg;
  for (let step = 1; fitting.length > mostBytes; step += 1) {
    if (step > mostSteps) return undefined;
    const { sharp } = await import("../../monitoring/images/decoder.ts");
    const { width = 1 } = await sharp(jpeg).metadata();
    fitting = await sharp(jpeg)
      .resize({ width: Math.max(1, Math.round(width * shrink ** step)) })
      .jpeg({ quality: 75 })
      .toBuffer();
  }
  return fitting;
}
