import { weekdays } from "../../../src/base/clock/calendar.ts";
import { channelName, classNames, useCameraNames, useModeNames } from "../../parts/names.tsx";
import { useFormat } from "../../texts/format.tsx";
import { useMoreTexts } from "../../texts/more.ts";
import { useTexts } from "../../texts/texts.tsx";
import type { Draft, ScheduleValue } from "./draft.ts";
import { useWeekdayNames } from "./schedule.tsx";

/** Returns a function that writes times and days: "Mon, Tue 07:00–22:00". The zone stands there only if it is not the home's. */
export function useTimesWords(): (times: ScheduleValue) => string {
  const format = useFormat();
  const names = useWeekdayNames();
  const { rules } = useMoreTexts();
  return ({ days, start_time, end_time, timezone }) =>
    [
      days.length === 0 || days.length === 7
        ? ""
        : weekdays
            .filter((day) => days.includes(day))
            .map((day) => names[day])
            .join(", "),
      start_time === null ? "" : `${start_time}–${end_time}`,
      timezone === format.zone ? "" : timezone,
    ]
      .filter(Boolean)
      .join(" ") || rules.everyDay;
}

/** Returns the conditions and effects of a rule in words. */
export function useRuleWords(rule: Draft): readonly string[] {
  const texts = useTexts();
  const format = useFormat();
  const nameOf = useCameraNames();
  const times = useTimesWords();
  const { rules } = useMoreTexts();
  const modeName = useModeNames();
  const channels = (rule.channels ?? []).map((channel) => channelName(texts, channel));
  return [
    rule.kind === "camera_health" ? rules.health : rule.risk_threshold === null ? rules.anyScore : rules.score(rule.risk_threshold),
    ...(rule.object_types ? [rules.classes(classNames(texts, rule.object_types))] : []),
    ...(rule.camera_ids ? [rules.cameras(rule.camera_ids.map(nameOf).join(", "))] : []),
    ...(rule.zones ? [rules.inZones(rule.zones.join(", "))] : []),
    ...(rule.not_zones ? [rules.notInZones(rule.not_zones.join(", "))] : []),
    ...(rule.min_size !== null ? [rules.size(format.percent(rule.min_size))] : []),
    ...(rule.min_confidence !== null ? [rules.confidence(format.percent(rule.min_confidence))] : []),
    ...(rule.schedule ? [times(rule.schedule)] : []),
    ...(rule.modes ? [rules.modes(rule.modes.map(modeName).join(", "))] : []),
    ...(rule.immediate ? [rules.immediate] : []),
    ...(rule.cooldown_seconds > 0 ? [rules.cooldown(format.duration(rule.cooldown_seconds * 1000))] : []),
    channels.length > 0 ? rules.channels(channels.join(", ")) : rules.noChannels,
  ];
}
