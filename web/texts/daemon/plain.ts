const identifier = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";
const alert = new RegExp(`\\b(an alert|[Aa]lert) ${identifier}`, "g");
const list = new RegExp(`: ${identifier}(?:, ${identifier})*(?=\\.)`, "g");
const other = new RegExp(` ${identifier}`, "g");

/** Leaves out identifiers: they serve the command line, and a reader of the page has links. */
export function withoutIdentifiers(text: string): string {
  return text
    .replace(alert, (_, word: string) => (word === "Alert" ? "An alert" : "an alert"))
    .replace(list, "")
    .replace(other, "");
}

/** Writes the times of a text as the page writes times. */
export function withTimes(text: string, time: (time: Date) => string): string {
  return text.replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, (instant) => time(new Date(instant)));
}

/**
 * Writes a sentence of homesec for a reader. The translation comes between: its sentences know times as homesec writes them, but no
 * identifiers.
 */
export function forReader(text: string, translate: (text: string) => string, time: (time: Date) => string): string {
  return withTimes(translate(withoutIdentifiers(text)), time);
}
