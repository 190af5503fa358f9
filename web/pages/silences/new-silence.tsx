import { type ReactNode, useState } from "react";
import { cameraRoutes } from "../../../src/contract/routes/cameras.ts";
import { ruleRoutes } from "../../../src/contract/routes/rules.ts";
import { silenceRoutes } from "../../../src/contract/routes/silences.ts";
import { useAction, useReply } from "../../api/use-reply.ts";
import { Button } from "../../parts/button.tsx";
import { Fault } from "../../parts/fault.tsx";
import { inputLook } from "../../parts/fields.tsx";
import { instantAt, type MuteEnd, muteEndAt, nextMorning } from "../../parts/mute-ends.ts";
import { everyCamera } from "../../parts/names.tsx";
import { useToast } from "../../parts/toast.tsx";
import { useFormat } from "../../texts/format.tsx";
import { useMoreTexts } from "../../texts/more.ts";
import { useTexts } from "../../texts/texts.tsx";

interface NewSilenceProps {
  /** Ids of a camera and a rule that are chosen at first; empty for all. */
  readonly start: { readonly camera: string; readonly rule: string };
}

/** Mutes the alerts of a camera, of a rule, of both or all, for some hours, until the morning or until a time. */
export function NewSilence({ start }: NewSilenceProps) {
  const texts = useTexts();
  const { mute } = useMoreTexts();
  const toast = useToast();
  const format = useFormat();
  const [camera, setCamera] = useState(start.camera);
  const [rule, setRule] = useState(start.rule);
  const [until, setUntil] = useState("2");
  const [ownEnd, setOwnEnd] = useState("");
  const [reason, setReason] = useState("");
  const [error, setError] = useState<unknown>();
  const create = useAction(silenceRoutes.createSilence, [silenceRoutes.listSilences]);
  const end = useAction(silenceRoutes.endSilence, [silenceRoutes.listSilences]);
  const submit = async (): Promise<void> => {
    const scope = camera === "" && rule === "" ? { all: true } : { ...(camera && { camera_id: camera }), ...(rule && { rule_id: rule }) };
    const ends_at = until === "own" ? instantAt(ownEnd, format.zone) : muteEndAt(endOf(until), new Date(), format.zone);
    try {
      const silence = await create.run({ body: { ...scope, ...(ends_at && { ends_at }), reason: reason.trim() || mute.reason } });
      setReason("");
      setError(undefined);
      toast(mute.active(format.time(silence.ends_at)), () => void end.run({ params: { id: silence.id } }));
    } catch (failure) {
      setError(failure);
    }
  };
  return (
    <form
      className="mb-8 grid gap-3 rounded-xl border border-line bg-card p-4 sm:grid-cols-2 lg:grid-cols-4"
      onSubmit={(submitted) => {
        submitted.preventDefault();
        void submit();
      }}
    >
      <CameraChoice value={camera} onChange={setCamera} />
      <RuleChoice value={rule} onChange={setRule} />
      <EndChoice value={until} onChange={setUntil} />
      {until === "own" && (
        <Labelled text={mute.endsAt}>
          <input
            type="datetime-local"
            name="ends_at"
            required
            value={ownEnd}
            onChange={({ target }) => setOwnEnd(target.value)}
            className={inputLook}
          />
        </Labelled>
      )}
      <Labelled text={texts.silences.reason}>
        <input
          value={reason}
          maxLength={500}
          placeholder={texts.silences.reasonHint}
          onChange={({ target }) => setReason(target.value)}
          className={inputLook}
        />
      </Labelled>
      <Fault error={error} className="sm:col-span-full" />
      <Button type="submit" look="main" isBusy={create.isRunning} className="min-h-11 sm:col-span-full sm:justify-self-start">
        {texts.silences.add}
      </Button>
    </form>
  );
}

interface ChoiceProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function CameraChoice({ value, onChange }: ChoiceProps) {
  const texts = useTexts();
  const { data } = useReply(cameraRoutes.listCameras, everyCamera);
  return (
    <Labelled text={texts.silences.of}>
      <select value={value} onChange={({ target }) => onChange(target.value)} className={inputLook}>
        <option value="">{texts.silences.everything}</option>
        {data?.cameras.map(({ camera_id, name }) => (
          <option key={camera_id} value={camera_id}>
            {name}
          </option>
        ))}
      </select>
    </Labelled>
  );
}

function RuleChoice({ value, onChange }: ChoiceProps) {
  const { mute } = useMoreTexts();
  const { data } = useReply(ruleRoutes.listRules, { query: { limit: 1000 } });
  return (
    <Labelled text={mute.rule}>
      <select value={value} onChange={({ target }) => onChange(target.value)} className={inputLook}>
        <option value="">{mute.anyRule}</option>
        {data?.items.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </Labelled>
  );
}

const hours = [1, 2, 4, 8];
const days = [1, 3, 7];

function EndChoice({ value, onChange }: ChoiceProps) {
  const texts = useTexts();
  const { mute } = useMoreTexts();
  const format = useFormat();
  const morning = nextMorning(new Date(), format.zone);
  return (
    <Labelled text={texts.silences.for}>
      <select value={value} onChange={({ target }) => onChange(target.value)} className={inputLook}>
        {hours.map((each) => (
          <option key={each} value={each}>
            {texts.silences.hours(each)}
          </option>
        ))}
        <option value="morning">
          {mute.morning[morning.isToday ? "today" : "tomorrow"]} ({format.time(morning.at)})
        </option>
        {days.map((each) => (
          <option key={each} value={each * 24}>
            {mute.days(each)}
          </option>
        ))}
        <option value="ended">
          {mute.untilEnded} ({mute.untilEndedHint})
        </option>
        <option value="own">{mute.ownEnd}</option>
      </select>
    </Labelled>
  );
}

function endOf(value: string): MuteEnd {
  return value === "morning" || value === "ended" ? { kind: value } : { kind: "hours", hours: Number(value) };
}

function Labelled({ text, children }: { readonly text: string; readonly children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the field is a child
    <label className="min-w-0 text-sm">
      {text}
      {children}
    </label>
  );
}
