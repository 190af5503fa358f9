import { isDeepStrictEqual } from "node:util";
import { localTimeZone } from "../../src/base/clock/time-zone.ts";
import { allRules, type Rule } from "../input/find.ts";
import { plain } from "../output/terminal-format.ts";
import { parseSchedule } from "../rules/schedule-text.ts";
import { mostShown } from "./cameras.ts";
import { readChannels } from "./channels.ts";
import type { Setup } from "./questions.ts";

/** A rule that `homesec setup` offers. */
interface Offer {
  readonly label: string;
  readonly name: string;
  readonly severity: Rule["severity"];
  readonly schedule?: string;
  readonly risk_threshold?: number;
  readonly object_types?: readonly string[];
  readonly modes?: readonly string[];
}

const people = { object_types: ["person"] };
const offers: readonly Offer[] = [
  { label: "people at any time", name: "Person", severity: "medium", ...people },
  { label: "people at night (22:00 to 06:00)", name: "Person at night", severity: "high", schedule: "22:00-06:00", ...people },
  {
    ...{ label: "people while you are away at work (Monday to Friday, 08:00 to 17:00)", name: "Person in working hours" },
    ...{ severity: "high", schedule: "mon-fri 08:00-17:00", ...people },
  },
  {
    ...{ label: "people while the home is in mode away or night (`homesec mode away`)", name: "Person while away" },
    ...{ severity: "high", modes: ["away", "night"], ...people },
  },
  { label: "everything with a high risk (score of 60 or more)", name: "High risk", severity: "high", risk_threshold: 60 },
];

/** Shows the rules and asks for more. The rule sends its alerts over every usable channel; webhooks get them in any case. */
export async function askForRules(setup: Setup): Promise<void> {
  const { io, say, choose } = setup;
  say("\n3 of 4: rule");
  for (;;) {
    const [rules, { usable }] = await Promise.all([allRules(io), readChannels(io)]);
    for (const { name, enabled, channels } of rules.slice(0, mostShown)) {
      say(`  ${plain(name)}  ${enabled ? "on" : "off"}  ${channels?.join(", ") || "webhooks only"}`);
    }
    if (rules.length > mostShown) say(`  and ${rules.length - mostShown} more (\`homesec rules list\`)`);
    await offerChannels(setup, rules, usable);
    const isFirst = rules.length === 0;
    const choices = [...offers.map(({ label }) => label), isFirst ? "no rule" : "continue"];
    const question = isFirst ? "What do you want alerts about?" : "Add another rule? (`homesec rules add` has all conditions)";
    const offer = offers[await choose(question, choices, isFirst ? 0 : offers.length)];
    if (offer === undefined) return;
    await addOffer(setup, offer, rules, usable);
  }
}

/** Without this question, rules from before the channel would stay silent. A rule that has a channel keeps it. */
async function offerChannels({ io, say, yes, saved }: Setup, rules: readonly Rule[], usable: Channels): Promise<void> {
  const active = rules.filter(({ enabled }) => enabled);
  if (usable.length === 0 || active.some(({ channels }) => (channels ?? []).length > 0)) return;
  for (const { id, name } of active) {
    if (!(await yes(`Send the alerts of ${plain(name)} by ${usable.join(" and ")}?`, true))) continue;
    await io.call("updateRule", { params: { id }, body: { channels: [...usable] } });
    saved.push(`rule ${name} sends by ${usable.join(" and ")}`);
    say("Changed.");
  }
}

type Channels = Awaited<ReturnType<typeof readChannels>>["usable"];

async function addOffer({ io, say, yes, saved }: Setup, offer: Offer, rules: readonly Rule[], usable: Channels): Promise<void> {
  const conditions = conditionsOf(offer);
  const same = rules.find((rule) => isDeepStrictEqual(conditionsOf(rule), conditions));
  if (same === undefined) {
    const name = rules.some((rule) => rule.name === offer.name) ? `${offer.name} (${offer.label})` : offer.name;
    const { camera_ids: _, ...body } = conditions;
    const rule = await io.call("createRule", { body: { ...body, name, severity: offer.severity, channels: [...usable] } });
    saved.push(`rule ${rule.name}`);
    say(`Added the rule ${rule.name}.`);
    return;
  }
  const lacks = usable.filter((channel) => !same.channels?.includes(channel));
  const missing = [...(same.enabled ? [] : ["is off"]), ...(lacks.length === 0 ? [] : [`sends nothing by ${lacks.join(" and ")}`])];
  say(`The rule ${plain(same.name)} has these conditions already${missing.length === 0 ? "." : `, but ${missing.join(" and ")}.`}`);
  if (missing.length === 0 || !(await yes("Change that?", true))) return;
  const channels = [...(same.channels ?? []), ...lacks];
  await io.call("updateRule", { params: { id: same.id }, body: { enabled: true, channels } });
  saved.push(`rule ${same.name}`);
}

type Conditions = Partial<Pick<Rule, "kind" | "risk_threshold" | "camera_ids" | "min_confidence">> & {
  readonly object_types?: readonly string[] | null;
  readonly modes?: readonly string[] | null;
  readonly schedule?: Rule["schedule"] | string;
};

/** The conditions in a form that can be compared. */
function conditionsOf({ kind = "event", risk_threshold = null, object_types = null, camera_ids = null, ...rest }: Conditions) {
  const { schedule = null, modes = null, min_confidence = null } = rest;
  const parsed = typeof schedule === "string" ? (parseSchedule(schedule, localTimeZone()) ?? null) : schedule;
  const lists = { object_types: object_types && [...object_types], modes: modes && [...modes] };
  return { kind, risk_threshold, ...lists, camera_ids, schedule: parsed, min_confidence };
}
