import { z } from "zod";
import type { eventRoutes } from "../../contract/routes/events.ts";
import { readPage, timeKey } from "../../platform/database/keyset.ts";
import { appendToJournal } from "../../work/journal/journal.ts";
import type { Operations } from "../../work/operations/operation.ts";
import { deletionOperations } from "./deletion.ts";
import { findWithDetections } from "./event-detections-repository.ts";
import { countEvents, filterOf, listEvents } from "./events-repository.ts";
import { exportOperations } from "./export.ts";
import { reanalysisOperations } from "./reanalysis.ts";
import { setsAnything, updateReviews } from "./review-repository.ts";
import { searchOperations } from "./search.ts";

/** The use cases of events, except bulk operations. */
export const eventOperations: Omit<Pick<Operations, keyof typeof eventRoutes>, "createEvents" | "updateEvents" | "deleteEvents"> = {
  ...searchOperations,
  ...exportOperations,
  ...deletionOperations,
  ...reanalysisOperations,

  listEvents: async ({ query }, { db }) => {
    const filter = filterOf(query);
    return await readPage(db, query, {
      name: "events",
      key: timeKey(z.int()),
      rows: (sql, slice) => listEvents(sql, { filter, ...slice }),
      count: (sql) => countEvents(sql, filter),
    });
  },

  getEvent: async ({ params }, { db }) => await db.query((sql) => findWithDetections(sql, params.event_id)),

  updateEvent: async ({ params, body }, { db, clock, caller }) => {
    const { reviewed, notes, pinned } = body;
    const review = { id: params.event_id, reviewed, notes, pinned };
    const changes = setsAnything(review);
    const event = await db.transaction(async (sql) => {
      if (changes) await updateReviews(sql, [review], caller?.access?.name ?? null, clock.now());
      const { detections, shown_detection_ids, ...record } = await findWithDetections(sql, params.event_id);
      if (changes) await appendToJournal(sql, [{ type: "event.updated", data: record }], clock.now());
      return { ...record, detections, shown_detection_ids };
    });
    return event;
  },
};
