import type { ReactNode } from "react";
import { type configNames, ranges } from "../../../../src/contract/constants.ts";
import { configRoutes } from "../../../../src/contract/routes/system-config.ts";
import { useReply } from "../../../api/use-reply.ts";
import { Button } from "../../../parts/button.tsx";
import { CheckField, TextField } from "../../../parts/fields.tsx";
import { Section } from "../../../parts/page.tsx";
import { Loaded } from "../../../parts/states.tsx";
import { useAdminTexts } from "../../../texts/admin.ts";
import type { VariableRecord } from "../configuration.tsx";
import { type Changes, SaveLine, useFollowing, useSave } from "./save.tsx";
import { Thresholds } from "./thresholds.tsx";

type Name = (typeof configNames)[number];
type NumberName = keyof typeof numbers;

const numbers = {
  retention_days: [...ranges.retentionDays, 1],
  detection_confidence_threshold: [...ranges.confidence, 0.05],
  detector_second_opinion_below: [...ranges.confidence, 0.05],
  batch_timeout_seconds: [...ranges.batchSeconds, 1],
  batch_idle_timeout_seconds: [...ranges.batchSeconds, 1],
} as const;
const switches = ["scene_change_enabled", "vision_extraction_enabled", "reid_enabled"] as const;
const addresses = ["detector_url", "vision_url", "embedder_url", "enrichment_url"] as const;

/** The settings that change while homesec runs. Each is stored alone, so that an error is about it. */
export function LiveSettings({ variables }: { readonly variables: readonly VariableRecord[] }) {
  const { configuration } = useAdminTexts();
  const config = useReply(configRoutes.getConfig, {});
  const changed = new Set(variables.filter(({ source }) => source === "settings").map(({ setting }) => setting));
  return (
    <Section title={configuration.live_title}>
      <p className="mb-3 text-sm text-soft">{configuration.live_hint}</p>
      <Loaded reply={config} waiting={<div className="h-96" />}>
        {(data) => (
          <div className="grid gap-3 lg:grid-cols-2">
            {(Object.keys(numbers) as NumberName[]).map((name) => (
              <Card key={name} name={name} isChanged={changed.has(name)}>
                <NumberSetting name={name} value={data[name]} />
              </Card>
            ))}
            <Card name="risk_score_thresholds" isChanged={changed.has("risk_score_thresholds")}>
              <Thresholds key={JSON.stringify(data.risk_score_thresholds)} value={data.risk_score_thresholds} />
            </Card>
            {switches.map((name) => (
              <Card key={name} name={name} isChanged={changed.has(name)}>
                <SwitchSetting name={name} value={data[name]} />
              </Card>
            ))}
            {addresses.map((name) => (
              <Card key={name} name={name} isChanged={changed.has(name)}>
                <AddressSetting name={name} value={data[name] ?? ""} />
              </Card>
            ))}
          </div>
        )}
      </Loaded>
    </Section>
  );
}

interface CardProps {
  readonly name: Name;
  /** The setting was changed at run time. */
  readonly isChanged: boolean;
  readonly children: ReactNode;
}

function Card({ name, isChanged, children }: CardProps) {
  const { configuration } = useAdminTexts();
  const { save, isRunning } = useSave();
  return (
    <div className="rounded-xl border border-line bg-card p-4">
      {children}
      {isChanged && (
        <p className="mt-2 flex flex-wrap items-center justify-between gap-2 text-sm text-accent">
          {configuration.source.settings}
          <Button
            aria-label={`${configuration.reset}: ${configuration.setting[name]}`}
            isBusy={isRunning}
            onClick={() => void save({ reset: [name] })}
          >
            {configuration.reset}
          </Button>
        </p>
      )}
    </div>
  );
}

function NumberSetting({ name, value }: { readonly name: NumberName; readonly value: number }) {
  const { configuration } = useAdminTexts();
  const { save, isRunning } = useSave();
  const [text, setText] = useFollowing(String(value));
  const [min, max, step] = numbers[name];
  return (
    <SaveLine isChanged={text !== String(value)} isRunning={isRunning} onSave={() => void save({ [name]: Number(text) } as Changes)}>
      <TextField
        label={configuration.setting[name]}
        hint={configuration.settingHint[name]}
        type="number"
        required
        min={min}
        max={max}
        step={step === 1 ? 1 : "any"}
        value={text}
        onText={setText}
      />
    </SaveLine>
  );
}

function SwitchSetting({ name, value }: { readonly name: (typeof switches)[number]; readonly value: boolean }) {
  const { configuration } = useAdminTexts();
  const { save } = useSave();
  return (
    <CheckField
      label={configuration.setting[name]}
      hint={configuration.settingHint[name]}
      checked={value}
      onChecked={(isOn) => void save({ [name]: isOn } as Changes)}
    />
  );
}

function AddressSetting({ name, value }: { readonly name: (typeof addresses)[number]; readonly value: string }) {
  const { configuration } = useAdminTexts();
  const { save, isRunning } = useSave();
  const [text, setText] = useFollowing(value);
  return (
    <SaveLine
      isChanged={text.trim() !== value}
      isRunning={isRunning}
      onSave={() => void save({ [name]: text.trim() === "" ? null : text.trim() } as Changes)}
    >
      <TextField
        label={configuration.setting[name]}
        hint={configuration.settingHint[name]}
        type={name === "detector_url" ? "text" : "url"}
        placeholder={configuration.builtIn}
        value={text}
        onText={setText}
      />
    </SaveLine>
  );
}
