/** Identifies a sent message in the log: the id of the batch that its event comes from. */
const traceHeaderName = "x-homesec-trace";

/** Returns the header for a message about an event; empty if there is no batch, or if the event's id has another form. */
export function traceHeader(trace: string | null | undefined): Readonly<Record<string, string>> {
  return trace && /^[\w-]{1,64}$/.test(trace) ? { [traceHeaderName]: trace } : {};
}
