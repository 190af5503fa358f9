import type { Typed } from "../command.ts";
import type { Io } from "../io.ts";
import { similarId } from "./similar-id.ts";

/** What to do about something that does not exist, by what the daemon says of it; `$1` is the group of the pattern. */
const remedies: readonly (readonly [RegExp, string])[] = [
  [/^Camera (\S+) has no scene change /, "`homesec cameras scene-changes list $1` shows which there are."],
  [/^Event (\d+) is deleted/, "`homesec events restore $1` brings it back."],
  [/^Job \d+ (?:.*) of the queue (\w+)$/, "`homesec dlq list --queue $1` shows which there are."],
  [/^Delivery /, "`homesec webhooks deliveries` shows those of a webhook."],
  ...Object.entries({
    Camera: "cameras list",
    Event: "events list",
    Detection: "detections list",
    Entity: "entities list",
    Rule: "rules list",
    Alert: "alerts list",
    Silence: "silence list",
    Webhook: "webhooks list",
  }).map(([thing, list]) => [new RegExp(`^${thing} \\S+ does not exist`), `\`homesec ${list}\` shows which there are.`] as const),
];

/**
 * What helps when something does not exist: the camera that was probably meant, and where to look. `list` is the command that lists
 * what the command is about. Undefined when the message says it itself, or nothing is known.
 */
export async function missingRemedy(message: string, typed: Typed, io: Io, list: string | undefined): Promise<string | undefined> {
  if (typed.command.name === `${list?.split(" ")[0]} restore` && message.endsWith(" does not exist")) {
    return `\`homesec ${list} --deleted\` shows which can be restored.`;
  }
  const guess = await similarId(message, typed, io);
  const meant = guess === undefined ? [] : [`Did you mean ${guess}?`];
  return [...meant, ...whereToLook(message, list)].join(" ") || undefined;
}

function whereToLook(message: string, list: string | undefined): readonly string[] {
  if (message.includes("`homesec ") || message.includes("; there are ")) return [];
  for (const [pattern, remedy] of remedies) {
    const match = pattern.exec(message);
    if (match) return [remedy.replace("$1", match[1] ?? "")];
  }
  return list !== undefined && message.endsWith(" does not exist") ? [`\`homesec ${list}\` shows which there are.`] : [];
}
