import { channelAvailability } from "../../../alerting/notifications/channels.ts";
import type { Rule } from "../../../alerting/rules/rule.ts";
import { allRules } from "../../../alerting/rules/rules-repository.ts";
import { dayMs } from "../../../base/clock/durations.ts";
import { pluralize } from "../../../base/text/pluralize.ts";
import { shellWord } from "../../../base/text/shell-word.ts";
import { objectTypes } from "../../../contract/constants.ts";
import { liveCameras } from "../../../monitoring/cameras/cameras-repository.ts";
import { objectTypeOf } from "../../../monitoring/detector-model/class-names.ts";
import { readModelFile } from "../../../monitoring/detector-model/model-file.ts";
import type { Config } from "../../../platform/config/config.ts";
import { type Check, finding, NotPossible, ok } from "../check.ts";
import { judgedEvents } from "../doctor-repository.ts";
import type { Examination } from "../examination.ts";
import { holderOf } from "../held-back-rules.ts";
import { type Possible, whyNever, whySeldom } from "../never-fires.ts";
import { listed } from "../wording.ts";

const monthMs = 30 * dayMs;
/** Of fewer events a highest score says little. */
const fewestJudged = 50;

const rules: Check = {
  id: "rules",
  group: "rules",
  title: "Alert rules",
  severity: "warning",
  finds: "There is no rule, or all of them are disabled: nobody is ever alerted",
  remedy: "homesec rules add, or homesec rules enable",
  async run(examination) {
    const known = await (await examination.rows()).query(allRules);
    const enabled = known.filter((rule) => rule.enabled);
    if (enabled.length > 0) return ok(`${enabled.length} enabled`);
    if (known.length === 0)
      return finding(
        "There is no alert rule: whatever happens, nobody is alerted",
        "homesec rules add --name 'Person' --object-types person --channels email",
      );
    return finding(
      `All ${pluralize(known.length, "rule")} are disabled: nobody is alerted`,
      `homesec rules enable ${shellWord(known[0]?.name ?? "")}`,
    );
  },
};

const neverFires: Check = {
  id: "rules-never-fire",
  group: "rules",
  title: "Rules that can never fire",
  severity: "error",
  finds:
    "An enabled rule cannot be met by any event: no minute in its schedule, cameras that do not exist, classes that the detector does not find, conditions that exclude each other",
  remedy: "homesec rules edit",
  async run(examination) {
    const enabled = await enabledRules(examination);
    const possible = await whatIsPossible(examination);
    const never = enabled.flatMap((rule) => named(rule, whyNever(rule, possible)));
    return judged(never, enabled.length);
  },
};

const seldomFires: Check = {
  id: "rules-seldom-fire",
  group: "rules",
  title: "Rules that are not met",
  severity: "warning",
  finds:
    "A rule names a camera that is gone or a class that the detector does not find besides others, or a score that no event of the last 30 days reached",
  remedy: "homesec rules edit",
  async run(examination) {
    const enabled = await enabledRules(examination);
    const possible = await whatIsPossible(examination);
    const seldom = enabled
      .filter((rule) => whyNever(rule, possible) === undefined)
      .flatMap((rule) => named(rule, whySeldom(rule, possible)));
    return judged(seldom, enabled.length);
  },
};

const heldBack: Check = {
  id: "rules-held-back",
  group: "rules",
  title: "Rules that another one holds back",
  severity: "warning",
  finds:
    "A rule that waits for the score is held back by one with the same dedup key that alerts first, when the event is stored, and is less severe or lacks its channels",
  remedy: "Put {rule_id} into the key, or let the rule escalate",
  async run(examination) {
    const enabled = await enabledRules(examination);
    const held = enabled.flatMap((rule) => {
      const holder = holderOf(rule, enabled);
      return holder ? [{ rule, holder }] : [];
    });
    if (held.length === 0) return ok(pluralize(enabled.length, "rule"));
    return finding(
      listed(
        held.map(({ rule, holder }) => `"${rule.name}" is held back by "${holder.rule.name}", which alerts first`),
        3,
      ),
      listed(
        held.map(({ rule, holder }) => {
          const update = `homesec rules update ${shellWord(rule.name)}`;
          const key = `${update} --dedup-key-template ${shellWord(`${rule.dedup_key_template}:{rule_id}`)}`;
          return holder.isLessSevere ? `${key}, or ${update} --escalate` : key;
        }),
        3,
      ),
    );
  },
};

