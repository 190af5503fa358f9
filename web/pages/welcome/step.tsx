import { Check, ChevronRight } from "lucide-react";
import { type ReactNode, useEffect, useState } from "react";
import { useAdminTexts } from "../../texts/admin.ts";

interface StepProps {
  readonly number: number;
  readonly title: string;
  readonly isDone: boolean;
  /** It is the first one that is not done: it stands open. */
  readonly isNext: boolean;
  readonly children: ReactNode;
}

/** One step: green with a tick when it is done. It opens when it is the next one, and at any time by its title. */
export function Step({ number, title, isDone, isNext, children }: StepProps) {
  const { welcome } = useAdminTexts();
  const [isOpen, setOpen] = useState(isNext);
  // what a step asks the daemon begins when it opens, and what it shows, such as a password, stays
  const [wasOpen, setWasOpen] = useState(isNext);
  if (isOpen && !wasOpen) setWasOpen(true);
  useEffect(() => setOpen(isNext), [isNext]);
  return (
    <li className={`rounded-xl border bg-card ${isDone ? "border-good" : isNext ? "border-accent" : "border-line"}`}>
      <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary className="flex min-h-14 list-none items-center gap-3 rounded-xl px-4 py-2 hover:bg-raised [&::-webkit-details-marker]:hidden">
          <span
            aria-hidden
            className={`flex size-8 shrink-0 items-center justify-center rounded-full font-semibold ${isDone ? "bg-good text-page" : "bg-raised"}`}
          >
            {isDone ? <Check size={18} strokeWidth={3} /> : number}
          </span>
          <span className="flex-1 font-semibold">
            {title} {isDone && <span className="text-sm font-medium text-good">{welcome.isDone}</span>}
          </span>
          <ChevronRight aria-hidden size={18} className={isOpen ? "rotate-90" : ""} />
        </summary>
        <div className="px-4 pb-4">{wasOpen && children}</div>
      </details>
    </li>
  );
}
