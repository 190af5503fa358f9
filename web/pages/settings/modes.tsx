import { useState } from "react";
import type { z } from "zod";
import { type Mode, modeRoutes } from "../../../src/contract/routes/modes.ts";
import { useAction, useReply } from "../../api/use-reply.ts";
import { useAttempt } from "../../parts/attempt.ts";
import { Button } from "../../parts/button.tsx";
import { ConfirmButton } from "../../parts/confirm-button.tsx";
import { CheckField, SelectField } from "../../parts/fields.tsx";
import { useModeNames } from "../../parts/names.tsx";
import { Section } from "../../parts/page.tsx";
import { Loaded } from "../../parts/states.tsx";
import { useAdminTexts } from "../../texts/admin.ts";
import { useFormat } from "../../texts/format.tsx";
import { Times } from "../rules/schedule.tsx";
import { SettingsFrame } from "./frame.tsx";
import { ModeHistory } from "./modes/history.tsx";
import { NewMode } from "./modes/new-mode.tsx";

type ModeRecord = z.output<typeof Mode>;

/** The modes of the home with their delays and schedules, and who switched them. */
export default function ModesPage() {
  const { modes } = useAdminTexts();
  const reply = useReply(modeRoutes.listModes, {});
  return (
    <SettingsFrame title={modes.title}>
      <p className="mb-4 text-soft">{modes.intro}</p>
      <Loaded reply={reply} waiting={<div className="h-96" />}>
        {({ modes: all }) => (
          <div className="mb-8 grid items-start gap-4 lg:grid-cols-2">
            {all.map((mode) => (
              <ModeCard key={mode.name} mode={mode} />
            ))}
          </div>
        )}
      </Loaded>
      <NewMode />
      <ModeHistory />
    </SettingsFrame>
  );
}

const exitDelays = [0, 30, 60, 90, 120, 180, 300, 600];
const entryDelays = [0, 15, 30, 45, 60, 90, 120, 300];

function ModeCard({ mode }: { readonly mode: ModeRecord }) {
  const { modes } = useAdminTexts();
  const { zone } = useFormat();
  const nameOf = useModeNames();
  const attempt = useAttempt();
  const update = useAction(modeRoutes.updateMode, [modeRoutes.listModes]);
  const [draft, setDraft] = useState(mode);
  const name = nameOf(mode.name);
  const change = (changed: Partial<ModeRecord>): void => setDraft((before) => ({ ...before, ...changed }));
  const { exit_delay_seconds, entry_delay_seconds, schedule } = draft;
  const body = { exit_delay_seconds, entry_delay_seconds, schedule };
  return (
    <Section title={name}>
      <form
        className="grid gap-4 rounded-xl border border-line bg-card p-4"
        onSubmit={(submitted) => {
          submitted.preventDefault();
          void attempt(update.run({ params: { name: mode.name }, body }), modes.saved(name));
        }}
      >
        <div className="grid gap-4 sm:grid-cols-2">
          <DelayField
            label={modes.exit}
            hint={modes.exitHint}
            seconds={exit_delay_seconds}
            choices={exitDelays}
            onSeconds={(seconds) => change({ exit_delay_seconds: seconds })}
          />
          <DelayField
            label={modes.entry}
            hint={modes.entryHint}
            seconds={entry_delay_seconds}
            choices={entryDelays}
            onSeconds={(seconds) => change({ entry_delay_seconds: seconds })}
          />
        </div>
        {mode.name !== "home" && (
          <CheckField
            label={modes.bySchedule}
            hint={modes.scheduleHint}
            checked={schedule !== null}
            onChecked={(isOn) => change({ schedule: isOn ? { days: [], start_time: "23:00", end_time: "06:00", timezone: zone } : null })}
          />
        )}
        {schedule && <Times schedule={schedule} change={(changed) => change({ schedule: { ...schedule, ...changed } })} />}
        <div className="flex flex-wrap gap-2">
          <Button type="submit" look="main" isBusy={update.isRunning} className="min-h-11" aria-label={`${modes.save}: ${name}`}>
            {modes.save}
          </Button>
          {!mode.built_in && <Remove name={mode.name} />}
        </div>
      </form>
    </Section>
  );
}

interface DelayFieldProps {
  readonly label: string;
  readonly hint: string;
  readonly seconds: number;
  readonly choices: readonly number[];
  readonly onSeconds: (seconds: number) => void;
}

/** A delay from a list of usual ones, and the current one. */
function DelayField({ label, hint, seconds, choices, onSeconds }: DelayFieldProps) {
  const { modes } = useAdminTexts();
  const format = useFormat();
  const all = [...new Set([...choices, seconds])].toSorted((one, other) => one - other);
  return (
    <SelectField
      label={label}
      hint={hint}
      value={String(seconds)}
      options={all.map((each) => [String(each), each === 0 ? modes.none : format.duration(each * 1000)] as const)}
      onValue={(value) => onSeconds(Number(value))}
    />
  );
}

function Remove({ name }: { readonly name: string }) {
  const { modes } = useAdminTexts();
  const attempt = useAttempt();
  const remove = useAction(modeRoutes.deleteMode, [modeRoutes.listModes]);
  return (
    <ConfirmButton
      text={modes.remove}
      title={modes.removeTitle(name)}
      label={`${modes.remove}: ${name}`}
      disabled={remove.isRunning}
      onConfirm={() => void attempt(remove.run({ params: { name } }), modes.removed(name))}
    >
      {modes.removeHint}
    </ConfirmButton>
  );
}
