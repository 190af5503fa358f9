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

/** The first of many, and how many more there are: `a; b; and 3 more`. */
export function listed(items: readonly string[], most = 5, separator = "; "): string {
  const rest = items.length - most;
  return rest > 0 ? `${items.slice(0, most).join(separator)}${separator}and ${rest} more` : items.join(separator);
}

/** What an error says, on one line. */
export function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message || String((error as NodeJS.ErrnoException).code ?? error.name) : String(error);
  return text.replace(/\s+/g, " ").trim();
}
