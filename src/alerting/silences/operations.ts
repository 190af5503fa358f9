import { randomUUID } from "node:crypto";
import { z } from "zod";
import { notFound, Problem } from "../../contract/problem.ts";
import type { silenceRoutes } from "../../contract/routes/silences.ts";
import { uuidOf } from "../../contract/values.ts";
import { requireCamera } from "../../monitoring/cameras/cameras-repository.ts";
import { readPage, timeKey } from "../../platform/database/keyset.ts";
import { appendToJournal } from "../../work/journal/journal.ts";
import type { Operations } from "../../work/operations/operation.ts";
import { requireRule } from "../rules/required.ts";
import { endOf, scopeOf } from "./request.ts";
import { countSilences, endActive, findSilence, insertSilence, listSilences } from "./silences-repository.ts";

/** The use cases of alert silences. The daemon sends the summary at the end, since only the daemon knows the channels. */
export const silenceOperations: Pick<Operations, keyof typeof silenceRoutes> = {
  listSilences: async ({ query }, { db, clock }) => {
    const { status } = query;
    const now = clock.now();
    return await readPage(db, query, {
      name: "silences",
      key: timeKey(z.uuid()),
      rows: (sql, slice) => listSilences(sql, { status, ...slice }, now),
      count: (sql) => countSilences(sql, status, now),
    });
  },

  createSilence: async ({ body }, { db, clock, caller }) => {
    const now = clock.now();
    const { cameraId, ruleId } = scopeOf(body);
    const endsAt = endOf(body, now);
    const silence = await db.transaction(async (sql) => {
      if (cameraId !== null) await requireCamera(sql, cameraId);
      const rule = ruleId === null ? null : await requireRule(sql, ruleId);
      const by = caller?.access?.name;
      const created = await insertSilence(sql, { id: randomUUID(), cameraId, rule, reason: body.reason, endsAt, by }, now);
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

  endSilence: async ({ params }, { db, clock, caller }) => {
    const id = uuidOf(params.id);
    if (id === undefined) throw notFound("Silence", params.id);
    const silence = await db.transaction(async (sql) => {
      const now = clock.now();
      const ended = await endActive(sql, id, caller?.access?.name, now);
      const current = await findSilence(sql, id, now);
      if (!current) throw notFound("Silence", params.id);
      if (!ended) throw new Problem("conflict", `Silence ${id} ended at ${current.ended_at?.toISOString()} already; it holds nothing back`);
      await appendToJournal(sql, [{ type: "silence.ended", data: current }], now);
      return current;
    });
    return silence;
  },
};
