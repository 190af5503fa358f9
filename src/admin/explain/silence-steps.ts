import { alertsText, type Silence, scopeText } from "../../alerting/silences/silence.ts";
import { instant, type Step } from "./step.ts";

/** That alerts are or were held back by a silence: of what, from when to when, why, and how many. */
export function silenceStep(silence: Silence): Step {
  const { id, reason, status, created_at, ends_at, ended_at, held_back } = silence;
  const name = `The silence ${id} (${JSON.stringify(reason)}) of ${scopeText(silence)}`;
  const text =
    status === "active"
      ? `${name} holds alerts back since ${instant(created_at)}, until ${instant(ends_at)}; so far ${alertsText(held_back)}.`
      : `${name} held alerts back from ${instant(created_at)} to ${instant(ended_at ?? ends_at)}: ${alertsText(held_back)}.`;
  return { at: null, step: "silence", status: "note", text, details: { ...silence } };
}
