import { authorText } from "../../alerting/modes/mode.ts";
import { switchesBetween } from "../../alerting/modes/switches-repository.ts";
import type { Switch } from "../../alerting/modes/timeline.ts";
import type { Sql } from "../../platform/database/database.ts";
import { instant, type Step } from "./step.ts";

/** Maximum number of switches that are explained one by one. */
const mostSwitches = 20;

/**
 * Steps of the modes of the home between two times, both included: the mode at the beginning and each switch. None for a home that has not
 * switched its mode yet.
 */
export async function modeSteps(sql: Sql, from: Date, to: Date): Promise<readonly Step[]> {
  const switches = await switchesBetween(sql, { from, to, limit: mostSwitches });
  return switches.map((each) => (each.since < from ? standingStep(each) : switchStep(each)));
}

function standingStep(current: Switch): Step {
  const author = authorText(current);
  const text = `The home was in mode ${current.name} since ${instant(current.since)}${author === undefined ? "" : `, ${author}`}.`;
  return { at: null, step: "mode", status: "note", text, details: detailsOf(current) };
}

function switchStep(current: Switch): Step {
  const by = current.source === "schedule" ? " by the schedule" : current.setBy === null ? "" : ` by ${current.setBy}`;
  const text = `The home was switched from mode ${current.previous} to ${current.name}${by}.`;
  return { at: current.since, step: "mode", status: "note", text, details: detailsOf(current) };
}

function detailsOf({ name, previous, since, setBy, source }: Switch): Step["details"] {
  return { mode: name, previous_mode: previous, switched_at: since, set_by: setBy, source };
}
