import { ArrowUp } from "lucide-react";
import { useTexts } from "../texts/texts.tsx";

/** Says how many rows have arrived. The list shows them only on a tap, so that it never moves under a finger. */
export function NewPill({ count, onShow }: { readonly count: number; readonly onShow: () => void }) {
  const texts = useTexts();
  return (
    <div aria-live="polite" className="pointer-events-none sticky top-2 z-10 flex h-0 justify-center">
      {count > 0 && (
        <button
          type="button"
          onClick={onShow}
          className="pointer-events-auto flex h-9 items-center gap-1 rounded-full bg-accent px-4 text-sm font-medium text-on-accent shadow-lg"
        >
          <ArrowUp aria-hidden size={16} /> {texts.common.new(count)}
        </button>
      )}
    </div>
  );
}
