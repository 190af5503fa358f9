import type { Event } from "../../monitoring/events/event.ts";
import type { Change } from "../../platform/keys/changes-repository.ts";
import type { Step } from "./step.ts";

/** What the operations on an event did, as the end of a sentence. */
const deeds: Readonly<Record<string, string>> = {
  updateEvent: "changed it",
  updateEvents: "changed it",
  deleteEvent: "deleted it",
  deleteEvents: "deleted it",
  restoreEvent: "restored it",
  reanalyzeEvent: "asked for a new risk assessment",
};

/** What a change set, in words; `notes` without their text. */
const settings: Readonly<Record<string, string>> = {
  "reviewed=true": "marked it as reviewed",
  "reviewed=false": "marked it as not reviewed",
  "pinned=true": "pinned it",
  "pinned=false": "unpinned it",
  notes: "changed the notes",
};

/** Steps of what people with a key or session did to an event, oldest first. Its pin outlives the record of the change. */
export function peopleSteps(changes: readonly Change[], { pinned_at, pinned_by = null }: Pick<Event, "pinned_at" | "pinned_by">): Step[] {
  const isRecorded = changes.some(({ fields }) => fields.includes("pinned=true"));
  const pin: Step[] =
    pinned_at && !isRecorded
      ? [
          {
            at: pinned_at,
            step: "change",
            status: "done",
            text: `${pinned_by ?? "A client without a name"} pinned it.`,
            details: { by: pinned_by },
          },
        ]
      : [];
  const steps = changes.toReversed().map((change): Step => {
    const { id, at, by, role, operation, fields } = change;
    const set = fields.flatMap((field) => settings[field] ?? []);
    const deed = set.length > 0 ? set.join(" and ") : (deeds[operation] ?? `ran ${operation}`);
    return {
      at,
      step: "change",
      status: "done",
      text: `${by} (${role}) ${deed}.`,
      details: { change_id: id, by, role, operation, fields },
    };
  });
  return [...pin, ...steps];
}
