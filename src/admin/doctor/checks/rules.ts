import { type ChannelAvailability, channelAvailability, noPhones } from "../../../alerting/channels/availability.ts";
import { namedChannels, namedRecipients } from "../../../alerting/channels/channels-repository.ts";
import { type ChannelTarget, chosenTargets } from "../../../alerting/channels/targets.ts";
import type { Rule, Schedule } from "../../../alerting/rules/rule.ts";
import { allRules } from "../../../alerting/rules/rules-repository.ts";
import { describeSchedule } from "../../../alerting/rules/schedule.ts";
import { dayMs } from "../../../base/clock/clock.ts";
import { fixedZoneWarning } from "../../../base/clock/fixed-zones.ts";
import { offsetIn } from "../../../base/clock/time-zone.ts";
import { pluralize, shellWord } from "../../../base/text/format.ts";
import { allRecipients, objectTypes } from "../../../contract/constants.ts";
import { liveCameras } from "../../../monitoring/cameras/cameras-repository.ts";
import { objectTypeOf } from "../../../monitoring/detector-model/class-names.ts";
import { readModelFile } from "../../../monitoring/detector-model/model-file.ts";
import { zonesByCamera } from "../../../monitoring/zones/zones-repository.ts";
import type { Config } from "../../../platform/config/config.ts";
import { builtInDetector, detectorList } from "../../../platform/config/detector-address.ts";
import { type Check, finding, NotPossible, type Outcome, ok } from "../check.ts";
import { type AlertWebhook, scoredEvents, webhooksForAlerts } from "../doctor-repository.ts";
import type { Examination, Readable } from "../examination.ts";
import { isLessSevere, type Possible, suppressorOf, whyNever, whySeldom } from "../rule-faults.ts";
import { listed } from "../wording.ts";
import { isZone } from "./program.ts";

const rules: Check = {
  id: "rules",
  replaces: ["rules-held-back", "rule-channels", "rule-time-zones"],
  group: "rules",
  title: "Alert rules",
  severity: "warning",
  finds:
    "No rule is enabled, a rule has no channel (an error: none that works) and no webhook gets its alerts, a rule names push without a channel to phones, its hours are in UTC but the machine is not, its zone has no daylight saving time (EST), another rule with the same dedup key suppresses it, or a webhook gets no alerts since the rules of its limit are gone or disabled",
  async run(examination) {
    const db = await examination.rows();
    const known = await db.query(allRules);
    const enabled = known.filter((rule) => rule.enabled);
    if (known.length === 0)
      return finding(
        "There is no alert rule, so homesec never sends an alert",
        "homesec rules add --name 'Person' --object-types person --channels email",
      );
    if (enabled.length === 0)
      return finding(
        `All ${pluralize(known.length, "rule")} are disabled, so homesec never sends an alert`,
        `homesec rules enable ${shellWord(known[0]?.name ?? "")}`,
      );
    const webhooks = await db.query(webhooksForAlerts);
    return [
      ok(`${enabled.length} enabled`),
      ...channels(enabled, webhooks, await targetsByWords(db, channelAvailability(examination.config()))),
      futileLimits(webhooks, enabled),
      suppressed(enabled),
      timeZones(enabled, examination),
      fixedZones(enabled, examination),
    ];
  },
};

async function targetsByWords(
  db: Readable,
  availability: ChannelAvailability,
): Promise<(words: readonly string[]) => readonly ChannelTarget[]> {
  const [phones, recipients] = [await db.query(namedChannels), await db.query((sql) => namedRecipients(sql, [allRecipients]))];
  return (words) => chosenTargets(words, phones, availability, recipients);
}

/** Whether a webhook gets the alerts of a rule that does not name it. */
const isWithin = ({ ruleIds, severities }: AlertWebhook, { id, severity }: Rule): boolean =>
  (ruleIds === null || ruleIds.includes(id)) && (severities === null || severities.includes(severity));

