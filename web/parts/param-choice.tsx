import { useSearchParams } from "wouter";

interface ParamChoiceProps {
  /** Name of the parameter in the address. */
  readonly name: string;
  readonly label: string;
  /** Text of the first option, which removes the parameter. */
  readonly first: string;
  readonly options: readonly (readonly [value: string, text: string])[];
}

/** A choice that stands in the address, so that it can be sent and comes back with "back". */
export function ParamChoice({ name, label, first, options }: ParamChoiceProps) {
  const [search, setParam] = useParam(name);
  return (
    <select
      aria-label={label}
      value={search}
      onChange={({ target }) => setParam(target.value)}
      className="min-h-11 max-w-44 rounded-lg border border-line bg-card px-2 text-sm"
    >
      <option value="">{first}</option>
      {options.map(([value, text]) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </select>
  );
}

/** A day that stands in the address. */
export function ParamDay({ name, label }: { readonly name: string; readonly label: string }) {
  const [day, setDay] = useParam(name);
  return (
    <label className="flex items-center gap-2 text-sm">
      {label}
      <input
        type="date"
        value={day}
        onChange={({ target }) => setDay(target.value)}
        className="min-h-11 rounded-lg border border-line bg-card px-2"
      />
    </label>
  );
}

/** A parameter of the address with a way to change it; an empty text removes it. */
export function useParam(name: string): readonly [value: string, set: (value: string) => void] {
  const [search, setSearch] = useSearchParams();
  const set = (value: string): void =>
    setSearch((before) => {
      const after = new URLSearchParams(before);
      if (value === "") after.delete(name);
      else after.set(name, value);
      return after;
    });
  return [search.get(name) ?? "", set];
}
