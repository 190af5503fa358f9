/** How a stored condition reads. */
interface Form {
  readonly condition: RegExp;
  readonly text: (...groups: string[]) => string;
  /** Every message says it anyway. */
  readonly isObvious?: true;
}

/** Conditions that matched, as `evaluate` stores them. */
const matched: readonly Form[] = [
  { condition: /^risk_score >= (\d+)$/, text: (score) => `the risk score is ${score} or more` },
  { condition: /^object_type in \[(.*)\]$/s, text: (names = "") => `${objects(names, "or")} was seen` },
  { condition: /^zone in \[(.*)\]$/s, text: (names = "") => `it was in ${joined(names, "or")}` },
  { condition: /^zone not in \[(.*)\]$/s, text: (names = "") => `it was not in ${joined(names, "or")}` },
  { condition: /^size >= ([\d.]+)$/, text: (value) => `it was at least ${percent(value)} of the picture's height` },
  { condition: /^confidence >= ([\d.]+)$/, text: (value) => `the confidence is ${percent(value)} or more` },
  { condition: /^within schedule (.*)$/s, text: (schedule) => `it was within ${schedule}` },
  { condition: /^mode (\S+) in \[.*\]$/s, text: (mode) => `the home was in mode ${mode}` },
  { condition: /^camera_id in \[(.*)\]$/s, text: (names = "") => `it was at camera ${joined(names, "or")}`, isObvious: true },
  { condition: /^kind = camera_health$/, text: () => "a camera had an incident", isObvious: true },
  { condition: /^kind = (.*)$/s, text: (kind) => `it is of kind ${kind}`, isObvious: true },
  {
    condition: /^place of the detection unknown, so (.*) counts as holding$/s,
    text: (wanted = "") => `the place of the detection is unknown, so this counts as met: ${conditionText(wanted)}`,
  },
  {
    condition: /^time zone (\S+) is not known here, so schedule (.*) counts as holding$/s,
    text: (zone, schedule) => `the time zone ${zone} is not known here, so the schedule ${schedule} counts as met`,
  },
];

/** Conditions that failed. */
const failed: readonly Form[] = [
  { condition: /^risk_score (\d+) < (\d+)$/, text: (score, least) => `the risk score is ${score}, and the rule needs ${least} or more` },
  { condition: /^risk_score unknown, not >= (\d+)$/, text: (least) => `there is no risk score, and the rule needs ${least} or more` },
  {
    condition: /^object_type \[\] not in \[(.*)\]$/s,
    text: (names = "") => `nothing was seen, and the rule needs ${objects(names, "or")}`,
  },
  {
    condition: /^object_type \[(.*)\] not in \[(.*)\]$/s,
    text: (seen = "", names = "") => {
      const [, ...others] = namesOf(seen);
      return `only ${objects(seen, "and")} ${others.length > 0 ? "were" : "was"} seen, and the rule needs ${objects(names, "or")}`;
    },
  },
  {
    condition: /^camera_id (.*) not in \[(.*)\]$/s,
    text: (camera, names = "") => `it was at ${camera}, and the rule is for ${joined(names, "and")}`,
  },
  {
    condition: /^confidence ([\d.]+) of (.*) < ([\d.]+)$/s,
    text: (value, name, least) => `the confidence of the ${name} is ${percent(value)}, and the rule needs ${percent(least)} or more`,
  },
  {
    condition: /^no detection, not >= ([\d.]+)$/,
    text: (least) => `nothing was seen, and the rule needs a confidence of ${percent(least)} or more`,
  },
  { condition: /^kind camera_health is not event$/, text: () => "a camera had an incident, and the rule is for events" },
  { condition: /^kind event is not camera_health$/, text: () => "it is an event, and the rule is for incidents of cameras" },
  { condition: /^no zone (.*) at (\S+)$/s, text: (names, camera) => `camera ${camera} has no zone ${names}` },
  {
    condition: /^feet at ([\d., -]+): (not in|in) (.*)$/s,
    text: (place, where, names) => `it stood at ${place}, which is ${where} ${names}`,
  },
  { condition: /^no detection (in|outside) (.*)$/s, text: (where, names) => `nothing was seen ${where} ${names}` },
  {
    condition: /^no detection with a size >= ([\d.]+)$/,
    text: (least) => `nothing was at least ${percent(least)} of the picture's height`,
  },
  {
    condition: /^size ([\d.]+) of (.*) < ([\d.]+)$/s,
    text: (value, name, least) => `the ${name} was ${percent(value)} of the picture's height, and the rule needs ${percent(least)} or more`,
  },
  {
    condition: /^happened (.*) and stored (.*) not within schedule (.*)$/s,
    text: (began, stored, schedule) => `it happened ${began} and was stored ${stored}, which is not within ${schedule}`,
  },
  { condition: /^(.*) not within schedule (.*)$/s, text: (time, schedule) => `${time} is not within ${schedule}` },
];

const forms = [...matched, ...failed];

/**
 * Writes a condition of a rule, as `evaluate` stores it, for people: `object_type in [person]` as `a person was seen`. Other texts stay as
 * they are.
 */
export function conditionText(condition: string): string {
  for (const { condition: form, text } of forms) {
    const match = form.exec(condition);
    if (match) return text(...match.slice(1));
  }
  return condition;
}

/** Writes the conditions that matched for a message, which names the camera and the kind of event anyway. */
export function conditionTexts(conditions: readonly string[]): readonly string[] {
  const isObvious = (condition: string): boolean => forms.find((form) => form.condition.test(condition))?.isObvious === true;
  return conditions.filter((condition) => !isObvious(condition)).map(conditionText);
}

const namesOf = (names: string): readonly string[] => [...new Set(names.split(", "))];

/** `person, car, dog` as `a person, a car or a dog`. */
const objects = (names: string, word: "and" | "or"): string =>
  joined(
    namesOf(names)
      .map((name) => `${/^[aeiou]/i.test(name) ? "an" : "a"} ${name}`)
      .join(", "),
    word,
  );

/** `gate, yard, street` as `gate, yard or street`. */
function joined(names: string, word: "and" | "or"): string {
  const last = names.lastIndexOf(", ");
  return last < 0 ? names : `${names.slice(0, last)} ${word} ${names.slice(last + 2)}`;
}

function percent(value = ""): string {
  return `${Number((Number(value) * 100).toFixed(4))} %`;
}
