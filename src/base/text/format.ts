let segmenter: Intl.Segmenter | undefined;

/** The characters of a text as people count them. The segmenter takes 12 ms to create, so a command that needs none has none. */
export function graphemesOf(text: string): Iterable<Intl.SegmentData> {
  segmenter ??= new Intl.Segmenter();
  return segmenter.segment(text);
}

/** Formats a count with its noun: `1 camera`, `3 cameras`; `many` is the plural if it is not formed with `s`. */
export function pluralize(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** Plurals of classes that are not formed with `s`. */
const pluralOf: Readonly<Record<string, string>> = { person: "people", bus: "buses" };

/** Formats a number of objects of a class: `1 person`, `2 people`, `3 dogs`. */
export function objectCountText(type: string, count: number): string {
  return pluralize(count, type, pluralOf[type]);
}

/** Formats the numbers of objects by class: `2 people, 1 dog`. */
export function objectCountsText(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .map(([type, count]) => objectCountText(type, count))
    .join(", ");
}

/** Formats a duration for people: `45 s`, `5 min`, `2 h 5 min`, `3 d 4 h`. */
export function durationText(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const [days, hours, rest] = [Math.floor(minutes / 1440), Math.floor(minutes / 60) % 24, minutes % 60];
  const parts = days > 0 ? [`${days} d`, hours > 0 && `${hours} h`] : [`${hours} h`, rest > 0 && `${rest} min`];
  return parts.filter(Boolean).join(" ");
}

/** Quotes a word for a shell. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./~-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** The first words of all commands. Sentences name homesec too: only before one of these words it begins a command. */
export const commandWords = [
  ...[
    "serve",
    "demo",
    "live",
    "trigger",
    "summary",
    "explain",
    "health",
    "doctor",
    "mode",
    "selftest",
    "cleanup",
    "completion",
    "docs",
    "help",
  ],
  ...["setup"],
  ...[
    "cameras",
    "receivers",
    "events",
    "detections",
    "detector",
    "models",
    "entities",
    "rules",
    "alerts",
    "silence",
    "modes",
    "webhooks",
    "channels",
    "recipients",
    "notifications",
    "analytics",
    "workers",
  ],
  ...["open", "breakers", "dlq", "gpu", "retention", "shares", "evidence", "keys", "config", "db"],
] as const;

const command = new RegExp(`(?<![\\w./-]|npx )homesec(?= (?:--direct )?(?:<command>|(?:${commandWords.join("|")})\\b))`, "g");

/**
 * Rewrites the commands in a text as the user types them: `called` is `homesec`, `./homesec` or `npx homesec`. Texts of the daemon
 * always say `homesec`, since it does not know how its clients call it.
 */
export function typable(text: string, called: string | undefined): string {
  return called === undefined || called === "homesec" ? text : text.replace(command, () => called);
}
