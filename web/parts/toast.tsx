import { createContext, type ReactNode, useCallback, useContext, useEffect, useState } from "react";
import { useTexts } from "../texts/texts.tsx";
import { Button } from "./button.tsx";

interface Notice {
  readonly text: string;
  readonly undo?: (() => void) | undefined;
}

const Show = createContext<(text: string, undo?: () => void) => void>(() => {});

/** Returns a function that says what was done, with a way to undo it if there is one. */
export function useToast(): (text: string, undo?: () => void) => void {
  return useContext(Show);
}

/** Shows one notice at a time for ten seconds. */
export function ToastProvider({ children }: { readonly children: ReactNode }) {
  const texts = useTexts();
  const [notice, setNotice] = useState<Notice>();
  useEffect(() => {
    if (!notice) return;
    const timer = setTimeout(() => setNotice(undefined), 10_000);
    return () => clearTimeout(timer);
  }, [notice]);
  const show = useCallback((text: string, undo?: () => void) => setNotice({ text, undo }), []);
  return (
    <Show value={show}>
      {children}
      <div aria-live="polite" className="pointer-events-none fixed inset-x-0 bottom-20 z-30 flex justify-center px-4 md:bottom-6">
        {notice && (
          <div className="pointer-events-auto flex items-center gap-3 rounded-xl bg-text px-4 py-2 text-page shadow-lg">
            <span className="text-sm">{notice.text}</span>
            {notice.undo && (
              <Button
                look="quiet"
                className="underline hover:bg-transparent"
                onClick={() => {
                  notice.undo?.();
                  setNotice(undefined);
                }}
              >
                {texts.common.undo}
              </Button>
            )}
          </div>
        )}
      </div>
    </Show>
  );
}
