import { type InputHTMLAttributes, type ReactNode, useId } from "react";

/** The look of an input. */
export const inputLook = "min-h-11 w-full min-w-0 rounded-lg border border-line bg-card px-3 py-2";

/** The attributes that tie an input to its label and its hint. */
interface FieldTies {
  readonly id: string;
  readonly "aria-describedby"?: string;
}

interface FieldProps {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly children: (ties: FieldTies) => ReactNode;
}

/** An input with its label above and a hint below. */
export function Field({ label, hint, children }: FieldProps) {
  const id = useId();
  const hintId = `${id}-hint`;
  return (
    <div className="min-w-0">
      <label htmlFor={id} className="mb-1 block text-sm font-medium">
        {label}
      </label>
      {children(hint ? { id, "aria-describedby": hintId } : { id })}
      {hint && (
        <p id={hintId} className="mt-1 text-sm text-soft">
          {hint}
        </p>
      )}
    </div>
  );
}

interface TextFieldProps extends Omit<InputHTMLAttributes<HTMLInputElement>, "onChange" | "id" | "value"> {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly value: string;
  readonly onText: (text: string) => void;
}

/** A line of text, a number or an address. */
export function TextField({ label, hint, onText, className = "", ...rest }: TextFieldProps) {
  return (
    <Field label={label} hint={hint}>
      {(ties) => <input {...ties} {...rest} onChange={({ target }) => onText(target.value)} className={`${inputLook} ${className}`} />}
    </Field>
  );
}

interface SelectFieldProps<T extends string> {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly value: T;
  readonly options: readonly (readonly [value: T, text: string])[];
  readonly onValue: (value: T) => void;
}

/** A choice of one of a few values. */
export function SelectField<T extends string>({ label, hint, value, options, onValue }: SelectFieldProps<T>) {
  return (
    <Field label={label} hint={hint}>
      {(ties) => (
        <select {...ties} value={value} onChange={({ target }) => onValue(target.value as T)} className={inputLook}>
          {options.map(([each, text]) => (
            <option key={each} value={each}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

interface CheckFieldProps {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly checked: boolean;
  readonly onChecked: (checked: boolean) => void;
}

/** A box to tick; the whole line is its target. */
export function CheckField({ label, hint, checked, onChecked }: CheckFieldProps) {
  return (
    <label className="flex min-h-11 cursor-pointer items-center gap-3 rounded-lg px-1 hover:bg-raised">
      <input
        type="checkbox"
        checked={checked}
        onChange={({ target }) => onChecked(target.checked)}
        className="size-5 shrink-0 accent-(--color-accent)"
      />
      <span>
        {label}
        {hint && <span className="block text-sm text-soft">{hint}</span>}
      </span>
    </label>
  );
}
