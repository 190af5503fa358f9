import { z } from "zod";
import { dayMs } from "../base/clock/clock.ts";
import type { ProblemType } from "./problem.ts";

/** Marks a custom zod issue with its type of the closed list; request validation reads it. */
export function issue(type: ProblemType, message: string, input: unknown): z.core.$ZodRawIssue {
  return { code: "custom", message, input, params: { type } };
}

/**
 * Parses an ISO 8601 timestamp such as `2026-01-31T22:15`, with or without seconds and offset. The default is UTC, because a reply must
 * not depend on the location of the daemon. Returns undefined when the text is not a timestamp or its day does not exist.
 */
export function instantOf(text: string): Date | undefined {
  const [, day = "", minutes = "", seconds = ":00", fraction = "0", hours, rest = "00"] =
    /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(?:(:\d\d)(?:[.,](\d+))?)?\s?(?:Z|([+-]\d\d)(?::?(\d\d))?)?$/i.exec(text) ?? [];
  if (!isDay(day)) return undefined;
  const time = new Date(`${day}T${minutes}${seconds}.${fraction.slice(0, 3)}${hours ? `${hours}:${rest}` : "Z"}`);
  return Number.isNaN(time.getTime()) ? undefined : time;
}

/** Checks whether a text is a calendar day such as `2026-01-31`. */
function isDay(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const time = new Date(text);
  return !Number.isNaN(time.getTime()) && time.toISOString().slice(0, 10) === text;
}

/** ISO 8601 UTC text on the wire, Date in code. Input may have an offset. */
export const Instant = z
  .codec(z.string().meta({ format: "date-time" }), z.date(), {
    decode: (text, context) => {
      const time = instantOf(text);
      if (time) return time;
      context.issues.push(issue("datetime_parsing", "Must be a timestamp such as 2026-01-31T22:15:00Z", text));
      return z.NEVER;
    },
    encode: (date) => date.toISOString(),
  })
  .meta({ description: "ISO 8601 timestamp, UTC", example: "2026-01-31T22:15:00.000Z" });

/** A timestamp to store: PostgreSQL has no year 0, and an offset can move a timestamp out of the four-digit years. */
export const StorableInstant = Instant.refine((time) => isFourDigitYear(time), "Must be within the years 1 to 9999");

function isFourDigitYear(time: Date): boolean {
  return time.getUTCFullYear() >= 1 && time.getUTCFullYear() <= 9999;
}

/** Accepts a date (`YYYY-MM-DD`) or a timestamp, for filters. A date means its first or its last millisecond in UTC. */
function dayOrInstant(edge: "first" | "last") {
  return z
    .codec(z.string(), z.date(), {
      decode: (text, context) => {
        const isWholeDay = isDay(text);
        const time = isWholeDay ? new Date(text) : instantOf(text);
        if (!time || !isFourDigitYear(time)) {
          context.issues.push(issue("datetime_parsing", "Must be a date (2026-01-31) or a timestamp (2026-01-31T22:15:00Z)", text));
          return z.NEVER;
        }
        return isWholeDay && edge === "last" ? new Date(time.getTime() + dayMs - 1) : time;
      },
      encode: (date) => date.toISOString(),
    })
    .meta({ description: `A date (YYYY-MM-DD: its ${edge} instant in UTC) or an ISO 8601 timestamp` });
}

/** Start of a range: a plain date means its first instant. */
export const StartInstant = dayOrInstant("first");

/** End of a range, inclusive: a plain date means its last instant, so that the range includes the whole day. */
export const EndInstant = dayOrInstant("last");

/** A date (`YYYY-MM-DD`) or a timestamp, left as text because the time zone of the date is not known here. */
export const DayOrInstantText = z
  .codec(z.string(), z.string(), {
    decode: (text, context) => {
      const decoded = StartInstant.safeDecode(text);
      if (decoded.success) return text;
      context.issues.push(issue("datetime_parsing", decoded.error.issues[0]?.message ?? "Must be a date or a timestamp", text));
      return z.NEVER;
    },
    encode: (text) => text,
  })
  .meta({ description: "A date (YYYY-MM-DD, the whole day) or an ISO 8601 timestamp" });

/** A date (`YYYY-MM-DD`) and nothing else. */
export const DayText = z.codec(z.string(), z.string(), {
  decode: (text, context) => {
    if (/^\d{4}-\d\d-\d\d$/.test(text) && StartInstant.safeDecode(text).success) return text;
    context.issues.push(issue("date_parsing", "Must be a date such as 2026-01-31", text));
    return z.NEVER;
  },
  encode: (text) => text,
});

/** The name of a time zone, such as `Europe/Berlin`. */
export const TimeZoneText = z.codec(z.string(), z.string(), {
  decode: (text, context) => {
    if (isTimeZone(text)) return text;
    context.issues.push(issue("value_error", "Must be the name of a time zone, such as UTC or Europe/Berlin", text));
    return z.NEVER;
  },
  encode: (text) => text,
});

