import { Check, Copy } from "lucide-react";
import { useRef, useState } from "react";
import { useAdminTexts } from "../texts/admin.ts";
import { Button } from "./button.tsx";

interface CopyTextProps {
  /** What the text is, for screen readers. */
  readonly label: string;
  readonly text: string;
}

/** A text that is meant to be copied, such as a key or lines of a file. */
export function CopyText({ label, text }: CopyTextProps) {
  const { parts } = useAdminTexts();
  const element = useRef<HTMLPreElement>(null);
  const [isCopied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    setCopied(await copied(text, element.current));
    setTimeout(() => setCopied(false), 3_000);
  };
  return (
    <div className="my-2 flex items-start gap-2 rounded-lg bg-raised p-2">
      <pre ref={element} className="min-w-0 flex-1 p-2 font-mono text-sm break-all whitespace-pre-wrap">
        {text}
      </pre>
      <Button onClick={() => void copy()} aria-label={`${parts.copy}: ${label}`} className="shrink-0">
        {isCopied ? <Check aria-hidden size={16} /> : <Copy aria-hidden size={16} />}
        <span className="max-sm:sr-only">{isCopied ? parts.copied : parts.copy}</span>
      </Button>
    </div>
  );
}

/** Copies a text. Over plain HTTP a browser has no clipboard, so that the text is selected and copied in the old way. */
async function copied(text: string, element: HTMLElement | null): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const selection = getSelection();
    if (!element || !selection) return false;
    selection.selectAllChildren(element);
    return document.execCommand("copy");
  }
}
