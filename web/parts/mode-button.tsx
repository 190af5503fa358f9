import { ShieldCheck } from "lucide-react";
import { lazy, Suspense, useEffect, useState } from "react";
import { modeRoutes } from "../../src/contract/routes/modes.ts";
import { useMay } from "../api/use-may.tsx";
import { useReply } from "../api/use-reply.ts";
import { useTexts } from "../texts/texts.tsx";
import { Dialog } from "./dialog.tsx";
import { useModeNames } from "./names.tsx";

/** Loaded with the first opening of the dialog. */
const ModeChoices = lazy(() => import("./mode-choices.tsx"));

/** Shows the mode of the home, or the countdown to the next one, and switches it by two taps. Guests only see it. */
export function ModeButton({ className = "" }: { readonly className?: string }) {
  const { modes } = useTexts();
  const nameOf = useModeNames();
  const may = useMay("resident");
  const [isOpen, setOpen] = useState(false);
  // The live messages of guests say nothing about modes
  const { data } = useReply(modeRoutes.getMode, {}, may ? {} : { everyMs: 15_000 });
  const left = useSecondsLeft(data?.pending?.effective_at);
  const look = `inline-flex min-h-11 items-center gap-2 rounded-lg border border-line bg-card px-3 py-2 text-left text-sm font-medium ${data?.pending ? "text-medium" : ""} ${className}`;
  const text = data ? (data.pending ? modes.next(nameOf(data.pending.mode), left) : modes.current(nameOf(data.mode))) : modes.title;
  const shown = (
    <>
      <ShieldCheck aria-hidden size={18} className="shrink-0" /> {text}
    </>
  );
  if (!may) return <p className={look}>{shown}</p>;
  return (
    <>
      <button type="button" aria-haspopup="dialog" onClick={() => setOpen(true)} className={`${look} hover:bg-raised`}>
        {shown}
      </button>
      <Dialog title={modes.title} isOpen={isOpen} onClose={() => setOpen(false)}>
        <Suspense fallback={<div className="h-64" />}>{data && <ModeChoices state={data} onClose={() => setOpen(false)} />}</Suspense>
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
