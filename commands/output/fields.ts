import { Problem } from "../../src/contract/problem.ts";
import { nearest } from "../../src/platform/config/nearest.ts";
import type { Cell } from "./table.ts";
import type { RowView, Shown, View } from "./view.ts";

/** A record reduced to the fields of `--fields`: `a`, or `a.b` for nested fields. */
export function chosen<T>(record: T, fields: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(fields.map((field) => [field, valueAt(record, field)]));
}

/** Throws `Problem("invalid")` for an unknown field. */
export async function requireFields({ plural, ...shown }: Shown, fields: readonly string[]): Promise<void> {
  const known = await shown.fields();
  for (const field of fields) {
    const [name = ""] = field.split(".");
    if (known.includes(name)) continue;
    const guess = nearest(name, known);
    const meant = guess === undefined ? "" : ` (did you mean ${guess}?)`;
    throw new Problem("invalid", `--fields: ${plural} have no field ${name}${meant}; known fields are ${known.join(", ")}`);
  }
}

/** A view of only these fields; without fields, the view itself. Throws `Problem("invalid")` for an unknown field. */
export async function narrowedView<T, V extends RowView<T>>(
  view: V & RowView<T>,
  fields: readonly string[] | undefined,
): Promise<V | View<T>> {
  if (fields === undefined) return view;
  await requireFields(view, fields);
  return {
    ...view,
    fields: () => fields,
    columns: fields.map((field) => ({ title: field.toUpperCase(), keep: true, cell: (record) => cellOf(record, field) })),
    details: (record) => fields.map((field) => [field, cellOf(record, field)] as const),
    more: () => "",
  };
}

/** A field as a table cell. */
export function cellOf(record: unknown, field: string): Cell {
  const value = valueAt(record, field);
  if (value === null || value === undefined) return { text: "" };
  if (value instanceof Date) return { text: value.toISOString() };
  if (Array.isArray(value) && value.every((each) => typeof each !== "object")) return { text: value.join(", ") };
  return { text: typeof value === "object" ? JSON.stringify(value) : String(value) };
}

function valueAt(record: unknown, field: string): unknown {
  return field
    .split(".")
    .reduce<unknown>(
      (value, key) => (value !== null && typeof value === "object" ? (value as Record<string, unknown>)[key] : undefined),
      record,
    );
}
