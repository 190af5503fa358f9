import { z } from "zod";
import { notFound, Problem } from "../../contract/problem.ts";
import { readPage, timeKey } from "../../platform/database/keyset.ts";
import { appendToJournal } from "../../work/journal/journal.ts";
import type { Operations } from "../../work/operations/operation.ts";
import { countDeleted, existingEvents, listDeleted, markDeleted, pinnedText, unmarkDeleted } from "./deletion-repository.ts";
import { queueEvaluations } from "./evaluation-repository.ts";
import { findWithDetections } from "./event-detections-repository.ts";

/**
 * Deleted events stay, visible only in the list of deleted events, until they are restored or cleaned up. A restore runs the rules that
 * missed the event.
 */
export const deletionOperations: Pick<Operations, "deleteEvent" | "restoreEvent" | "listDeletedEvents"> = {
  listDeletedEvents: async ({ query }, { db }) =>
    await readPage(db, query, { name: "deleted-events", key: timeKey(z.int()), rows: listDeleted, count: countDeleted }),

  deleteEvent: async ({ params: { event_id: id } }, { db, clock }) => {
    await db.transaction(async (sql) => {
      const deleted = await markDeleted(sql, [id], clock.now());
      if (deleted.length === 0) {
        const event = (await existingEvents(sql, [id])).get(id);
        if (!event) throw notFound("Event", id);
        if (event.isPinned) throw new Problem("conflict", pinnedText(id));
        throw new Problem("conflict", `Event ${id} is deleted already; \`homesec events restore ${id}\` brings it back`);
      }
      await appendToJournal(sql, [{ type: "event.deleted", data: { id } }], clock.now());
    });
    return undefined;
  },

  restoreEvent: async ({ params: { event_id: id } }, { db, clock }) => {
    const event = await db.transaction(async (sql) => {
      if (!(await unmarkDeleted(sql, id, clock.now()))) {
        if (!(await existingEvents(sql, [id])).has(id)) throw notFound("Event", id);
        throw new Problem("conflict", `Event ${id} is not deleted; there is nothing to restore`);
      }
      const { detections, shown_detection_ids, ...record } = await findWithDetections(sql, id);
      await appendToJournal(sql, [{ type: "event.updated", data: record }], clock.now());
      await queueEvaluations(sql, [id], "restored", clock.now());
      return { ...record, detections, shown_detection_ids };
    });
    return event;
  },
};
