import { localTimeZone } from "../../src/base/clock/time-zone.ts";
import { severities } from "../../src/contract/constants.ts";
import type { Values } from "../command.ts";
import { choice, idOf, integer, list, type Option, seconds, text, toggle, WrongValue } from "../input/options.ts";
import { parseSchedule, scheduleForm } from "../rules/schedule-text.ts";

type Schedules = NonNullable<ReturnType<typeof parseSchedule>>[];

/** One schedule per use of the option. */
const hours: Option<Schedules | undefined> = {
  description: "Hours such as 'mon-fri 07:00-22:00' (default zone local); repeat it for more",
  placeholder: "days times zone",
  repeatable: true,
  read: ({ texts }) => {
    if (texts.length === 0) return undefined;
    return texts.map((given) => {
      const parsed = parseSchedule(given, localTimeZone());
      if (parsed === undefined) throw new WrongValue(scheduleForm);
      return parsed;
    });
  },
};

const dayOfSeconds = 86_400;

/** One flag per field of a recipient, besides the name and the channels. */
export const recipientOptions = {
  hours,
  severity: choice(severities, "Lowest severity to send (default low)"),
  rules: idOf("rule", list("rule", "Only these rules, by id or name (default all that name it)")),
  critical_anytime: toggle("Send critical alerts outside the hours too (default); --no-critical-anytime"),
  repeat_every: seconds(60, dayOfSeconds, "Repeat unacknowledged critical alerts this often (default 5m)"),
  repeat_times: integer("number", 0, 100, "Maximum number of repeats; 0 for none (default 6)"),
  escalate_to: text("recipient", "Recipient to notify if no one acknowledges"),
  escalate_after: seconds(60, dayOfSeconds, "Time until then (default 10m)"),
};

export const channelsOption = list("channel", "Names of channels to phones, and mail addresses");

/** The API fields for these options. */
export function recipientBody({ rules, repeat_every, escalate_after, ...fields }: Partial<Values<typeof recipientOptions>>) {
  return { ...fields, rule_ids: rules, repeat_minutes: minutes(repeat_every), escalate_minutes: minutes(escalate_after) };
}

const minutes = (given: number | undefined): number | undefined => (given === undefined ? undefined : Math.round(given / 60));
