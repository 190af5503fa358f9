import { useId, useState } from "react";
import { eventRoutes } from "../../../src/contract/routes/events.ts";
import { useAction } from "../../api/use-reply.ts";
import { Button } from "../../parts/button.tsx";
import { Section } from "../../parts/page.tsx";
import { useToast } from "../../parts/toast.tsx";
import { useTexts } from "../../texts/texts.tsx";
import type { FullEvent } from "../event.tsx";

/** Notes of a person about an event. */
export function Notes({ event }: { readonly event: FullEvent }) {
  const texts = useTexts();
  const toast = useToast();
  const id = useId();
  const [draft, setDraft] = useState(event.notes);
  const update = useAction(eventRoutes.updateEvent, [eventRoutes.getEvent]);
  const save = (): void =>
    void update.run({ params: { event_id: event.id }, body: { notes: draft } }).then(
      () => toast(texts.event.saved),
      (error: unknown) => toast(texts.fault(error)),
    );
  return (
    <Section title={texts.event.notes}>
      <form
        onSubmit={(submitted) => {
          submitted.preventDefault();
          save();
        }}
      >
        <label htmlFor={id} className="sr-only">
          {texts.event.notes}
        </label>
        <textarea
          id={id}
          rows={2}
          maxLength={4000}
          value={draft}
          placeholder={texts.event.notesHint}
          onChange={({ target }) => setDraft(target.value)}
          className="w-full rounded-lg border border-line bg-card p-2"
        />
        {draft !== event.notes && (
          <Button type="submit" look="main" className="mt-2" isBusy={update.isRunning}>
            {texts.common.save}
          </Button>
        )}
      </form>
    </Section>
  );
}