/** Channels that send nothing. No alert is lost if a webhook for alerts gets those of the rule. */
function channels(
  enabled: readonly Rule[],
  webhooks: readonly AlertWebhook[],
  targetsFor: (words: readonly string[]) => readonly ChannelTarget[],
): readonly Outcome[] {
  const othersOf = (rule: Rule): string => {
    const getting = webhooks.filter((webhook) => isWithin(webhook, rule)).map(({ name }) => `"${name}"`);
    return getting.length === 0 ? "" : `; webhook ${listed(getting)} gets its alerts`;
  };
  const outcomes: Outcome[] = [];
  let isLost = false;
  const broken = enabled.flatMap((rule) => {
    const { name, channels } = rule;
    const others = othersOf(rule);
    const targets = targetsFor(channels ?? []);
    if (targets.length === 0 || targets.some(({ reason }) => reason === null)) return [];
    isLost ||= others === "";
    const reasons = targets.map(({ channel, reason }) => `${channel}: ${reason}`);
    return [`"${name}" ${others === "" ? "notifies no one" : "sends nothing through its channels"} (${reasons.join("; ")})${others}`];
  });
  if (broken.length > 0)
    outcomes.push(
      finding(
        listed(broken),
        broken.every((text) => text.includes(noPhones))
          ? "homesec channels add ntfy (or telegram, pushover, gotify, home_assistant, apprise)"
          : "Set these variables (homesec notifications config shows the current values), then test: homesec notifications test email",
        isLost ? "error" : "warning",
      ),
    );
  const withoutPhones = enabled.filter(
    ({ name, channels }) =>
      targetsFor(channels ?? []).some(({ channel, reason }) => channel === "push" && reason === noPhones) &&
      !broken.some((text) => text.startsWith(`"${name}" `)),
  );
  if (withoutPhones.length > 0)
    outcomes.push(
      finding(
        `${listed(withoutPhones.map(({ name }) => `"${name}"`))}: push sends nothing, because no channel to phones is enabled`,
        "homesec channels add ntfy (or telegram, pushover, gotify, home_assistant, apprise)",
      ),
    );
  const unheard = enabled.filter((rule) => !rule.channels?.length && !webhooks.some((webhook) => isWithin(webhook, rule)));
  const [first, ...more] = unheard.map(({ name }) => name);
  if (first !== undefined)
    outcomes.push(
      finding(
        `${listed([first, ...more].map((name) => `"${name}"`))} ${more.length === 0 ? "has" : "have"} no channel, and no webhook gets ${more.length === 0 ? "its" : "their"} alerts: only homesec alerts tail shows them`,
        `homesec rules edit ${shellWord(first)} and write channels: [email], or add a webhook for alert_fired: homesec webhooks add`,
      ),
    );
  return outcomes;
}

/** Webhooks whose limit leaves nothing. */
function futileLimits(webhooks: readonly AlertWebhook[], enabled: readonly Rule[]): Outcome {
  const futile = webhooks.filter((webhook) => !enabled.some((rule) => isWithin(webhook, rule)));
  if (futile.length === 0) return ok();
  return finding(
    listed(futile.map(({ name }) => `Webhook "${name}" gets no alerts: no enabled rule is within its limits`)),
    listed(futile.map(({ name }) => `homesec webhooks update ${shellWord(name)} --rules NAME, or --rules '' for all`)),
  );
}

function suppressed(enabled: readonly Rule[]): Outcome {
  const pairs = enabled.flatMap((rule) => {
    const by = suppressorOf(rule, enabled);
    return by ? [{ rule, by }] : [];
  });
  if (pairs.length === 0) return ok();
  const fixOf = ({ rule, by }: (typeof pairs)[number]): string => {
    const update = `homesec rules update ${shellWord(rule.name)}`;
    const key = `${update} --dedup-key-template ${shellWord(`${rule.dedup_key_template}:{rule_id}`)}`;
    return isLessSevere(by, rule) ? `${key}, or ${update} --escalate` : key;
  };
  return finding(
    listed(pairs.map(({ rule, by }) => `"${by.name}" suppresses "${rule.name}": it alerts first, under the same dedup key`)),
    listed(pairs.map(fixOf)),
  );
}

function timeZones(enabled: readonly Rule[], { machine: { timeZone }, clock }: Examination): Outcome {
  if (equalsUtc(timeZone, clock.now().getTime())) return ok();
  const inUtc = enabled.filter(({ schedule }) => schedule?.start_time && schedule.timezone === "UTC");
  if (inUtc.length === 0) return ok();
  return finding(
    `The hours of ${listed(inUtc.map(({ name }) => `"${name}"`))} are in UTC, but this machine is in ${timeZone}`,
    listed(
      inUtc.map(
        ({ name, schedule }) =>
          `homesec rules edit ${shellWord(name)} and write schedule: ${describeSchedule({ ...(schedule as Schedule), timezone: timeZone })}`,
      ),
    ),
  );
}

