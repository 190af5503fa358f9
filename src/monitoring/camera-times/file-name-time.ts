import { type TimeTemplate, timeTemplates } from "./templates.ts";
import { type TimePattern, timePattern, whyNoPattern } from "./time-pattern.ts";
import type { WallTime } from "./wall-time.ts";

/** Values of a camera's `time_template` beside the names of built-in templates and custom patterns. */
export const automatic = "auto";
export const switchedOff = "none";

/** The time in the name of a file, and the template that read it. */
export interface NamedTime {
  readonly template: string;
  readonly time: WallTime;
}

interface Reader {
  readonly template: string;
  readonly isUtc: boolean;
  readonly patterns: readonly TimePattern[];
}

const readerOf = ({ name, patterns, isUtc }: TimeTemplate): Reader => ({
  template: name,
  isUtc: isUtc === true,
  patterns: patterns.map(timePattern),
});

let builtIn: readonly Reader[] | undefined;
/** Readers of custom patterns; there are no more than cameras. */
const custom = new Map<string, readonly Reader[]>();
const mostCustom = 200;

/** Returns the readers of a value of `time_template`: none for one that is not valid, such as a template of a later version. */
function readersOf(template: string): readonly Reader[] {
  builtIn ??= timeTemplates.map(readerOf);
  if (template === automatic) return builtIn;
  if (!template.includes("%")) return builtIn.filter((reader) => reader.template === template);
  const known = custom.get(template);
  if (known) return known;
  const readers = whyNoPattern(template) === undefined ? [readerOf({ name: template, patterns: [template], examples: [] })] : [];
  if (custom.size >= mostCustom) custom.clear();
  custom.set(template, readers);
  return readers;
}

/** Returns the time in the name of a file, or in those of the folders above it; undefined if the template finds none. */
export function fileNameTime(path: string, template: string): NamedTime | undefined {
  for (const { template: name, isUtc, patterns } of readersOf(template)) {
    for (const pattern of patterns) {
      const time = pattern.read(path);
      if (time) return { template: name, time: isUtc && time.offsetMinutes === null ? { ...time, offsetMinutes: 0 } : time };
    }
  }
  return undefined;
}

/** Explains why a text is no value of `time_template`, to follow "time_template"; undefined if it is one. */
export function whyNoTemplate(text: string): string | undefined {
  if (text.includes("%")) return whyNoPattern(text);
  const names = [automatic, switchedOff, ...timeTemplates.map(({ name }) => name)];
  return names.includes(text) ? undefined : `must be ${names.join(", ")}, or a pattern such as *_%Y%m%d_%H%M%S`;
}
