const units = ["bytes", "kB", "MB", "GB", "TB", "PB"] as const;

/** `3.1 GB`. */
export function bytesText(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}

const maxListed = 5;

/** Joins the first items, and counts the rest: `a; b; and 3 more`. */
export function listed(items: readonly string[], separator = "; "): string {
  const rest = items.length - maxListed;
  return [...items.slice(0, maxListed), ...(rest > 0 ? [`and ${rest} more`] : [])].join(separator);
}

/** Splits `what happened; what to do` of an error message into text and fix. */
export function splitFix(message: string): readonly [text: string, fix: string | undefined] {
  const [text = "", ...fix] = message.split("; ");
  return [text, fix.length === 0 ? undefined : fix.join("; ")];
}

/** The message of an error, on one line. */
export function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message || String((error as NodeJS.ErrnoException).code ?? error.name) : String(error);
  return text.replace(/\s+/g, " ").trim();
}
