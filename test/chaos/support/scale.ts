/** Whether this is the long form, `npm run chaos`. */
export const isLong = process.env["CHAOS"] === "long";

/** Returns a count: the variable's value, or the default of the running form. */
export function scale(variable: string, size: { readonly short: number; readonly long: number }): number {
  return Number(process.env[variable] ?? (isLong ? size.long : size.short));
}

/** Generous, since it is no measurement: the long form shares its machine with other work. */
export const patienceMs = isLong ? 900_000 : 120_000;
