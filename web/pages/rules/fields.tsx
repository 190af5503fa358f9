import { TriangleAlert } from "lucide-react";
import { createContext, type ReactNode, useContext, useId } from "react";
import { DaemonText } from "../../texts/daemon-text.tsx";
import type { Draft } from "./draft.ts";

/** What homesec says about the fields of a draft. */
export interface FormNotes {
  /** Why the rule cannot be saved, by field. */
  readonly errors: ReadonlyMap<string, string>;
  /** Values that can never match or be sent, by field. */
  readonly faults: readonly { readonly field: string; readonly message: string }[];
}

/** Gives the fields of a form what homesec says about them. */
export const FormNotesContext = createContext<FormNotes>({ errors: new Map(), faults: [] });

/** What homesec says about one field, below it. */
export function FieldNotes({ field, id }: { readonly field: keyof Draft; readonly id?: string }) {
  const { errors, faults } = useContext(FormNotesContext);
  const error = errors.get(field);
  const own = faults.filter((fault) => fault.field === field);
  return (
    <div id={id} aria-live="polite">
      {error !== undefined && (
        <p data-error className="mt-2 text-sm font-medium text-critical">
          {error}
        </p>
      )}
      {own.map(({ message }) => (
        <p key={message} className="mt-2 flex items-start gap-2 text-sm font-medium text-medium">
          <TriangleAlert aria-hidden size={16} className="mt-0.5 shrink-0" /> <DaemonText>{message}</DaemonText>
        </p>
      ))}
    </div>
  );
}

interface GroupProps {
  readonly title: string;
  readonly hint?: string;
  readonly field: keyof Draft;
  readonly children: ReactNode;
}

/** A part of the form with its heading, and below it what homesec says about the field. */
export function Group({ title, hint, field, children }: GroupProps) {
  const id = useId();
  return (
    <fieldset className="mb-7 min-w-0" aria-describedby={id}>
      <legend className="font-semibold">{title}</legend>
      {hint !== undefined && <p className="text-sm text-soft">{hint}</p>}
      <div className="mt-2">{children}</div>
      <FieldNotes field={field} id={id} />
    </fieldset>
  );
}

interface ChipProps {
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
  /** The group of a radio button; without it the chip is a checkbox. */
  readonly name?: string;
  readonly children: ReactNode;
}

/** A choice that is large enough for a thumb: one of several with `name`, or on and off. */
export function Chip({ isOn, onChange, name, children }: ChipProps) {
  return (
    <label className="relative inline-flex min-h-11 cursor-pointer items-center gap-2 rounded-full border border-line bg-card px-4 text-sm font-medium select-none hover:bg-raised has-checked:border-accent has-checked:bg-accent has-checked:text-on-accent has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent">
      <input
        type={name === undefined ? "checkbox" : "radio"}
        name={name}
        checked={isOn}
        onChange={({ target }) => onChange(target.checked)}
        className="absolute inset-0 size-full cursor-pointer opacity-0"
      />
      {children}
    </label>
  );
}

/** Chips side by side. */
export function Chips({ children }: { readonly children: ReactNode }) {
  return <div className="flex flex-wrap gap-2">{children}</div>;
}

interface TickProps {
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
  readonly children: ReactNode;
}

/** A checkbox with a sentence. */
export function Tick({ isOn, onChange, children }: TickProps) {
  return (
    <label className="flex min-h-11 cursor-pointer items-center gap-3 py-1">
      <input type="checkbox" checked={isOn} onChange={({ target }) => onChange(target.checked)} className="size-5 shrink-0 accent-accent" />
      <span>{children}</span>
    </label>
  );
}

/** Returns the list with or without a value; null when it is empty. */
export function toggled(list: readonly string[] | null, value: string, isOn: boolean): string[] | null {
  const others = (list ?? []).filter((each) => each !== value);
  const next = isOn ? [...others, value] : others;
  return next.length === 0 ? null : next;
}
