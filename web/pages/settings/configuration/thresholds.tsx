import { useState } from "react";
import { Field, inputLook } from "../../../parts/fields.tsx";
import { useAdminTexts } from "../../../texts/admin.ts";
import { useTexts } from "../../../texts/texts.tsx";
import { SaveLine, useSave } from "./save.tsx";

interface Scores {
  readonly medium: number;
  readonly high: number;
  readonly critical: number;
}

const levels = ["medium", "high", "critical"] as const;

/** The lowest score of each risk level; "low" begins at 0. */
export function Thresholds({ value }: { readonly value: Scores }) {
  const texts = useTexts();
  const { configuration } = useAdminTexts();
  const { save, isRunning } = useSave();
  const [scores, setScores] = useState({ medium: String(value.medium), high: String(value.high), critical: String(value.critical) });
  const isChanged = levels.some((level) => scores[level] !== String(value[level]));
  const onSave = (): void =>
    void save({
      risk_score_thresholds: { medium: Number(scores.medium), high: Number(scores.high), critical: Number(scores.critical) },
    });
  return (
    <SaveLine isChanged={isChanged} isRunning={isRunning} onSave={onSave}>
      <fieldset className="min-w-0">
        <legend className="text-sm font-medium">{configuration.setting.risk_score_thresholds}</legend>
        <div className="mt-1 grid grid-cols-3 gap-2">
          {levels.map((level) => (
            <Field key={level} label={texts.event.risk[level]}>
              {(ties) => (
                <input
                  {...ties}
                  type="number"
                  required
                  min={1}
                  max={100}
                  value={scores[level]}
                  onChange={({ target }) => setScores({ ...scores, [level]: target.value })}
                  className={inputLook}
                />
              )}
            </Field>
          ))}
        </div>
        <p className="mt-1 text-sm text-soft">{configuration.settingHint.risk_score_thresholds}</p>
      </fieldset>
    </SaveLine>
  );
}
