import type { Typed } from "../command.ts";
import type { Io } from "../io.ts";
import { similarId } from "./similar-id.ts";

/** Advice by the message of the daemon; `$1` is the group of the pattern. */
const adviceByMessage: readonly (readonly [RegExp, string])[] = [
  [/^Camera (\S+) has no scene change /, "`homesec cameras scene-changes list $1` lists them."],
  [/^Camera (\S+) has no zone /, "`homesec cameras zones list $1` lists them."],
  [/^Event (\d+) is deleted/, "Restore it with `homesec events restore $1`."],
  [/^Job \d+ (?:.*) of the queue (\w+)$/, "`homesec dlq list --queue $1` lists them."],
  [/^Delivery /, "`homesec webhooks deliveries` lists the deliveries of a webhook."],
  ...Object.entries({
    Camera: "cameras list",
    Event: "events list",
    Detection: "detections list",
    Entity: "entities list",
    Rule: "rules list",
    Alert: "alerts list",
    Silence: "silence list",
    Mode: "modes list",
    Share: "shares list",
    Mask: "cameras masks list",
    Webhook: "webhooks list",
  }).map(([thing, list]) => [new RegExp(`^${thing} \\S+ does not exist`), `\`homesec ${list}\` lists them.`] as const),
];

/**
 * Advice for something that does not exist: a similar camera id, and the list command. `list` is the list command of the same
 * group. Undefined if the message has advice already, or there is none.
 */
export async function notFoundAdvice(message: string, typed: Typed, io: Io, list: string | undefined): Promise<string | undefined> {
  if (typed.command.name === `${list?.split(" ")[0]} restore` && message.endsWith(" does not exist")) {
    return `\`homesec ${list} --deleted\` lists what can be restored.`;
  }
  const guess = await similarId(message, typed, io);
  const meant = guess === undefined ? [] : [`Did you mean ${guess}?`];
  return [...meant, ...listAdvice(message, list)].join(" ") || undefined;
}

function listAdvice(message: string, list: string | undefined): readonly string[] {
  if (message.includes("`homesec ") || message.includes("; there are ")) return [];
  for (const [pattern, advice] of adviceByMessage) {
    const match = pattern.exec(message);
    if (match) return [advice.replace("$1", match[1] ?? "")];
  }
  return list !== undefined && message.endsWith(" does not exist") ? [`\`homesec ${list}\` lists them.`] : [];
}
