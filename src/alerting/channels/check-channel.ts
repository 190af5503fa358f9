import type { Outbound } from "../../platform/outbound/outbound.ts";
import { maskSecrets, onOneLine } from "../delivery/texts.ts";
import type { OpenChannel } from "./channel.ts";
import { phoneKinds } from "./kinds.ts";

/** Why a channel would send nothing, and what to do. */
export interface ChannelFault {
  readonly error: string;
  readonly fix: string;
}

const longestError = 200;

/**
 * Asks the service of a channel whether it would take messages, without sending one: that it answers, and that it accepts the token, key
 * or login if it has a call for that. Returns undefined if it would. Never rejects, and no text contains a secret.
 */
export async function checkChannel(
  channel: OpenChannel,
  { outbound, timeoutMs }: { readonly outbound: Pick<Outbound, "post">; readonly timeoutMs: number },
  signal: AbortSignal,
): Promise<ChannelFault | undefined> {
  const { title, sender } = phoneKinds[channel.kind];
  const { request, fault } = sender(channel.settings).check;
  const answer = await outbound.post({ ...request, body: request.body ?? null, timeoutMs, signal });
  if (answer.kind === "refused")
    return { error: `homesec sends nothing there: ${answer.error}`, fix: "Correct the address, or OUTBOUND_ALLOW" };
  if (answer.kind === "unreachable") return { error: answer.error, fix: `Start the ${title} server, or correct its address` };
  const found = fault({ status: answer.status, body: maskSecrets(answer.body, channel.secretValues) });
  return (
    found && { error: `${title}: ${onOneLine(found.error, longestError)}`, fix: found.fix.slice(0, 1).toUpperCase() + found.fix.slice(1) }
  );
}