const channels: Check = {
  id: "rule-channels",
  group: "rules",
  title: "Alerts that reach nobody",
  severity: "error",
  finds: "A rule has no channel, or only ones that cannot be used: its alerts are stored, and nobody is told",
  remedy: "Give the rule channels, and configure them",
  async run(examination) {
    const enabled = await enabledRules(examination);
    const availability = channelAvailability(examination.config());
    const mute = enabled.filter((rule) => (rule.channels ?? []).length === 0);
    const broken = enabled.flatMap((rule) => {
      const wanted = rule.channels ?? [];
      if (wanted.length === 0 || wanted.some((channel) => availability[channel].usable)) return [];
      const reasons = wanted.map((channel) => {
        const found = availability[channel];
        return found.usable ? "" : `${channel}: ${found.reason}`;
      });
      return [{ rule, text: `"${rule.name}" tells nobody (${reasons.join("; ")})` }];
    });
    if (broken.length > 0)
      return finding(
        listed(
          broken.map(({ text }) => text),
          3,
        ),
        "Set the variables that are named (homesec notifications config shows what is there), and try it: homesec notifications test email",
      );
    if (mute.length === 0) return ok(`${enabled.length} with a channel`);
    return finding(
      `${listed(
        mute.map(({ name }) => `"${name}"`),
        5,
        ", ",
      )} ${mute.length === 1 ? "has" : "have"} no channel: alerts show in homesec alerts tail only`,
      `homesec rules edit ${shellWord(mute[0]?.name ?? "")} and write channels: [email], or webhook`,
      "warning",
    );
  },
};

function named(rule: Rule, reason: string | undefined): { readonly name: string; readonly text: string }[] {
  return reason === undefined ? [] : [{ name: rule.name, text: `"${rule.name}": ${reason}` }];
}

function judged(bad: readonly { readonly name: string; readonly text: string }[], all: number) {
  if (bad.length === 0) return ok(pluralize(all, "rule"));
  const unseen = bad.some(({ text }) => text.includes("the detector never finds"));
  return finding(
    listed(
      bad.map(({ text }) => text),
      3,
    ),
    listed(
      bad.map(({ name }) => `homesec rules edit ${shellWord(name)}, or homesec rules disable ${shellWord(name)}`),
      3,
    ) + (unseen ? ". More classes are found with DETECTOR_MODEL_PATH or DETECTOR_URL" : ""),
  );
}

async function enabledRules(examination: Examination): Promise<readonly Rule[]> {
  const known = await (await examination.rows()).query(allRules);
  const enabled = known.filter((rule) => rule.enabled);
  if (enabled.length === 0) throw new NotPossible("no rule is enabled");
  return enabled;
}

async function whatIsPossible(examination: Examination): Promise<Possible> {
  const now = examination.clock.now();
  const db = await examination.rows();
  const [cameras, events] = await Promise.all([
    db.query(liveCameras),
    db.query((sql) => judgedEvents(sql, new Date(now.getTime() - monthMs))),
  ]);
  return {
    now,
    cameraIds: cameras.map(({ camera_id }) => camera_id),
    classes: classesOf(examination.config()),
    highestScore: events.judged >= fewestJudged ? (events.highest ?? undefined) : undefined,
  };
}

/** What the detector can find: people only, without a model of one's own or a detector elsewhere. */
function classesOf(config: Config): readonly string[] {
  if (config.detectorUrl !== undefined) return objectTypes;
  if (config.detectorModelPath === undefined) return ["person"];
  try {
    const { classNames } = readModelFile(config.detectorModelPath);
    return [...new Set(classNames.flatMap((name) => objectTypeOf(name) ?? []))];
  } catch (cause) {
    throw new NotPossible("the file of DETECTOR_MODEL_PATH cannot be read", { cause });
  }
}

export const ruleChecks: readonly Check[] = [rules, neverFires, seldomFires, heldBack, channels];