/** Refuses offsets such as `+02:00`, because they do not say when the clocks change. */
function isTimeZone(text: string): boolean {
  if (!/^[A-Za-z][\w+/-]{0,63}$/.test(text)) return false;
  try {
    new Intl.DateTimeFormat("en", { timeZone: text });
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/**
 * A name that people read in lists, mails, file names and terminals: 1 to `longest` characters, none of which moves a cursor, ends a line or
 * reorders text.
 */
export function DisplayName(longest: number) {
  return z
    .string()
    .min(1)
    .max(longest)
    .regex(/^[^\p{Cc}\u200e\u200f\u2028-\u202e\u2066-\u2069]*$/u, "Must not contain control characters or marks that reorder text");
}

/** One plain mail address without a display name; it cannot inject a list or a header. */
export const MailAddress = z
  .string()
  .max(320)
  .regex(/^[^\s@<>()[\]\\,;:"\p{Cc}]+@[^\s@<>()[\]\\,;:"\p{Cc}]+$/u, "Must be a mail address such as me@example.org");

/** An integer within inclusive bounds. */
export const IntBetween = (minimum: number, maximum: number) => z.int().min(minimum).max(maximum);

/** A number within inclusive bounds. */
export const NumberBetween = (minimum: number, maximum: number) => z.number().min(minimum).max(maximum);

/** Accepts a whole number written as text, as in a query or a path. Bounds are inclusive. */
export function IntText(minimum: number, maximum: number) {
  return z.codec(z.string(), IntBetween(minimum, maximum), {
    decode: (text, context) => {
      if (!/^[+-]?\d+$/.test(text)) {
        context.issues.push(issue("int_parsing", "Must be a whole number", text));
        return z.NEVER;
      }
      // A number beyond the safe integers is outside every bound and is not an id
      return Math.max(-Number.MAX_SAFE_INTEGER, Math.min(Number(text), Number.MAX_SAFE_INTEGER));
    },
    encode: (value) => String(value),
  });
}

/** Accepts a number written as text. Bounds are inclusive. */
export function FloatText(minimum: number, maximum: number) {
  return z.codec(z.string(), NumberBetween(minimum, maximum), {
    decode: (text, context) => {
      if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,3})?$/i.test(text)) {
        context.issues.push(issue("float_parsing", "Must be a number", text));
        return z.NEVER;
      }
      return Number(text);
    },
    encode: (value) => String(value),
  });
}

/** `true`, `false`, `1`, `0`, `yes`, `no`, `on`, `off` written as text. */
export const BoolText = z.codec(z.string(), z.boolean(), {
  decode: (text, context) => {
    const value = { true: true, "1": true, yes: true, on: true, false: false, "0": false, no: false, off: false }[text.toLowerCase()];
    if (value === undefined) {
      context.issues.push(issue("bool_parsing", "Must be true or false", text));
      return z.NEVER;
    }
    return value;
  },
  encode: (value) => String(value),
});

/** Accepts one of the given lowercase words in any case. */
export function EnumText<const T extends readonly [string, ...string[]]>(words: T) {
  return z.codec(z.string(), z.enum(words), {
    decode: (text) => text.toLowerCase() as T[number],
    encode: (value) => value,
  });
}

/** The class of an object in a filter, in any case; stored classes are lower-case. */
export const ClassText = z.codec(z.string(), z.string(), { decode: (text) => text.toLowerCase(), encode: (word) => word });

/** Accepts an omitted value or null; both mean `fallback`. */
export function orElse<T extends z.ZodType>(schema: T, fallback: z.output<T>) {
  return z.codec(schema.nullish(), schema, {
    decode: (given) => (given ?? fallback) as z.input<T>,
    encode: (value) => value as z.output<T>,
  });
}

/** An integer id in a path. Other text is 422; an integer that does not exist is 404. */
export const IdText = IntText(-Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER).meta({ description: "Integer id" });

/** Returns a UUID as PostgreSQL writes it: groups of 8, 4, 4, 4 and 12 digits in lower case. Returns undefined for any other text. */
export function uuidOf(text: string): string | undefined {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text) ? text.toLowerCase() : undefined;
}

/** The slug of a camera in a record or a path. Any text is accepted; an id that does not exist is 404 in any format. */
export const CameraIdText = z.string().meta({ description: "Camera id, a slug", example: "front-door" });

/** The id of a new camera. */
export const CameraSlug = z.string().regex(/^[a-z0-9_-]{1,64}$/, "Must be 1 to 64 of a-z, 0-9, _ and -");

/** Accepts and ignores the other fields of a record in PUT and PATCH, so that a client can send back a record that it has read. */
export function readOnly<T extends z.ZodObject, K extends keyof T["shape"] & string>(record: T, writable: readonly K[]) {
  const entries = Object.keys(record.shape)
    .filter((key) => !(writable as readonly string[]).includes(key))
    .map((key) => [key, z.unknown().optional().meta({ readOnly: true, description: "Read-only; ignored in requests" })]);
  return Object.fromEntries(entries) as { [P in Exclude<keyof T["shape"], K>]: z.ZodOptional<z.ZodUnknown> };
}
