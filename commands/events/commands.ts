import { Problem } from "../../src/contract/problem.ts";
import type { ReplyOf } from "../../src/contract/routes/index.ts";
import type { Command } from "../command.ts";
import { actionCommand, listCommand, recordCommand } from "../command-shapes.ts";
import { idArgument, textArgument } from "../input/arguments.ts";
import { flag, text } from "../input/options.ts";
import { noteUnknownCameras } from "../input/similar-id.ts";
import { fieldsOf, type View } from "../output/view.ts";
import { exportEvents } from "./export.ts";
import { filterOptions } from "./filter.ts";
import { noteVisits } from "./open-visits.ts";
import { statsOfEvents } from "./stats.ts";
import { tailEvents } from "./tail.ts";
import { timelineOfEvents } from "./timeline.ts";
import { eventView, eventWithDetectionsView, foundEventView } from "./view.ts";

const event = { event_id: idArgument("Event id") };

const listEvents = listCommand({
  name: "events list",
  summary: "List events, newest first",
  options: { ...filterOptions, deleted: flag("Only deleted events, last deleted first") },
  examples: [
    { command: "homesec events list --start-date 'yesterday 21:00' --min-risk-score 60", note: "last night's risky events" },
    { command: "homesec events list --camera-id front-door --no-reviewed", note: "unreviewed events of one camera" },
    { command: "homesec events list --start-date -24h --limit 10000 -o csv > events.csv", note: "the last day as CSV" },
    { command: "homesec events list --deleted", note: "events that can be restored" },
  ],
  view: eventView,
  check({ options: { deleted, ...filter } }) {
    if (deleted && Object.values(filter).some((value) => value !== undefined))
      throw new Problem("invalid", "--deleted lists all deleted events; remove the other filters");
  },
  page: (io, { options: { deleted, ...filter } }, page) =>
    deleted ? io.call("listDeletedEvents", { query: page }) : io.call("listEvents", { query: { ...filter, ...page } }),
  rows: (body) => body.items,
  async after(io, { options }, count) {
    if (count === 0) await noteUnknownCameras(io, options.camera_id);
    await noteVisits(io, options);
  },
});

const searchEvents = listCommand({
  name: "events search",
  summary: "Search events by their texts, camera and classes",
  description:
    'Searches summary, reasoning, notes, camera and classes. All words must match; "words in quotes" match side by side; OR separates alternatives; -word excludes a word; word* matches any ending. Sorts the newest matches by relevance.',
  arguments: { query: textArgument("Search query") },
  options: filterOptions,
  defaultLimit: 20,
  examples: [
    { command: "homesec events search 'ladder OR crowbar'", note: "either word" },
    { command: "homesec events search '\"front gate\" -dog' --start-date -7d", note: "a phrase, without a word" },
    { command: "homesec events search 'deliver*' --camera-id front-door", note: "delivery, delivered, ..." },
  ],
  view: foundEventView,
  page: (io, { arguments: { query }, options }, page) => io.call("searchEvents", { query: { q: query, ...options, ...page } }),
  rows: (body) => body.items,
  after: async (io, { options }, count) => (count === 0 ? await noteUnknownCameras(io, options.camera_id) : undefined),
});

const showEvent = recordCommand({
  name: "events show",
  summary: "Show one event with its detections",
  arguments: event,
  examples: [
    { command: "homesec events show 42", note: "risk score, reasons and detections" },
    { command: "homesec events show 42 -o json", note: "the API record" },
  ],
  view: eventWithDetectionsView,
  record: (io, { arguments: params }) => io.call("getEvent", { params }),
});

const reviewEvent = recordCommand({
  name: "events review",
  summary: "Mark an event as reviewed",
  arguments: event,
  options: { undo: flag("Mark it as not reviewed"), note: text("text", "Replace its note") },
  examples: [
    { command: "homesec events review 42", note: "mark it as reviewed" },
    { command: "homesec events review 42 --note 'the neighbour'", note: "with a note" },
    { command: "homesec events review 42 --undo", note: "mark it as not reviewed" },
  ],
  view: eventWithDetectionsView,
  record: (io, { arguments: params, options: { undo, note } }) =>
    io.call("updateEvent", { params, body: { reviewed: !undo, notes: note } }),
  note: ({ id }, { options: { undo } }) => `event ${id} marked as ${undo ? "not reviewed" : "reviewed"}`,
});

const noteEvent = recordCommand({
  name: "events note",
  summary: "Write a note on an event",
  description: "Replaces the note of an event, at most 4000 characters. Search finds notes too.",
  arguments: { ...event, text: textArgument("Note; empty to delete it") },
  examples: [
    { command: "homesec events note 42 'the neighbour with his ladder'", note: "homesec events search ladder finds it" },
    { command: "homesec events note 42 ''", note: "delete the note" },
  ],
  view: eventWithDetectionsView,
  record: (io, { arguments: { event_id, text } }) => io.call("updateEvent", { params: { event_id }, body: { notes: text } }),
  note: ({ id }, { arguments: { text } }) => (text === "" ? `note on event ${id} deleted` : `note on event ${id} saved`),
});

const queuedView: View<ReplyOf<"reanalyzeEvent">> = {
  plural: "events",
  fields: fieldsOf("reanalyzeEvent"),
  id: (record) => record.event_id,
  columns: [],
  details: (record) => [["event", { text: `${record.event_id} ${record.status} for analysis` }]],
};

const reanalyzeEvent = recordCommand({
  name: "events reanalyze",
  summary: "Analyse an event again",
  description:
    "Sends an event to the language model again. The event keeps its risk score until the new analysis succeeds. With --direct the event waits for the daemon.",
  arguments: event,
  examples: [{ command: "homesec events reanalyze 42", note: "homesec events show 42 shows the result a little later" }],
  view: queuedView,
  record: (io, { arguments: params }) => io.call("reanalyzeEvent", { params }),
});

const deleteEvent = actionCommand({
  name: "events delete",
  summary: "Delete an event; it can be restored",
  description: "Removes an event from lists, search and statistics. Its detections and pictures stay. It can be restored.",
  arguments: event,
  examples: [{ command: "homesec events delete 42", note: "undo with homesec events restore 42" }],
  async act(io, { arguments: { event_id } }) {
    await io.call("deleteEvent", { params: { event_id } });
    return `event ${event_id} deleted; undo with homesec events restore ${event_id}`;
  },
});

const restoreEvent = recordCommand({
  name: "events restore",
  summary: "Restore a deleted event",
  arguments: event,
  examples: [{ command: "homesec events restore 42", note: "homesec events list --deleted lists deleted events" }],
  view: eventWithDetectionsView,
  record: (io, { arguments: params }) => io.call("restoreEvent", { params }),
  note: ({ id }) => `event ${id} restored`,
});

export const commands: readonly Command[] = [
  listEvents,
  searchEvents,
  showEvent,
  tailEvents,
  timelineOfEvents,
  statsOfEvents,
  reviewEvent,
  noteEvent,
  reanalyzeEvent,
  deleteEvent,
  restoreEvent,
  exportEvents,
];
