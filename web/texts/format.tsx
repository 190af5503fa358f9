import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from "react";
import { systemRoutes } from "../../src/contract/routes/system.ts";
import { useReply } from "../api/use-reply.ts";
import { useLocale } from "./texts.tsx";

/** Writes times, numbers and durations for the reader, in the home's time zone. */
export interface Format {
  /** "07:16", with the date when it is another day. */
  readonly time: (time: Date) => string;
  /** "07:16", on whatever day. */
  readonly clock: (time: Date) => string;
  /** "Friday, 27 November 2026, 07:16:04". */
  readonly exact: (time: Date) => string;
  /** "Friday, 27 November". */
  readonly day: (time: Date) => string;
  /** "2026-11-27", in the home's zone. */
  readonly dayCode: (time: Date) => string;
  /** "5 minutes ago". */
  readonly ago: (time: Date, now: Date) => string;
  /** "1 min 20 s". */
  readonly duration: (ms: number) => string;
  readonly number: (value: number) => string;
  readonly percent: (share: number) => string;
  readonly bytes: (count: number) => string;
  readonly zone: string;
}

const units = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1_000],
] as const;
const unitNames = ["hour", "minute", "second"] as const;
const byteUnits = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte"] as const;

/** Creates a value when it is first needed: to create what Intl writes with takes long on a phone, and most pages need little of it. */
function onFirstUse<T>(create: () => T): () => T {
  let value: T | undefined;
  return () => (value ??= create());
}

/** Creates the format of a language and a time zone; undefined: that of the browser. */
export function createFormat(language: string, zone: string | undefined): Format {
  const dates = (options: Intl.DateTimeFormatOptions, locale = language) =>
    onFirstUse(() => new Intl.DateTimeFormat(locale, { ...(zone !== undefined && { timeZone: zone }), ...options }));
  const clock = dates({ hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
  const withDay = dates({ day: "numeric", month: "short", hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
  const exact = dates({ dateStyle: "full", timeStyle: "medium", hourCycle: "h23" });
  const day = dates({ weekday: "long", day: "numeric", month: "long" });
  const code = dates({ year: "numeric", month: "2-digit", day: "2-digit" }, "en-CA");
  let known = { minute: Number.NaN, day: "" };
  const today = (): string => {
    const minute = Math.floor(Date.now() / 60_000);
    if (known.minute !== minute) known = { minute, day: code().format(new Date()) };
    return known.day;
  };
  const relative = onFirstUse(() => new Intl.RelativeTimeFormat(language, { numeric: "auto" }));
  const numbers = (options: Intl.NumberFormatOptions) => onFirstUse(() => new Intl.NumberFormat(language, options));
  const count = numbers({});
  const percent = numbers({ style: "percent", maximumFractionDigits: 0 });
  const lengths = unitNames.map((unit) => numbers({ style: "unit", unit, unitDisplay: "short", maximumFractionDigits: 0 }));
  const sizes = byteUnits.map((unit) => numbers({ style: "unit", unit, unitDisplay: "short", maximumSignificantDigits: 3 }));
  return {
    get zone() {
      return zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
    },
    time: (time) => (code().format(time) === today() ? clock() : withDay()).format(time),
    clock: (time) => clock().format(time),
    exact: (time) => exact().format(time),
    day: (time) => day().format(time),
    dayCode: (time) => code().format(time),
    ago: (time, now) => {
      const past = Math.max(0, now.getTime() - time.getTime());
      const [unit, ms] = units.find(([, least]) => past >= least) ?? ["second", 1_000];
      return relative().format(-Math.floor(past / ms), unit);
    },
    duration: (ms) => {
      const parts = [Math.floor(ms / 3_600_000), Math.floor(ms / 60_000) % 60, Math.round(ms / 1_000) % 60];
      const words = parts.flatMap((value, at) => (value === 0 ? [] : [lengths[at]?.().format(value)]));
      return words.slice(0, 2).join(" ") || (lengths[2]?.().format(0) ?? "");
    },
    number: (value) => count().format(value),
    percent: (share) => percent().format(share),
    bytes: (value) => {
      const power = Math.min(byteUnits.length - 1, Math.floor(Math.log10(Math.max(1, value)) / 3));
      return sizes[power]?.().format(value / 1000 ** power) ?? String(value);
    },
  };
}

const Current = createContext<Format>(createFormat("en", "UTC"));

/** Returns how to write times and numbers. */
export function useFormat(): Format {
  return useContext(Current);
}

/** Writes times in the zone of the home, wherever the reader is. */
export function FormatProvider({ children }: { readonly children: ReactNode }) {
  const { data } = useReply(systemRoutes.getHome, {});
  return <FormatIn zone={data?.time_zone}>{children}</FormatIn>;
}

/** Writes times in a zone. */
export function FormatIn({ zone, children }: { readonly zone: string | undefined; readonly children: ReactNode }) {
  const language = useLocale();
  const format = useMemo(() => createFormat(language, zone), [language, zone]);
  return <Current value={format}>{children}</Current>;
}

/** Returns the time now, and again every ten seconds. */
export function useNow(): Date {
  const [now, setNow] = useState(() => new Date());
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date()), 10_000);
    return () => clearInterval(timer);
  }, []);
  return now;
}

/** A time as "5 minutes ago"; the exact one shows on focus, on hover and to screen readers. */
export function Ago({ time, className }: { readonly time: Date; readonly className?: string }) {
  const format = useFormat();
  const now = useNow();
  return (
    <time dateTime={time.toISOString()} title={format.exact(time)} className={className}>
      {format.ago(time, now)}
    </time>
  );
}
