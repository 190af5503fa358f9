import { randomUUID } from "node:crypto";
import { z } from "zod";
import { decodeCursor, KeyInstant, makePage } from "../../contract/cursor.ts";
import { notFound, Problem } from "../../contract/problem.ts";
import type { silenceRoutes } from "../../contract/routes/silences.ts";
import { uuidOf } from "../../contract/values.ts";
import { requireCamera } from "../../monitoring/cameras/required.ts";
import { appendToJournal } from "../../work/journal/journal.ts";
import type { Operations } from "../../work/operations/operation.ts";
import { requireRule } from "../rules/required.ts";
import { endOf, scopeOf } from "./request.ts";
import { countSilences, endActive, findSilence, insertSilence, listSilences } from "./silences-repository.ts";

const listName = "silences";
const Key = z.tuple([KeyInstant, z.uuid()]);

/** The use cases of alert silences. The daemon sends the summary at the end, since only the daemon knows the channels. */
export const silenceOperations: Pick<Operations, keyof typeof silenceRoutes> = {
  listSilences: async ({ query }, { db, clock }) => {
    const { limit, cursor, offset, status } = query;
    const after = decodeCursor(cursor, listName, Key);
    const now = clock.now();
    const [rows, total] = await db.query((sql) =>
      Promise.all([listSilences(sql, { status, after, offset: offset ?? 0, limit: limit + 1 }, now), countSilences(sql, status, now)]),
    );
    const { items, ...page } = makePage({ listName, rows, limit, offset, after, total, key: (row) => row.key });
    return { items: items.map((row) => row.record), ...page };
  },

  createSilence: async ({ body }, { db, clock }) => {
    const now = clock.now();
    const { cameraId, ruleId } = scopeOf(body);
    const endsAt = endOf(body, now);
    const silence = await db.transaction(async (sql) => {
      if (cameraId !== null) await requireCamera(sql, cameraId);
      const rule = ruleId === null ? null : await requireRule(sql, ruleId);
      const created = await insertSilence(sql, { id: randomUUID(), cameraId, rule, reason: body.reason, endsAt }, now);
      await appendToJournal(sql, [{ type: "silence.started", data: created }], now);
      return created;
    });
    return silence;
  },

  getSilence: async ({ params }, { db, clock }) => {
    const id = uuidOf(params.id);
    const silence = id && (await db.query((sql) => findSilence(sql, id, clock.now())));
    if (!silence) throw notFound("Silence", params.id);
    return silence;
  },

  endSilence: async ({ params }, { db, clock }) => {
    const id = uuidOf(params.id);
    if (id === undefined) throw notFound("Silence", params.id);
    const silence = await db.transaction(async (sql) => {
      const now = clock.now();
      const ended = await endActive(sql, id, now);
      const current = await findSilence(sql, id, now);
      if (!current) throw notFound("Silence", params.id);
      if (!ended) throw new Problem("conflict", `Silence ${id} ended at ${current.ended_at?.toISOString()} already; it holds nothing back`);
      await appendToJournal(sql, [{ type: "silence.ended", data: current }], now);
      return current;
    });
    return silence;
  },
};
