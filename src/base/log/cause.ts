/**
 * What an error text has in common with others of the same cause: without ids, addresses and times of the one message, so that the log can tell a cause
 * once.
 */
export function causeOf(text: string): string {
  return text.replace(/[0-9a-f-]{8,}|\d{5,}/gi, "…");
}
