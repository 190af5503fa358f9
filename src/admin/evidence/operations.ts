import { createHash, randomUUID } from "node:crypto";
import { z } from "zod";
import { createSemaphore } from "../../base/async/semaphore.ts";
import { notFound, Problem } from "../../contract/problem.ts";
import type { evidenceRoutes } from "../../contract/routes/evidence.ts";
import { findCamera } from "../../monitoring/cameras/cameras-repository.ts";
import { findWithDetections } from "../../monitoring/events/event-detections-repository.ts";
import { type ZipEntry, zip } from "../../platform/archive/zip.ts";
import type { Sql } from "../../platform/database/database.ts";
import { readPage, timeKey } from "../../platform/database/keyset.ts";
import { configuredName } from "../../platform/keys/named-keys.ts";
import type { OperationContext, Operations } from "../../work/operations/operation.ts";
import { explainOperations } from "../explain/operations.ts";
import { dayOf, type SealedDay } from "./chain.ts";
import { daysFrom, newestDay } from "./chain-repository.ts";
import { checkChain } from "./check-chain.ts";
import { countPacks, evidenceDetections, finishPack, insertPack, listPacks } from "./evidence-repository.ts";
import { mostPackedDays } from "./manifest.ts";
import { type PackFacts, packEntries } from "./pack.ts";
import { signingKey } from "./signing-key.ts";

/** Maximum number of detections in a pack, so that anyone can read its manifest. */
const mostDetections = 2_000;

/** Each pack reads and may decode many pictures. */
const packing = createSemaphore({
  max: 2,
  timeout: {
    ms: 20_000,
    error: () => new Problem("unavailable", "Others are making two evidence packs just now; try again when they are done"),
  },
});

/** The use cases of evidence packs. */
export const evidenceOperations: Pick<Operations, keyof typeof evidenceRoutes> = {
  getEvidencePack: async ({ params: { event_id } }, context) => {
    const facts = await factsOf(event_id, context);
    return { mediaType: "application/zip", content: { stream: packOf(facts, context) }, fileName: `homesec-event-${event_id}.zip` };
  },

  listEvidencePacks: async ({ query }, { db }) =>
    await readPage(db, query, {
      name: "evidence packs",
      key: timeKey(z.uuid()),
      rows: (sql, slice) => listPacks(sql, { eventId: query.event_id, ...slice }),
      count: (sql) => countPacks(sql, query.event_id),
    }),

  checkEvidenceChain: async ({ query }, { db, sealer, clock }) => {
    const noted = query.against === undefined ? undefined : { hash: query.against, today: dayOf(clock.now()) };
    const { findings, unreadable, ...check } = await checkChain(db, sealer, { newest: query.days, noted });
    return { ...check, is_unchanged: findings.length === 0, findings: [...findings], unreadable_days: unreadable.length };
  },

  getEvidenceKey: async (_, { db, sealer, clock }) => {
    const { publicKey, createdAt, earlier } = await db.transaction((sql) => signingKey(sql, sealer, clock.now()));
    return { public_key: publicKey, created_at: createdAt, earlier_keys: [...earlier] };
  },
};

/** Reads everything except for the pictures, so that an unknown event is an answer and no broken file. */
async function factsOf(eventId: number, context: OperationContext): Promise<PackFacts> {
  const { db, sealer, clock, caller } = context;
  const now = clock.now();
  const explanation = await explainOperations.explainEvent({ params: { event_id: eventId } }, context);
  if ("reply" in explanation) throw new Error("an explanation has no status");
  const { name } = caller?.access ?? {};
  return await db.transaction(async (sql) => {
    const event = await findWithDetections(sql, eventId);
    const camera = await findCamera(sql, event.camera_id);
    if (!camera) throw notFound("Camera", event.camera_id);
    const detections = await evidenceDetections(sql, eventId, mostDetections);
    return {
      ...{ id: randomUUID(), createdBy: name === undefined || name === configuredName ? null : name, now },
      ...{ event, camera, detections, leftOut: event.detections.length - detections.length, explanation },
      key: await signingKey(sql, sealer, now),
      chain: await packedDays(sql, event.started_at),
    };
  });
}

/** The sealed days from the day of an event on, and the newest one, which may be older than the event. */
async function packedDays(sql: Sql, from: Date): Promise<readonly SealedDay[]> {
  const days = await daysFrom(sql, dayOf(from), mostPackedDays);
  const newest = await newestDay(sql);
  const all = newest === undefined || days.at(-1)?.day === newest.day ? days : [...days, newest];
  return all.map(({ keyFile: _, ...day }) => day);
}

/** Yields the pack. It is listed from its first byte on, since whoever has a part of it has seen something. */
async function* packOf(facts: PackFacts, context: OperationContext): AsyncGenerator<Uint8Array> {
  const leave = await packing.take(context.caller?.gone);
  try {
    const { id, event, createdBy, now } = facts;
    await context.db.transaction((sql) => insertPack(sql, { id, eventId: event.id, cameraId: event.camera_id, createdBy }, now));
    const hash = createHash("sha256");
    let [size, files] = [0, 0];
    const counted = async function* (entries: AsyncIterable<ZipEntry>) {
      for await (const entry of entries) {
        files += 1;
        yield entry;
      }
    };
    for await (const part of zip(counted(packEntries(facts, context)))) {
      hash.update(part);
      size += part.length;
      yield part;
    }
    await context.db.transaction((sql) => finishPack(sql, id, { files, size, sha256: hash.digest() }, context.clock.now()));
  } finally {
    leave();
  }
}
