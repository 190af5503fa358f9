import { Dialog } from "../parts/dialog.tsx";
import { useTexts } from "../texts/texts.tsx";
import { bindings } from "./keys.tsx";

/** The list of all keys, made from the table that binds them. */
export function KeyList({ isOpen, onClose }: { readonly isOpen: boolean; readonly onClose: () => void }) {
  const texts = useTexts();
  return (
    <Dialog title={texts.keys.title} isOpen={isOpen} onClose={onClose}>
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-2">
        {bindings.map(([key, action]) => (
          <div key={key} className="contents">
            <dt>
              <kbd className="rounded border border-line bg-raised px-2 py-0.5 font-mono text-sm">{key}</kbd>
            </dt>
            <dd>{texts.keys[action]}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
