import { useId, useMemo } from "react";
import { weekdays } from "../../../src/base/clock/calendar.ts";
import { inputLook } from "../../parts/fields.tsx";
import { useFormat } from "../../texts/format.tsx";
import { useMoreTexts } from "../../texts/more.ts";
import { useLocale } from "../../texts/texts.tsx";
import type { Draft, ScheduleValue } from "./draft.ts";
import { Chip, Chips, Group } from "./fields.tsx";
import { night } from "./templates.tsx";

interface ScheduleProps {
  readonly draft: Draft;
  readonly change: (changed: Partial<Draft>) => void;
}

/** When the rule is active: always, at night, or at times, days and in a zone of one's choice. */
export function ScheduleField({ draft: { schedule }, change }: ScheduleProps) {
  const { rules } = useMoreTexts();
  const { zone } = useFormat();
  const isNight =
    schedule !== null && schedule.start_time === night.start_time && schedule.end_time === night.end_time && schedule.days.length === 0;
  const base = { days: [], timezone: schedule?.timezone ?? zone };
  const own = { ...base, start_time: "08:00", end_time: "18:00" };
  return (
    <Group title={rules.whenTitle} field="schedule">
      <Chips>
        <Chip name="schedule" isOn={schedule === null} onChange={() => change({ schedule: null })}>
          {rules.always}
        </Chip>
        <Chip name="schedule" isOn={isNight} onChange={() => change({ schedule: { ...base, ...night } })}>
          {rules.atNight}
        </Chip>
        <Chip name="schedule" isOn={schedule !== null && !isNight} onChange={() => change({ schedule: own })}>
          {rules.ownTimes}
        </Chip>
      </Chips>
      {schedule && <Times schedule={schedule} change={(changed) => change({ schedule: { ...schedule, ...changed } })} />}
    </Group>
  );
}

interface TimesProps {
  readonly schedule: ScheduleValue;
  readonly change: (changed: Partial<ScheduleValue>) => void;
}

/** Times, days and zone of a schedule. */
export function Times({ schedule, change }: TimesProps) {
  const { rules } = useMoreTexts();
  const id = useId();
  const names = useWeekdayNames();
  const isOvernight = schedule.start_time !== null && schedule.end_time !== null && schedule.end_time <= schedule.start_time;
  const toggle = (day: ScheduleValue["days"][number], isOn: boolean): void =>
    change({ days: weekdays.filter((each) => (each === day ? isOn : schedule.days.includes(each))) });
  return (
    <div className="mt-3 grid gap-3 rounded-xl border border-line p-3">
      <div className="grid grid-cols-2 gap-3">
        {(["start_time", "end_time"] as const).map((field) => (
          <label key={field} className="text-sm">
            {field === "start_time" ? rules.from : rules.to}
            <input
              type="time"
              value={schedule[field] ?? ""}
              onChange={({ target }) => change({ [field]: target.value === "" ? null : target.value })}
              className={inputLook}
            />
          </label>
        ))}
      </div>
      <p className="text-sm text-soft">{isOvernight ? rules.overnight : rules.wholeDay}</p>
      <fieldset className="min-w-0">
        <legend className="text-sm">
          {rules.days} <span className="text-soft">· {rules.daysHint}</span>
        </legend>
        <div className="mt-1 flex flex-wrap gap-2">
          {weekdays.map((day) => (
            <Chip key={day} isOn={schedule.days.includes(day)} onChange={(isOn) => toggle(day, isOn)}>
              {names[day]}
            </Chip>
          ))}
        </div>
      </fieldset>
      <label htmlFor={id} className="text-sm">
        {rules.zone}
        <ZoneSelect id={id} zone={schedule.timezone} onChange={(timezone) => change({ timezone })} />
      </label>
    </div>
  );
}

function ZoneSelect({ id, zone, onChange }: { readonly id: string; readonly zone: string; readonly onChange: (zone: string) => void }) {
  const format = useFormat();
  const zones = useMemo(
    () => [...new Set([zone, format.zone, "UTC", ...Intl.supportedValuesOf("timeZone")])].toSorted(),
    [zone, format.zone],
  );
  return (
    <select id={id} value={zone} onChange={({ target }) => onChange(target.value)} className={inputLook}>
      {zones.map((each) => (
        <option key={each}>{each}</option>
      ))}
    </select>
  );
}

/** A day whose date names a weekday: 5 January 1970 was a Monday. */
const mondayMs = 4 * 86_400_000;

/** Returns the short names of the weekdays in the reader's language. */
export function useWeekdayNames(): Readonly<Record<(typeof weekdays)[number], string>> {
  const language = useLocale();
  return useMemo(() => {
    const format = new Intl.DateTimeFormat(language, { weekday: "short", timeZone: "UTC" });
    const named = weekdays.map((day, index) => [day, format.format(mondayMs + index * 86_400_000)] as const);
    return Object.fromEntries(named) as Record<(typeof weekdays)[number], string>;
  }, [language]);
}
