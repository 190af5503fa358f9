import { objectTypes } from "../../../src/contract/constants.ts";
import { cameraRoutes } from "../../../src/contract/routes/cameras.ts";
import { useReply } from "../../api/use-reply.ts";
import { inputLook } from "../../parts/fields.tsx";
import { className, everyCamera } from "../../parts/names.tsx";
import { useMoreTexts } from "../../texts/more.ts";
import { useTexts } from "../../texts/texts.tsx";
import type { Draft } from "./draft.ts";
import { Chip, Chips, FieldNotes, Group, Tick, toggled } from "./fields.tsx";

interface PartProps {
  readonly draft: Draft;
  readonly change: (changed: Partial<Draft>) => void;
}

/** Whether something is seen or a camera has trouble. An incident of a camera has neither classes nor a rating. */
export function KindField({ draft, change }: PartProps) {
  const { rules } = useMoreTexts();
  const health = {
    kind: "camera_health",
    risk_threshold: null,
    immediate: false,
    object_types: null,
    zones: null,
    not_zones: null,
    min_size: null,
    min_confidence: null,
  } as const;
  return (
    <Group title={rules.about} field="kind" {...(draft.kind === "camera_health" && { hint: rules.kindHint })}>
      <Chips>
        <Chip name="kind" isOn={draft.kind === "event"} onChange={() => change({ kind: "event" })}>
          {rules.kind.event}
        </Chip>
        <Chip name="kind" isOn={draft.kind === "camera_health"} onChange={() => change(health)}>
          {rules.kind.camera_health}
        </Chip>
      </Chips>
    </Group>
  );
}

/** The classes, with those that a stored rule names and no detector reports. */
export function ClassesField({ draft, change }: PartProps) {
  const texts = useTexts();
  const { rules } = useMoreTexts();
  const labels = [...new Set<string>([...objectTypes, ...(draft.object_types ?? [])])];
  return (
    <Group title={rules.classesTitle} hint={rules.classesHint} field="object_types">
      <Chips>
        {labels.map((label) => (
          <Chip
            key={label}
            isOn={draft.object_types?.includes(label) ?? false}
            onChange={(isOn) => change({ object_types: toggled(draft.object_types, label, isOn) })}
          >
            {className(texts, label)}
          </Chip>
        ))}
      </Chips>
    </Group>
  );
}

/** The cameras, with those that a stored rule names and that are gone. */
export function CamerasField({ draft, change }: PartProps) {
  const { rules } = useMoreTexts();
  const { data } = useReply(cameraRoutes.listCameras, everyCamera);
  const known = new Map(data?.cameras.map(({ camera_id, name }) => [camera_id, name]));
  for (const id of draft.camera_ids ?? []) if (!known.has(id)) known.set(id, id);
  return (
    <Group title={rules.camerasTitle} hint={rules.camerasHint} field="camera_ids">
      <Chips>
        {[...known].map(([id, name]) => (
          <Chip
            key={id}
            isOn={draft.camera_ids?.includes(id) ?? false}
            onChange={(isOn) => change({ camera_ids: toggled(draft.camera_ids, id, isOn) })}
          >
            {name}
          </Chip>
        ))}
      </Chips>
    </Group>
  );
}

/** The usual lower bound when a rule begins to wait for the rating. */
const usualScore = 60;

/** The least rating. */
export function ScoreField({ draft, change }: PartProps) {
  const { rules } = useMoreTexts();
  const score = draft.risk_threshold;
  const set = (text: string): void => change({ risk_threshold: text === "" ? 0 : Number(text) });
  return (
    <Group title={rules.scoreTitle} field="risk_threshold" {...(score !== null && { hint: rules.scoreHint })}>
      <Chips>
        <Chip name="score" isOn={score === null} onChange={() => change({ risk_threshold: null })}>
          {rules.anyRating}
        </Chip>
        <Chip name="score" isOn={score !== null} onChange={() => change({ risk_threshold: usualScore, immediate: false })}>
          {rules.fromScore} {score ?? usualScore}
        </Chip>
      </Chips>
      {score !== null && (
        <div className="mt-3 flex items-center gap-3">
          <input
            type="range"
            min={0}
            max={100}
            step={5}
            value={score}
            aria-label={rules.fromScore}
            onChange={({ target }) => set(target.value)}
            className="h-11 min-w-0 flex-1 accent-accent"
          />
          <input
            type="number"
            inputMode="numeric"
            value={score}
            aria-label={rules.fromScore}
            onChange={({ target }) => set(target.value)}
            className={`${inputLook} max-w-24`}
          />
        </div>
      )}
      {score === null && (
        <div className="mt-3">
          <Tick isOn={draft.immediate} onChange={(immediate) => change({ immediate })}>
            {rules.immediate}
          </Tick>
          <FieldNotes field="immediate" />
        </div>
      )}
    </Group>
  );
}
