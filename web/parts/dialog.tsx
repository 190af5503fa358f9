import { X } from "lucide-react";
import { type ReactNode, useEffect, useId, useRef } from "react";
import { useTexts } from "../texts/texts.tsx";

interface DialogProps {
  readonly title: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** A modal dialog; the browser keeps the focus in it, and Escape closes it. The element with `data-first` gets the focus. */
export function Dialog({ title, isOpen, onClose, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  const texts = useTexts();
  useEffect(() => {
    if (!isOpen) return element.current?.close();
    element.current?.showModal();
    element.current?.querySelector<HTMLElement>("[data-first]")?.focus();
  }, [isOpen]);
  return (
    <dialog
      ref={element}
      aria-labelledby={titleId}
      onClose={onClose}
      className="m-auto w-[min(30rem,calc(100vw-2rem))] rounded-xl border border-line bg-card p-5 text-text backdrop:bg-black/50"
    >
      {isOpen && (
        <>
          <header className="mb-4 flex items-center justify-between gap-4">
            <h2 id={titleId} className="text-lg font-semibold">
              {title}
            </h2>
            <button type="button" onClick={onClose} aria-label={texts.common.close} className="rounded p-2 hover:bg-raised">
              <X aria-hidden size={20} />
            </button>
          </header>
          {children}
        </>
      )}
    </dialog>
  );
}
