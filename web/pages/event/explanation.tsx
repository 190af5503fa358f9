import { CircleAlert, CircleCheck, CircleDot, CirclePause, CircleSlash } from "lucide-react";
import type { z } from "zod";
import { type Explanation as ExplanationReply, explainRoutes } from "../../../src/contract/routes/explain.ts";
import { useReply } from "../../api/use-reply.ts";
import { Section } from "../../parts/page.tsx";
import { Loaded } from "../../parts/states.tsx";
import { DaemonText } from "../../texts/daemon-text.tsx";
import { useFormat } from "../../texts/format.tsx";
import { useTexts } from "../../texts/texts.tsx";

const icons = { done: CircleCheck, waiting: CirclePause, stopped: CircleSlash, failed: CircleAlert, note: CircleDot } as const;
const colours = { done: "text-good", waiting: "text-medium", stopped: "text-medium", failed: "text-critical", note: "text-soft" } as const;

type ExplanationRecord = z.output<typeof ExplanationReply>;

/** Every step from the file to the message: why there was an alert, or why there was none. */
export function Explanation({ eventId }: { readonly eventId: number }) {
  const texts = useTexts();
  const explanation = useReply(explainRoutes.explainEvent, { params: { event_id: eventId } });
  return (
    <Section title={texts.event.explain}>
      <Loaded reply={explanation}>{(data) => <Steps {...data} />}</Loaded>
    </Section>
  );
}

interface StepsProps extends Pick<ExplanationRecord, "outcome" | "steps"> {
  /** The sentence is no answer without its steps, as for a moment with several events. */
  readonly isOpen?: boolean;
}

/** The answer in a sentence, with its steps folded. */
export function Steps({ outcome, steps, isOpen = false }: StepsProps) {
  const texts = useTexts();
  const format = useFormat();
  return (
    <>
      <p className="mb-3 break-words">
        <DaemonText>{outcome}</DaemonText>
      </p>
      <details open={isOpen}>
        <summary className="min-h-10 py-2 text-accent">{texts.event.allSteps(steps.length)}</summary>
        <ol className="grid grid-cols-1 gap-2 border-l border-line pl-3">
          {steps.map((step) => {
            const Icon = icons[step.status];
            return (
              <li key={`${step.step} ${step.text}`} className="text-sm">
                <span className={`inline-flex items-center gap-1 font-medium ${colours[step.status]}`}>
                  <Icon aria-hidden size={14} /> {texts.event.step[step.status]}
                </span>
                {step.at && (
                  <time dateTime={step.at.toISOString()} title={format.exact(step.at)} className="ml-2 text-soft">
                    {format.time(step.at)}
                  </time>
                )}
                <p className="break-words">
                  <DaemonText>{step.text}</DaemonText>
                </p>
              </li>
            );
          })}
        </ol>
      </details>
    </>
  );
}
