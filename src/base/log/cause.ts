/**
 * Returns the part that errors of the same cause share, without the ids, addresses and times of one message, so that the log can report
 * each cause once.
 */
export function causeOf(text: string): string {
  return text.replace(/[0-9a-f-]{8,}|\d{5,}/gi, "…");
}