function fixedZones(enabled: readonly Rule[], { machine: { timeZone } }: Examination): Outcome {
  const found = enabled.flatMap(({ name, schedule }) => {
    const warning = schedule?.start_time ? fixedZoneWarning(schedule.timezone, timeZone) : undefined;
    return warning === undefined ? [] : [{ name, warning }];
  });
  if (found.length === 0) return ok();
  return finding(
    listed(found.map(({ name, warning }) => `The hours of "${name}" do not follow the local clock: ${warning}`)),
    listed(found.map(({ name }) => `homesec rules edit ${shellWord(name)} and correct the zone in schedule`)),
  );
}

const halfYearMs = 182 * dayMs;

/** Whether a zone has the time of UTC in summer and in winter. */
function equalsUtc(zone: string, now: number): boolean {
  if (!isZone(zone)) return true;
  const offset = offsetIn(zone);
  return offset(now) === 0 && offset(now + halfYearMs) === 0;
}

const neverFires: Check = {
  id: "rules-never-fire",
  replaces: ["rules-seldom-fire"],
  group: "rules",
  title: "Rules that cannot fire",
  severity: "error",
  finds:
    "No event can match a rule: its cameras or zones do not exist, the detector does not find its classes, or its conditions contradict. A warning when only some of them, or no event of 30 days reached its score",
  async run(examination) {
    const known = await (await examination.rows()).query(allRules);
    const enabled = known.filter((rule) => rule.enabled);
    if (enabled.length === 0) throw new NotPossible("no rule is enabled");
    const possible = await possibleEvents(examination);
    if (possible.cameraIds.length === 0) throw new NotPossible("there is no camera yet");
    const never = enabled.map((rule) => ({ rule, reason: whyNever(rule, possible) }));
    const seldom = never.map(({ rule, reason }) => ({ rule, reason: reason === undefined ? whySeldom(rule, possible) : undefined }));
    return [ok(pluralize(enabled.length, "rule")), faulty(never, "error"), faulty(seldom, "warning")];
  },
};

function faulty(all: readonly { readonly rule: Rule; readonly reason: string | undefined }[], severity: "error" | "warning"): Outcome {
  const bad = all.filter(({ reason }) => reason !== undefined);
  if (bad.length === 0) return ok();
  const needsClasses = bad.some(({ reason }) => reason?.includes("the detector never finds"));
  return finding(
    listed(bad.map(({ rule, reason }) => `"${rule.name}": ${reason}`)),
    listed(bad.map(({ rule: { name } }) => `homesec rules edit ${shellWord(name)}, or homesec rules disable ${shellWord(name)}`)) +
      (needsClasses ? ". To detect more classes, set DETECTOR_MODEL_PATH or DETECTOR_URL" : ""),
    severity,
  );
}

const monthMs = 30 * dayMs;
/** With fewer events, the highest score says little. */
const minScored = 50;

async function possibleEvents(examination: Examination): Promise<Possible> {
  const now = examination.clock.now();
  const db = await examination.rows();
  const [cameras, zones, events] = await Promise.all([
    db.query(liveCameras),
    db.query(zonesByCamera),
    db.query((sql) => scoredEvents(sql, new Date(now.getTime() - monthMs))),
  ]);
  return {
    now,
    cameraIds: cameras.map(({ camera_id }) => camera_id),
    zones,
    classes: classesOf(examination.config(), (await examination.settings()).detectorUrl),
    highestScore: events.count >= minScored ? (events.highest ?? undefined) : undefined,
  };
}

/** The classes that the detector can find. The built-in one finds all of them, unless it has a custom model. */
function classesOf(config: Config, detectorUrl: string | null): readonly string[] {
  const list = detectorList(detectorUrl);
  if (config.detectorModelPath === undefined || list.some((address) => address !== builtInDetector)) return objectTypes;
  try {
    const { classNames } = readModelFile(config.detectorModelPath);
    return [...new Set(classNames.flatMap((name) => objectTypeOf(name) ?? []))];
  } catch (cause) {
    throw new NotPossible("the file of DETECTOR_MODEL_PATH cannot be read", { cause });
  }
}

export const ruleChecks: readonly Check[] = [rules, neverFires];
