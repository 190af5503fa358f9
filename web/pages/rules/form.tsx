import { ArrowDown, TriangleAlert } from "lucide-react";
import { type RefObject, useEffect, useId, useRef, useState } from "react";
import { Problem } from "../../../src/contract/problem.ts";
import { draftDays } from "../../../src/contract/routes/rule-drafts.ts";
import { Button } from "../../parts/button.tsx";
import { Fault } from "../../parts/fault.tsx";
import { inputLook } from "../../parts/fields.tsx";
import type { Texts } from "../../texts/en.ts";

import { useMoreTexts } from "../../texts/more.ts";
import { useTexts } from "../../texts/texts.tsx";
import { CamerasField, ClassesField, KindField, ScoreField } from "./conditions.tsx";
import { type Draft, useDraft } from "./draft.ts";
import { ChannelsField, ConfidenceField, CooldownFields, SeverityField } from "./effects.tsx";
import { FieldNotes, type FormNotes, FormNotesContext, Tick } from "./fields.tsx";
import { ModesField } from "./modes.tsx";
import { type Preview, PreviewResult, usePreview } from "./preview.tsx";
import { ScheduleField } from "./schedule.tsx";
import { SizeField, ZonesFields } from "./zones.tsx";

interface RuleFormProps {
  readonly base: Draft;
  /** Stores the rule; what it throws stands in the form. */
  readonly save: (draft: Draft) => Promise<void>;
}

/** Every field of a rule, with what it would have done beside it. */
export function RuleForm({ base, save }: RuleFormProps) {
  const texts = useTexts();
  const [draft, change] = useDraft(base);
  const preview = usePreview(draft);
  const [failure, setFailure] = useState<unknown>();
  const [isSaving, setSaving] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const said: FormNotes = { errors: errorsOf(texts.faultOf, failure, preview), faults: preview.reply.data?.faults ?? [] };
  useFirstError(form, failure);
  const submit = async (): Promise<void> => {
    setSaving(true);
    try {
      await save({ ...draft, name: draft.name.trim() });
    } catch (error) {
      setFailure(error);
    } finally {
      setSaving(false);
    }
  };
  const edit = (changed: Partial<Draft>): void => {
    setFailure(undefined);
    change(changed);
  };
  return (
    <FormNotesContext value={said}>
      <div className="gap-8 lg:grid lg:grid-cols-2">
        <form
          ref={form}
          noValidate
          onSubmit={(submitted) => {
            submitted.preventDefault();
            void submit();
          }}
        >
          <Fields draft={draft} change={edit} />
          <SaveBar preview={preview} failure={failure} said={said} isSaving={isSaving} />
        </form>
        <div className="mt-8 min-w-0 lg:mt-0">
          <PreviewResult preview={preview} kind={draft.kind} />
        </div>
      </div>
    </FormNotesContext>
  );
}

interface FieldsProps {
  readonly draft: Draft;
  readonly change: (changed: Partial<Draft>) => void;
}

function Fields({ draft, change }: FieldsProps) {
  const { rules } = useMoreTexts();
  const id = useId();
  const isEvent = draft.kind === "event";
  const parts = { draft, change };
  return (
    <>
      <div className="mb-7">
        <label htmlFor={id} className="font-semibold">
          {rules.name}
        </label>
        <input
          id={id}
          aria-describedby={`${id}-notes`}
          value={draft.name}
          maxLength={255}
          onChange={({ target }) => change({ name: target.value })}
          className={`${inputLook} mt-2`}
        />
        <FieldNotes field="name" id={`${id}-notes`} />
      </div>
      <KindField {...parts} />
      {isEvent && <ClassesField {...parts} />}
      <CamerasField {...parts} />
      {isEvent && <ZonesFields {...parts} />}
      <ScheduleField {...parts} />
      <ModesField {...parts} />
      {isEvent && <ScoreField {...parts} />}
      <ChannelsField {...parts} />
      <SeverityField {...parts} />
      <details className="mb-6 rounded-xl border border-line bg-card px-4">
        <summary className="py-3 font-semibold">{rules.more}</summary>
        <div className="pt-2 pb-3">
          <CooldownFields {...parts} />
          {isEvent && <SizeField {...parts} />}
          {isEvent && <ConfidenceField {...parts} />}
          <Tick isOn={draft.enabled} onChange={(enabled) => change({ enabled })}>
            {rules.enabled}
          </Tick>
        </div>
      </details>
    </>
  );
}

interface SaveBarProps {
  readonly preview: Preview;
  readonly failure: unknown;
  readonly said: FormNotes;
  readonly isSaving: boolean;
}

/** Stays in sight while the form is scrolled: what the rule would do, what is wrong with it, and the button that saves it. */
function SaveBar({ preview: { reply, isOld }, failure, said, isSaving }: SaveBarProps) {
  const { rules } = useMoreTexts();
  const count = reply.data?.tested.alerts_after_cooldown;
  const isAtField = said.errors.size > 0;
  return (
    <div className="sticky bottom-[calc(3.5rem+env(safe-area-inset-bottom))] z-10 -mx-4 border-t border-line bg-page px-4 py-3 md:bottom-0">
      {said.faults.length > 0 && (
        <p className="mb-2 flex items-center gap-2 text-sm font-medium text-medium">
          <TriangleAlert aria-hidden size={16} className="shrink-0" /> {rules.faults(said.faults.length)}
        </p>
      )}
      <Fault error={isAtField ? undefined : failure} className="mb-2" />
      <div className="flex items-center justify-between gap-3">
        <p role="status" className={`text-sm ${isOld ? "text-soft" : "font-medium"}`}>
          {isOld || count === undefined ? (
            <span>{reply.error && !isOld ? rules.cannotTry : rules.testing}</span>
          ) : (
            <a href="#preview" className="inline-flex min-h-11 items-center gap-1 underline-offset-4 hover:underline">
              {rules.count(count, draftDays)} <ArrowDown aria-hidden size={16} className="lg:hidden" />
            </a>
          )}
        </p>
        <Button type="submit" look="main" isBusy={isSaving} className="min-h-11 shrink-0">
          {rules.save}
        </Button>
      </div>
    </div>
  );
}

/** Returns why the rule cannot be saved or tried, by field. The last word of homesec about a field counts. */
function errorsOf(faultOf: Texts["faultOf"], failure: unknown, { reply, isOld }: Preview): ReadonlyMap<string, string> {
  const errors = new Map<string, string>();
  for (const problem of [isOld ? undefined : reply.error, failure]) {
    if (!(problem instanceof Problem)) continue;
    for (const { loc, ...item } of problem.items) {
      const field = loc.find((part) => part !== "body" && part !== "definition");
      if (field !== undefined) errors.set(String(field), faultOf(item));
    }
  }
  return errors;
}

/** Shows the first field that has an error after an attempt to save. */
function useFirstError(form: RefObject<HTMLFormElement | null>, failure: unknown): void {
  useEffect(() => {
    if (failure === undefined) return;
    const note = form.current?.querySelector("[data-error]");
    note?.closest("details")?.setAttribute("open", "");
    note?.scrollIntoView({ block: "center" });
    note?.closest("fieldset, div.mb-5, div.mb-7")?.querySelector<HTMLElement>("input, select")?.focus({ preventScroll: true });
  }, [form, failure]);
}
