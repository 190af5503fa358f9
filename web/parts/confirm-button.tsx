import { type ReactNode, useState } from "react";
import { useTexts } from "../texts/texts.tsx";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";

interface ConfirmButtonProps {
  /** What the button does, such as "Delete". */
  readonly text: string;
  /** The question of the dialog. */
  readonly title: string;
  /** What happens then, in a sentence. */
  readonly children: ReactNode;
  readonly onConfirm: () => void;
  readonly disabled?: boolean;
  readonly look?: "plain" | "danger";
  /** Names the button where several have the same text. */
  readonly label?: string;
}

/** A button for what cannot be undone: it asks first. */
export function ConfirmButton({ text, title, children, onConfirm, disabled, look = "danger", label }: ConfirmButtonProps) {
  const texts = useTexts();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button look={look} disabled={disabled} aria-label={label} aria-haspopup="dialog" onClick={() => setOpen(true)}>
        {text}
      </Button>
      <Dialog title={title} isOpen={isOpen} onClose={() => setOpen(false)}>
        <div className="mb-4">{children}</div>
        <div className="flex flex-wrap justify-end gap-2">
          <Button onClick={() => setOpen(false)}>{texts.common.cancel}</Button>
          <Button
            look="danger"
            onClick={() => {
              setOpen(false);
              onConfirm();
            }}
          >
            {text}
          </Button>
        </div>
      </Dialog>
    </>
  );
}
