/** By which what is sent can be found again in the log: the id of the batch that its event was made of. */
const traceHeaderName = "x-homesec-trace";

/** The header for a message about an event; none where there is no batch, or where somebody stored an event with an id of another form. */
export function traceHeader(trace: string | null | undefined): Readonly<Record<string, string>> {
  return trace && /^[\w-]{1,64}$/.test(trace) ? { [traceHeaderName]: trace } : {};
}
