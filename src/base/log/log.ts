/** The logging interface: levels with fields and a sentence. `daemon` implements it with pino. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  child(fields: object): Log;
}

/** A log that writes nothing, for commands that print their own results. */
export const silentLog: Log = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
  child: () => silentLog,
};

/**
 * Returns the part that errors of the same cause share, without the ids, addresses and times of one message, so that the log can report
 * each cause once.
 */
export function causeOf(text: string): string {
  return text.replace(/[0-9a-f-]{8,}|\d{5,}/gi, "…");
}
