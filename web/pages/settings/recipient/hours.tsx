import { Button } from "../../../parts/button.tsx";
import { CheckField } from "../../../parts/fields.tsx";
import { useAdminTexts } from "../../../texts/admin.ts";
import { useFormat } from "../../../texts/format.tsx";
import { Chip, Chips } from "../../rules/fields.tsx";
import { Times } from "../../rules/schedule.tsx";
import { type RecipientDraft, usualHours } from "./draft.ts";

interface HoursProps {
  readonly draft: RecipientDraft;
  readonly change: (part: Partial<RecipientDraft>) => void;
}

/** When messages come at once: at any hour, or within hours that differ by weekday. */
export function Hours({ draft: { hours, criticalAnytime }, change }: HoursProps) {
  const { recipients } = useAdminTexts();
  const { zone } = useFormat();
  const more = { ...usualHours, days: [], timezone: hours.at(-1)?.timezone ?? zone };
  return (
    <fieldset className="min-w-0">
      <legend className="mb-2 font-semibold">{recipients.hours}</legend>
      <Chips>
        <Chip name="hours" isOn={hours.length === 0} onChange={() => change({ hours: [] })}>
          {recipients.anytime}
        </Chip>
        <Chip name="hours" isOn={hours.length > 0} onChange={() => change({ hours: [more] })}>
          {recipients.someHours}
        </Chip>
      </Chips>
      {hours.map((each, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: hours have no other name, and their fields hold no state
        <fieldset key={at} className="min-w-0" aria-label={recipients.hoursNumber(at + 1)}>
          <Times
            schedule={each}
            change={(part) => change({ hours: hours.map((other, index) => (index === at ? { ...other, ...part } : other)) })}
          />
          {hours.length > 1 && (
            <Button look="quiet" className="min-h-11" onClick={() => change({ hours: hours.filter((_, index) => index !== at) })}>
              {recipients.removeHours(at + 1)}
            </Button>
          )}
        </fieldset>
      ))}
      {hours.length > 0 && (
        <>
          {hours.length < 20 && (
            <Button className="mt-3 min-h-11" onClick={() => change({ hours: [...hours, more] })}>
              {recipients.moreHours}
            </Button>
          )}
          <div className="mt-2">
            <CheckField
              label={recipients.criticalAnytime}
              hint={recipients.criticalHint}
              checked={criticalAnytime}
              onChecked={(isOn) => change({ criticalAnytime: isOn })}
            />
          </div>
        </>
      )}
    </fieldset>
  );
}
