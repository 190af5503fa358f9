import { useEffect, useRef } from "react";
import { Problem } from "../../src/contract/problem.ts";
import { useTexts } from "../texts/texts.tsx";

interface FaultProps {
  /** Null without an error. */
  readonly error: unknown;
  readonly className?: string;
}

/**
 * Why homesec refused a form. It is announced, and moves the focus to the field of that name, or else to itself: someone without a mouse
 * must not look for it.
 */
export function Fault({ error, className = "" }: FaultProps) {
  const texts = useTexts();
  const element = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    if (!error) return;
    const field = fieldOf(error, element.current?.closest("form"));
    field?.closest("details")?.setAttribute("open", "");
    (field ?? element.current)?.focus();
  }, [error]);
  return (
    <p ref={element} role="alert" tabIndex={-1} className={`text-sm font-medium text-critical empty:hidden ${className}`}>
      {error ? texts.fault(error) : ""}
    </p>
  );
}

/** The field that a refusal is about, if the form has one of that name. */
function fieldOf(error: unknown, form: HTMLFormElement | null | undefined): HTMLElement | undefined {
  const name = error instanceof Problem ? error.items[0]?.loc.at(-1) : undefined;
  const field = name === undefined ? null : form?.elements.namedItem(String(name));
  return field instanceof HTMLElement ? field : undefined;
}
