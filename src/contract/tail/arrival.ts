import { ControlMessage, JournalMessage, refusals } from "../live.ts";
import { Problem } from "../problem.ts";

/** A message as it arrived. `unknown`: numbered but not understood, as from a newer daemon; its sequence number still counts. */
export type Arrival =
  | { readonly kind: "journal"; readonly message: JournalMessage }
  | { readonly kind: "control"; readonly message: ControlMessage }
  | { readonly kind: "unknown"; readonly type: string; readonly sequence: number; readonly reason: string };

/** Reads a text frame. Returns undefined for what no daemon sends; without a sequence nothing is lost. */
export function readArrival(text: string): Arrival | undefined {
  let json: { readonly type?: unknown; readonly sequence?: unknown } | null;
  try {
    json = JSON.parse(text);
  } catch {
    return undefined;
  }
  const sequence = json?.sequence;
  if (typeof sequence !== "number") {
    const control = ControlMessage.safeParse(json);
    return control.success ? { kind: "control", message: control.data } : undefined;
  }
  const journal = JournalMessage.safeParse(json);
  if (journal.success) return { kind: "journal", message: journal.data };
  const [issue] = journal.error.issues;
  return { kind: "unknown", type: String(json?.type), sequence, reason: `${issue?.path.join(".")}: ${issue?.message}` };
}

/** How a connection ended. `final`: retrying is pointless. */
export interface End {
  readonly reason: string;
  /** The connection's error, unless the daemon closed it with a reason. */
  readonly error: Error | undefined;
  readonly final: Problem | undefined;
}

/** Returns the problem of a connection that the daemon closed with 1008 and this reason, or undefined when a later attempt may succeed. */
export function refusedByClose(reason: string): Problem | undefined {
  if (reason === refusals.limit || reason === refusals.messages) return undefined;
  if (reason === refusals.key) return new Problem("unauthorized", `The daemon wants an API key: ${reason.toLowerCase()}`);
  return new Problem("forbidden", `The daemon refuses the connection: ${reason || "no reason given"}`);
}
