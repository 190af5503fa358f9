import { ShieldCheck } from "lucide-react";
import { useEffect, useState } from "react";
import type { z } from "zod";
import { type ModeState, modeRoutes } from "../../src/contract/routes/modes.ts";
import { useMay } from "../api/use-may.tsx";
import { useAction, useReply } from "../api/use-reply.ts";
import { useFormat } from "../texts/format.tsx";
import { useTexts } from "../texts/texts.tsx";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { useModeNames } from "./names.ts";
import { useToast } from "./toast.tsx";

type State = z.output<typeof ModeState>;

/** Shows the mode of the home, or the countdown to the next one, and switches it by two taps. Nothing for guests. */
export function ModeButton({ className = "" }: { readonly className?: string }) {
  const { modes } = useTexts();
  const nameOf = useModeNames();
  const may = useMay("resident");
  const [isOpen, setOpen] = useState(false);
  const { data } = useReply(modeRoutes.getMode, {}, { enabled: may });
  const left = useSecondsLeft(data?.pending?.effective_at);
  if (!may) return null;
  const text = data ? (data.pending ? modes.next(nameOf(data.pending.mode), left) : modes.current(nameOf(data.mode))) : modes.title;
  return (
    <>
      <button
        type="button"
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
        className={`inline-flex min-h-11 items-center gap-2 rounded-lg border border-line bg-card px-3 py-2 text-left text-sm font-medium hover:bg-raised ${data?.pending ? "text-medium" : ""} ${className}`}
      >
        <ShieldCheck aria-hidden size={18} className="shrink-0" /> {text}
      </button>
      <Dialog title={modes.title} isOpen={isOpen} onClose={() => setOpen(false)}>
        {data && <Choices state={data} onClose={() => setOpen(false)} />}
      </Dialog>
    </>
  );
}

/** Returns the seconds until a time, counting down. */
function useSecondsLeft(until: Date | undefined): number {
  const [now, setNow] = useState(Date.now);
  const ends = until?.getTime();
  useEffect(() => {
    if (ends === undefined) return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), 500);
    return () => clearInterval(timer);
  }, [ends]);
  return ends === undefined ? 0 : Math.max(0, Math.ceil((ends - now) / 1000));
}

function Choices({ state, onClose }: { readonly state: State; readonly onClose: () => void }) {
  const { modes } = useTexts();
  const format = useFormat();
  const nameOf = useModeNames();
  const { data } = useReply(modeRoutes.listModes, {});
  const choose = useSwitch();
  const hints: Readonly<Record<string, string>> = modes.hints;
  const { pending } = state;
  return (
    <>
      <div className="grid gap-2">
        {(data?.modes ?? []).map(({ name, exit_delay_seconds: delay }) => {
          const isCurrent = name === state.mode;
          const hint = hints[name] ?? "";
          const wait = delay > 0 && !isCurrent ? modes.exitDelay(format.duration(delay * 1000)) : "";
          return (
            <Button
              key={name}
              aria-pressed={isCurrent}
              {...(isCurrent && { "data-first": true })}
              className={`min-h-12 justify-between! text-left ${isCurrent ? "border-2! border-accent!" : ""}`}
              onClick={() => {
                onClose();
                void choose(name, false);
              }}
            >
              {nameOf(name)} <span className="text-right font-normal text-soft">{[hint, wait].filter(Boolean).join(" · ")}</span>
            </Button>
          );
        })}
        {pending && (
          <div className="flex gap-2">
            <Button className="flex-1" onClick={() => void choose(state.mode, false)}>
              {modes.cancel}
            </Button>
            <Button className="flex-1" onClick={() => void choose(pending.mode, true)}>
              {modes.skip}
            </Button>
          </div>
        )}
      </div>
      <p className="mt-3 text-sm text-soft">
        <Author state={state} /> {modes.hint}
      </p>
    </>
  );
}

function Author({ state: { since, source, set_by } }: { readonly state: State }) {
  const { modes } = useTexts();
  const format = useFormat();
  if (since === null) return null;
  const time = format.time(since);
  const text = source === "schedule" ? modes.bySchedule(time) : set_by === null ? modes.since(time) : modes.by(set_by, time);
  return <span>{text}.</span>;
}

/** Returns a function that switches the mode, and says so with a way back. */
function useSwitch(): (mode: string, isAtOnce: boolean) => Promise<void> {
  const texts = useTexts();
  const { modes } = texts;
  const format = useFormat();
  const nameOf = useModeNames();
  const toast = useToast();
  const set = useAction(modeRoutes.setMode, [modeRoutes.getMode, modeRoutes.listModeSwitches]);
  return async (mode, isAtOnce) => {
    try {
      const state = await set.run({ body: { mode, skip_exit_delay: isAtOnce } });
      toast(
        state.pending
          ? modes.pending(nameOf(state.pending.mode), format.clock(state.pending.effective_at))
          : modes.switched(nameOf(state.mode)),
      );
    } catch (error) {
      toast(texts.fault(error));
    }
  };
}
