import { changeCommand, type Target } from "../change-command.ts";
import type { Command, Definition } from "../command.ts";
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

const { pinned: _pinned, ...pinFilters } = filterOptions;

/** `events pin` and `events unpin`: they differ in what they set. */
function pinCommand(
  name: "pin" | "unpin",
  head: Pick<Definition<never, never>, "summary" | "examples"> & { readonly description: string },
): Command {
  const pinned = name === "pin";
  return changeCommand({
    name: `events ${name}`,
    ...head,
    noun: "event",
    argument: idOf("event", idArgument("Event id")),
    options: {},
    filters: pinFilters,
    view: withoutDetails(eventWithDetectionsView),
    one: (io, event_id) => io.call("updateEvent", { params: { event_id }, body: { pinned } }),
    note: ({ id }) => `event ${id} ${name}ned${pinned ? "; no cleanup deletes it" : ""}`,
    targets: (io, filter) => targetsOf(io, { ...filter, pinned: !pinned }),
    question: (what) => `${pinned ? "Pin" : "Unpin"} ${what}?`,
    perRequest,
    some: async (io, ids) => (await io.call("updateEvents", { body: { events: ids.map((id) => ({ id, pinned })) } })).results,
    done: (count) => `${count} ${name}ned`,
  });
}

export const pinEvents = pinCommand("pin", {
  summary: "Pin an event or camera incident, so that no cleanup deletes it",
  description:
    "Keeps an event or camera incident with its detections, pictures and alerts, however old it becomes and however full the disk is. A pinned event cannot be deleted. With --all it counts the events that match the filters and are not pinned, asks, and pins them.",
  examples: [
    { command: "homesec events pin 42", note: "keep it until homesec events unpin 42" },
    { command: "homesec events pin --all --camera-id yard --since 'yesterday 21:00'", note: "all events of last night" },
  ],
});

export const unpinEvents = pinCommand("unpin", {
  summary: "Unpin an event, so that the cleanup deletes it at its time",
  description:
    "Ends the pin of an event or camera incident. The next cleanup deletes it if it is older than the retention period. With --all it counts the pinned events that match the filters, asks, and unpins them.",
  examples: [
    { command: "homesec events unpin 42", note: "the cleanup may delete it again" },
    { command: "homesec events unpin --all --until 2026-01-31 --yes", note: "in a script" },
  ],
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
