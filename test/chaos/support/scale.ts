/** Whether this is the long form, `npm run chaos`. */
export const isLong = process.env["CHAOS"] === "long";

/** How often or how many: a variable's value, or that of the form which runs. */
export function scale(variable: string, size: { readonly short: number; readonly long: number }): number {
  return Number(process.env[variable] ?? (isLong ? size.long : size.short));
}

/** Waiting is no measurement: the long form shares its machine with whatever else runs there. */
export const patienceMs = isLong ? 900_000 : 120_000;
