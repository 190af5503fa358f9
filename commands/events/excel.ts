import { localTimeZone } from "../../src/base/clock/time-zone.ts";
import type { ExcelDialect } from "../../src/platform/spreadsheet/csv.ts";

/** Returns how Excel reads CSV in this environment: the separator of the locale, and the time zone of this machine. */
export function excelDialect(env: Readonly<Record<string, string | undefined>>): ExcelDialect {
  return { separator: hasDecimalComma(localeOf(env)) ? ";" : ",", timeZone: localTimeZone() };
}

/** Reads the locale as programs on Linux do: `de_DE.UTF-8` is `de-DE`. Undefined: none is set, or it means no language. */
function localeOf(env: Readonly<Record<string, string | undefined>>): string | undefined {
  const given = [env["LC_ALL"], env["LC_NUMERIC"], env["LANG"]].find((value) => value !== undefined && value !== "");
  const name = given?.replace(/[.@].*$/, "").replaceAll("_", "-");
  return name === undefined || ["C", "POSIX"].includes(name) ? undefined : name;
}

/** Where the comma is part of numbers, Excel separates cells with a semicolon. */
function hasDecimalComma(locale: string | undefined): boolean {
  try {
    return new Intl.NumberFormat(locale).format(1.5).includes(",");
  } catch {
    // A name that is no locale
    return false;
  }
}
