import { shownAt, type WallTime } from "./wall-time.ts";

const tags = {
  dateTime: 0x0132,
  exifFolder: 0x8769,
  original: 0x9003,
  digitized: 0x9004,
  offset: 0x9010,
  originalOffset: 0x9011,
  originalFraction: 0x9291,
} as const;
const [asciiType, longType] = [2, 4];
/** Real directories have some dozens of entries. */
const mostEntries = 500;
const longestText = 64;

/**
 * Returns the time at which a camera says that it took a picture, from an EXIF block (a TIFF header and its directories, perhaps after the
 * mark `Exif`); null if there is none, and for bytes that are no EXIF. Reads at most two directories.
 */
export function exifTime(block: Buffer): WallTime | null {
  const tiff = block.toString("latin1", 0, 6) === "Exif\0\0" ? block.subarray(6) : block;
  const directory = directoryReader(tiff);
  if (!directory) return null;
  const main = directory(directory.first);
  const exif = directory(main.number(tags.exifFolder));
  const fraction = exif.text(tags.originalFraction);
  const offset = exif.text(tags.originalOffset) ?? exif.text(tags.offset);
  for (const text of [exif.text(tags.original), exif.text(tags.digitized), main.text(tags.dateTime)]) {
    const shownMs = text === undefined ? undefined : timeOf(text, fraction);
    if (shownMs !== undefined) return { shownMs, offsetMinutes: offsetOf(offset) };
  }
  return null;
}

interface Directory {
  text(tag: number): string | undefined;
  number(tag: number): number | undefined;
}

/** Returns a function that reads the directory at a position, empty where there is none; undefined for bytes without a TIFF header. */
function directoryReader(tiff: Buffer): (((at: number | undefined) => Directory) & { readonly first: number }) | undefined {
  const order = tiff.toString("latin1", 0, 2);
  if (tiff.length < 8 || (order !== "II" && order !== "MM")) return undefined;
  const short = (at: number): number => (at + 2 > tiff.length ? 0 : order === "II" ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at));
  const long = (at: number): number => (at + 4 > tiff.length ? 0 : order === "II" ? tiff.readUInt32LE(at) : tiff.readUInt32BE(at));
  if (short(2) !== 42) return undefined;
  const read = (start: number | undefined): Directory => {
    const entries = new Map<number, number>();
    const count = start === undefined || start < 8 ? 0 : Math.min(short(start), mostEntries);
    for (let n = 0; n < count; n += 1) {
      const at = (start as number) + 2 + n * 12;
      if (at + 12 > tiff.length) break;
      entries.set(short(at), at);
    }
    return {
      text: (tag) => {
        const at = entries.get(tag);
        if (at === undefined || short(at + 2) !== asciiType) return undefined;
        const length = long(at + 4);
        const from = length <= 4 ? at + 8 : long(at + 8);
        return length > longestText
          ? undefined
          : tiff
              .toString("latin1", from, from + length)
              .replace(/\0.*$/s, "")
              .trim();
      },
      number: (tag) => {
        const at = entries.get(tag);
        return at === undefined || short(at + 2) !== longType ? undefined : long(at + 8);
      },
    };
  };
  return Object.assign(read, { first: long(4) });
}

const timePattern = /^(\d{4})[:/-](\d\d)[:/-](\d\d)[ T](\d\d):(\d\d):(\d\d)$/;

/** A clock that was never set writes zeros or spaces, which are no date. */
function timeOf(text: string, fraction: string | undefined): number | undefined {
  const [, year, month, day, hour, minute, second] = (timePattern.exec(text) ?? []).map(Number);
  if (year === undefined || month === undefined || day === undefined) return undefined;
  if (hour === undefined || minute === undefined || second === undefined) return undefined;
  const millisecond = /^\d{1,9}$/.test(fraction ?? "") ? Math.floor(Number(`0.${fraction}`) * 1_000) : 0;
  return shownAt({ year, month, day, hour, minute, second, millisecond });
}

function offsetOf(text: string | undefined): number | null {
  if (text === "Z") return 0;
  const [, sign, hours, minutes] = /^([+-])(\d\d):(\d\d)$/.exec(text ?? "") ?? [];
  if (hours === undefined || minutes === undefined || Number(hours) > 14 || Number(minutes) > 59) return null;
  return (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
}
