import type { z } from "zod";
import type { ChannelKindName } from "../../contract/constants.ts";
import { Problem, type ProblemItem } from "../../contract/problem.ts";
import type { Settings } from "./channel.ts";
import type { PhoneKind } from "./kind.ts";
import { apprise } from "./kinds/apprise.ts";
import { gotify } from "./kinds/gotify.ts";
import { homeAssistant } from "./kinds/home-assistant.ts";
import { ntfy } from "./kinds/ntfy.ts";
import { pushover } from "./kinds/pushover.ts";
import { telegram } from "./kinds/telegram.ts";
import { webPush } from "./kinds/web-push.ts";

export { ntfyAnswers, readNtfyLine } from "./kinds/ntfy.ts";
export { subscriptionOf } from "./kinds/web-push.ts";

/** The services that bring messages to phones, by the names of the contract. */
export const phoneKinds: Readonly<Record<ChannelKindName, PhoneKind>> = {
  ntfy,
  telegram,
  pushover,
  gotify,
  home_assistant: homeAssistant,
  apprise,
  web_push: webPush,
};

/** Checks settings. Returns them with defaults; throws `Problem("invalid")` that names each wrong setting. */
export function checkedSettings(kindName: ChannelKindName, given: Settings): Settings {
  const { settings, title } = phoneKinds[kindName];
  const checked = settings.safeParse(given);
  if (checked.success) {
    const present = Object.entries(checked.data).filter(([, value]) => value !== undefined);
    return Object.fromEntries(present) as Settings;
  }
  const items = checked.error.issues.flatMap((issue) => itemsOf(issue, title, given));
  throw new Problem("invalid", items.map(({ loc, msg }) => `${loc.slice(1).join(".")}: ${msg}`).join("; "), { items });
}

function itemsOf(issue: z.core.$ZodIssue, title: string, given: Settings): ProblemItem[] {
  if (issue.code === "unrecognized_keys") {
    const msg = `${title} has no such setting`;
    return issue.keys.map((key) => ({ loc: ["body", "settings", key], msg, type: "extra_forbidden" }));
  }
  const name = String(issue.path[0] ?? "");
  const isMissing = given[name] === undefined;
  const msg = isMissing ? `Missing; ${title} needs it` : issue.message;
  return [{ loc: ["body", "settings", name], msg, type: isMissing ? "missing" : "value_error" }];
}
