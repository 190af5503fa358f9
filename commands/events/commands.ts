import { Problem } from "../../src/contract/problem.ts";
import type { ReplyOf } from "../../src/contract/routes/index.ts";
import type { Command } from "../command.ts";
import { listCommand, recordCommand } from "../command-shapes.ts";
import { idArgument, textArgument } from "../input/arguments.ts";
import { flag, idOf } from "../input/options.ts";
import { noteEmptySearch } from "../input/search-advice.ts";
import { noteUnknownCameras } from "../input/similar-id.ts";
import { fieldsOf, type View, withoutDetails } from "../output/view.ts";
import { deleteEvents, pinEvents, reviewEvents, unpinEvents } from "./change.ts";
import { exportEvents } from "./export.ts";
import { filterOptions } from "./filter.ts";
import { ignoreSpot } from "./ignore.ts";
import { noteVisits } from "./open-visits.ts";
import { coverOf, picture, pictureHelp, saveEventPicture, showPicture } from "./picture.ts";
import { shareEvent } from "./share.ts";
import { statsOfEvents } from "./stats.ts";
import { tailEvents } from "./tail.ts";
import { timelineOfEvents } from "./timeline.ts";
import { eventView, eventWithDetectionsView, foundEventView } from "./view.ts";

const event = { event_id: idOf("event", idArgument("Event id")) };

const listEvents = listCommand({
  name: "events list",
  summary: "List events, newest first",
  options: { ...filterOptions, deleted: flag("Only deleted events, last deleted first") },
  examples: [
    { command: "homesec events list --since 'yesterday 21:00' --min-risk-score 60", note: "last night's risky events" },
    { command: "homesec events list --camera-id front-door --no-reviewed", note: "unreviewed events of one camera" },
    { command: "homesec events list --since 24h --limit 10000 -o csv > events.csv", note: "the last day as CSV" },
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
    { command: "homesec events search '\"front gate\" -dog' --since 7d", note: "a phrase, without a word" },
    { command: "homesec events search 'deliver*' --camera-id front-door", note: "delivery, delivered, ..." },
  ],
  view: foundEventView,
  page: (io, { arguments: { query }, options }, page) => io.call("searchEvents", { query: { q: query, ...options, ...page } }),
  rows: (body) => body.items,
  async after(io, { arguments: { query }, options }, count) {
    if (count > 0 || (await noteUnknownCameras(io, options.camera_id))) return;
    await noteEmptySearch(io, {
      ...{ command: "events search", noun: "event", query, isFiltered: Object.values(options).some((value) => value !== undefined) },
      async count(q, filtered) {
        const { pagination } = await io.call("searchEvents", { query: { q, ...(filtered && options), limit: 1 } });
        return pagination.total;
      },
    });
  },
});

const showEvent = recordCommand({
  name: "events show",
  summary: "Show one event with its detections",
  description: pictureHelp,
  arguments: event,
  options: { picture },
  examples: [
    { command: "homesec events show 42", note: "risk score, reasons and detections" },
    { command: "homesec events show 42 -o json", note: "the API record" },
  ],
  view: eventWithDetectionsView,
  record: (io, { arguments: params }) => io.call("getEvent", { params }),
  // a list of many detections would push it off the screen
  after: async (io, { thumbnail_url }, { options }) => await showPicture(io, coverOf(thumbnail_url), options.picture),
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
  view: { ...withoutDetails(eventWithDetectionsView), details: ({ notes }) => (notes === "" ? [] : [["note", { text: notes }]]) },
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

const restoreEvent = recordCommand({
  name: "events restore",
  summary: "Restore a deleted event",
  arguments: { event_id: idOf("deletedEvent", idArgument("Event id")) },
  examples: [{ command: "homesec events restore 42", note: "homesec events list --deleted lists deleted events" }],
  view: withoutDetails(eventWithDetectionsView),
  record: (io, { arguments: params }) => io.call("restoreEvent", { params }),
  note: ({ id }) => `event ${id} restored`,
});

export const commands: readonly Command[] = [
  listEvents,
  searchEvents,
  showEvent,
  saveEventPicture,
  tailEvents,
  timelineOfEvents,
  statsOfEvents,
  reviewEvents,
  noteEvent,
  pinEvents,
  unpinEvents,
  reanalyzeEvent,
  deleteEvents,
  restoreEvent,
  ignoreSpot,
  shareEvent,
  exportEvents,
];
