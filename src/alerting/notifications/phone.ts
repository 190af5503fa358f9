import { localTimeZone } from "../../base/clock/time-zone.ts";
import type { Sealer } from "../../platform/secrets/sealer.ts";
import type { OpenChannel } from "../channels/channel.ts";
import { sendToPhone } from "../channels/send.ts";
import type { Message } from "../delivery/message.ts";
import { buttonsOf } from "./answer-token.ts";
import { withPicture } from "./message-picture.ts";
import { phoneMessage } from "./phone-text.ts";
import type { Send, TransportContext } from "./transports.ts";

/** Renders a message for a channel to phones. A picture that was deleted or cannot be read is left out, and the text says so. */
export async function phoneTransport(
  context: TransportContext & { readonly sealer: Pick<Sealer, "sign"> },
  channel: OpenChannel,
  message: Message,
  signal: AbortSignal,
): Promise<Send> {
  const { config, outbound, clock, sealer } = context;
  const { about, picture } = await withPicture(context, message, signal);
  const written = phoneMessage(about, { timeZone: localTimeZone(), links: context.links ?? config });
  const shown = picture && "jpeg" in picture ? picture.jpeg : undefined;
  const text = picture && "fault" in picture ? `${written.text}\n${picture.fault}` : written.text;
  const sending = { outbound, timeoutMs: config.webhookTimeoutSeconds * 1000, now: () => clock.now() };
  const whole = { ...written, text, picture: shown, buttons: buttonsOf(about, sealer, clock.now()) };
  return async (aborting) => await sendToPhone(channel, whole, sending, aborting);
}
