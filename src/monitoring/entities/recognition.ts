import type { Clock } from "../../base/clock/clock.ts";
import type { JournalEntry } from "../../contract/live.ts";
import type { OutboundEvent } from "../../contract/outbound-events.ts";
import type { Database, Sql } from "../../platform/database/database.ts";
import { appendToJournal } from "../../work/journal/journal.ts";
import { emit } from "../../work/outbox/outbox.ts";
import { embeddingsAfter, insertEmbedding, keepDetections, lockObjectType, recognisedBefore } from "./embeddings-repository.ts";
import { insertEntity, noteVisit, recordSighting, type Sighting } from "./entities-repository.ts";
import { type Match, product, VectorIndex } from "./vector-index.ts";

/** A detection with its vector. */
export interface Seen extends Sighting {
  /** The same for all detections in one picture or frame: they are different entities. */
  readonly frame: string;
  /** The service that made the vector. */
  readonly source: string;
  /** Of length 1. */
  readonly vector: Float32Array;
}

/** The entity of a detection. */
export interface Recognised {
  readonly entityId: string;
  /** Similarity to the matched vector; null if the entity is new, or was recognised in an earlier attempt. */
  readonly similarity: number | null;
  readonly seenBefore: boolean;
}

export interface Recognition {
  /**
   * Recognises detections of one class, and stores and returns the result by detection id: a sufficiently similar entity, else a new one,
   * which is announced. Deleted detections are skipped; earlier recognitions stay.
   */
  recognise(objectType: string, seen: readonly Seen[]): Promise<ReadonlyMap<number, Recognised>>;
}

export interface RecognitionOptions {
  readonly db: Database;
  readonly clock: Clock;
  /** Minimum cosine similarity of the same entity. */
  readonly threshold: number;
  /** How long a vector is used for comparison. */
  readonly ttlMs: number;
}

/** Vectors that are read in one statement. */
const rowsAtOnce = 5_000;

/** Cached state of a class. */
interface Known {
  /** The last vector that was read. */
  last: number;
  /** By source of the vectors and number of dimensions. */
  readonly indexes: Map<string, VectorIndex>;
}

/**
 * Vectors are compared in memory; the table is the truth. A recognition holds the lock of the class in the database and first reads
 * vectors that others have stored, so that two processes never create two entities for the same newcomer.
 */
export function createRecognition(options: RecognitionOptions): Recognition {
  const { db, clock, threshold, ttlMs } = options;
  const classes = new Map<string, Known>();

  const catchUp = async (sql: Sql, objectType: string, now: Date): Promise<Known> => {
    const known = classes.get(objectType) ?? { last: 0, indexes: new Map<string, VectorIndex>() };
    classes.set(objectType, known);
    const since = new Date(now.getTime() - ttlMs);
    for (const index of known.indexes.values()) index.dropBefore(since.getTime());
    for (let read = rowsAtOnce; read === rowsAtOnce; ) {
      const rows = await embeddingsAfter(sql, objectType, { after: known.last, since, limit: rowsAtOnce });
      for (const { entityId, vector, source, seenAt, createdAt, embeddingId } of rows) {
        indexOf(known, source, vector.length).add(vector, { entityId, seenAt: seenAt.getTime(), addedAt: createdAt.getTime() });
        known.last = embeddingId;
      }
      read = rows.length;
    }
    return known;
  };

  const recogniseOne = async (sql: Sql, one: Seen, known: Known, siblings: readonly Sibling[], now: Date): Promise<Recognised> => {
    const except = new Set(siblings.filter(({ seen }) => seen.frame === one.frame).map(({ entityId }) => entityId));
    const index = indexOf(known, one.source, one.vector.length);
    const query = { vector: one.vector, at: one.seenAt.getTime(), ttlMs, atLeast: threshold, except };
    for (;;) {
      const match = best(index.nearest(query), nearestSibling(one, siblings, except, ttlMs));
      if (!match || match.similarity < threshold) break;
      const before = await recordSighting(sql, match.entityId, one);
      if (before !== undefined) return { entityId: match.entityId, similarity: Math.min(1, match.similarity), seenBefore: true };
      // Its detections were deleted, and the entity with them.
      index.forget(match.entityId);
    }
    const entityId = await insertEntity(sql, one, now);
    const data = {
      entity_id: entityId,
      object_type: one.objectType,
      camera_id: one.cameraId,
      detection_id: one.detectionId,
      first_seen_at: one.seenAt,
    };
    const entry: JournalEntry = { type: "entity_discovered", data };
    const event: OutboundEvent = { type: "entity_discovered", eventId: entityId, data };
    await appendToJournal(sql, [entry], now);
    await emit(sql, [event], now);
    return { entityId, similarity: null, seenBefore: false };
  };

  return {
    recognise: (objectType, seen) =>
      db.transaction(async (sql) => {
        await lockObjectType(sql, objectType);
        const now = clock.now();
        const ids = seen.map(({ detectionId }) => detectionId);
        const existing = await keepDetections(sql, ids);
        const before = await recognisedBefore(sql, ids);
        const known = await catchUp(sql, objectType, now);
        const results = new Map<number, Recognised>();
        const siblings: Sibling[] = [];
        for (const one of seen) {
          const earlier = before.get(one.detectionId);
          if (earlier !== undefined) {
            results.set(one.detectionId, { entityId: earlier, similarity: null, seenBefore: true });
            siblings.push({ seen: one, entityId: earlier });
          }
        }
        for (const one of seen) {
          if (results.has(one.detectionId) || !existing.has(one.detectionId)) continue;
          const recognised = await recogniseOne(sql, one, known, siblings, now);
          await noteVisit(sql, recognised.entityId, one);
          await insertEmbedding(sql, { ...one, entityId: recognised.entityId }, now);
          // Not added to the index: the transaction may still fail, and committed vectors are read like those of other processes.
          siblings.push({ seen: one, entityId: recognised.entityId });
          results.set(one.detectionId, recognised);
        }
        return results;
      }),
  };
}

/** A recognition in the same transaction. */
interface Sibling {
  readonly seen: Seen;
  readonly entityId: string;
}

function nearestSibling(one: Seen, siblings: readonly Sibling[], except: ReadonlySet<string>, ttlMs: number): Match | undefined {
  let found: Match | undefined;
  for (const { seen, entityId } of siblings) {
    const comparable = seen.source === one.source && seen.vector.length === one.vector.length;
    if (!comparable || except.has(entityId) || Math.abs(seen.seenAt.getTime() - one.seenAt.getTime()) > ttlMs) continue;
    found = best(found, { entityId, similarity: product(seen.vector, one.vector) });
  }
  return found;
}

function best(a: Match | undefined, b: Match | undefined): Match | undefined {
  if (!a || !b) return a ?? b;
  return b.similarity > a.similarity ? b : a;
}

function indexOf(known: Known, source: string, dimensions: number): VectorIndex {
  const key = `${dimensions} ${source}`;
  const index = known.indexes.get(key) ?? new VectorIndex(dimensions);
  known.indexes.set(key, index);
  return index;
}
