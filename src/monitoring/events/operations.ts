import { z } from "zod";
import { decodeCursor, KeyInstant, makePage } from "../../contract/cursor.ts";
import type { eventRoutes } from "../../contract/routes/events.ts";
import { appendToJournal } from "../../work/journal/journal.ts";
import type { Operations } from "../../work/operations/operation.ts";
import { deletionOperations } from "./deletion.ts";
import { findWithDetections } from "./details.ts";
import { countEvents, listEvents, updateReview } from "./events-repository.ts";
import { exportOperations } from "./export.ts";
import { filterOf } from "./filter.ts";
import { reanalysisOperations } from "./reanalysis.ts";
import { searchOperations } from "./search.ts";

const listName = "events";
const Key = z.tuple([KeyInstant, z.int()]);

/** The use cases of events, except bulk operations. */
export const eventOperations: Omit<Pick<Operations, keyof typeof eventRoutes>, "createEvents" | "updateEvents" | "deleteEvents"> = {
  ...searchOperations,
  ...exportOperations,
  ...deletionOperations,
  ...reanalysisOperations,

  listEvents: async ({ query }, { db }) => {
    const { limit, cursor, offset } = query;
    const after = decodeCursor(cursor, listName, Key);
    const filter = filterOf(query);
    const [rows, total] = await db.query((sql) =>
      Promise.all([listEvents(sql, { filter, after, offset: offset ?? 0, limit: limit + 1 }), countEvents(sql, filter)]),
    );
    const { items, ...page } = makePage({ listName, rows, limit, offset, after, total, key: (row) => row.key });
    return { items: items.map((row) => row.record), ...page };
  },

  getEvent: async ({ params }, { db }) => await db.query((sql) => findWithDetections(sql, params.event_id)),

  updateEvent: async ({ params, body }, { db, clock }) => {
    const { reviewed, notes } = body;
    const changes = reviewed !== undefined || notes !== undefined;
    const event = await db.transaction(async (sql) => {
      if (changes) await updateReview(sql, params.event_id, { reviewed, notes }, clock.now());
      const { detections, ...record } = await findWithDetections(sql, params.event_id);
      if (changes) await appendToJournal(sql, [{ type: "event.updated", data: record }], clock.now());
      return { ...record, detections };
    });
    return event;
  },
};
