import { changeCommand, type Target } from "../change-command.ts";
import { idArgument } from "../input/arguments.ts";
import { flag, idOf, text } from "../input/options.ts";
import type { Io } from "../io.ts";
import { withoutDetails } from "../output/view.ts";
import { eventPages } from "./export-new.ts";
import { type EventFilter, filterOptions } from "./filter.ts";
import { eventWithDetectionsView } from "./view.ts";

const { reviewed: _, ...reviewFilters } = filterOptions;

/** Number of events in one bulk request. */
const perRequest = 100;

async function* targetsOf(io: Io, filter: EventFilter): AsyncGenerator<readonly Target<number>[]> {
  for await (const events of eventPages(io, filter))
    yield events.map(({ id, camera_id, started_at }) => ({ id, camera_id, at: started_at }));
}

export const reviewEvents = changeCommand({
  name: "events review",
  summary: "Mark an event, or all matching ones, as reviewed",
  description:
    "Marks an event as reviewed. With --all it counts the events that match the filters and are not reviewed yet, asks, and marks them.",
  examples: [
    { command: "homesec events review 42", note: "mark it as reviewed" },
    { command: "homesec events review 42 --note 'the neighbour'", note: "with a note" },
    { command: "homesec events review --all --since 'yesterday 21:00'", note: "all events of last night" },
    { command: "homesec events review --all --risk-level low --yes", note: "in a script" },
    { command: "homesec events review 42 --undo", note: "mark it as not reviewed" },
  ],
  noun: "event",
  argument: idOf("event", idArgument("Event id")),
  options: { undo: flag("Mark it as not reviewed"), note: text("text", "Replace its note") },
  filters: reviewFilters,
  view: withoutDetails(eventWithDetectionsView),
  one: (io, event_id, { undo, note }) => io.call("updateEvent", { params: { event_id }, body: { reviewed: !undo, notes: note } }),
  note: ({ id }, { undo, note }) => `event ${id} marked as ${stateText(undo)}${note === undefined ? "" : "; note saved"}`,
  targets: (io, filter, { undo }) => targetsOf(io, { ...filter, reviewed: undo }),
  question: (what, { undo, note }) => `Mark ${what} as ${stateText(undo)}${note === undefined ? "" : " and replace their notes"}?`,
  perRequest,
  async some(io, ids, { undo, note }) {
    const { results } = await io.call("updateEvents", { body: { events: ids.map((id) => ({ id, reviewed: !undo, notes: note })) } });
    return results;
  },
  done: (count, { undo }) => `${count} marked as ${stateText(undo)}`,
});

const stateText = (undo: boolean): string => (undo ? "not reviewed" : "reviewed");

export const deleteEvents = changeCommand({
  name: "events delete",
  summary: "Delete an event, or all matching ones; they can be restored",
  description:
    "Removes an event from lists, search and statistics. Its detections and pictures stay. It can be restored. With --all it counts the events that match the filters, asks, and deletes them.",
  examples: [
    { command: "homesec events delete 42", note: "undo with homesec events restore 42" },
    { command: "homesec events delete --all --camera-id yard --until 2026-03-01", note: "everything of a camera up to a day" },
    { command: "homesec events delete --all --reviewed --risk-level low --yes", note: "in a script" },
  ],
  noun: "event",
  argument: idOf("event", idArgument("Event id")),
  options: {},
  filters: filterOptions,
  view: { plural: "events", fields: () => ["id"], id: ({ id }) => id, columns: [], details: () => [] },
  async one(io, event_id) {
    await io.call("deleteEvent", { params: { event_id } });
    return { id: event_id };
  },
  note: ({ id }) => `event ${id} deleted; undo with homesec events restore ${id}`,
  targets: targetsOf,
  question: (what) => `Delete ${what}?`,
  perRequest,
  some: async (io, ids) => (await io.call("deleteEvents", { body: { event_ids: [...ids] } })).results,
  done: (count) => `${count} deleted; \`homesec events list --deleted\` lists them, \`homesec events restore\` restores one`,
});
