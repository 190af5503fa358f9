import type { Clock } from "../../base/clock/clock.ts";
import type { JournalEntry } from "../../contract/live.ts";
import type { OutboundEvent } from "../../contract/outbound-events.ts";
import type { Database, Sql } from "../../platform/database/database.ts";
import { appendToJournal } from "../../work/journal/journal.ts";
import { emit } from "../../work/outbox/outbox.ts";
import { isHeldBack } from "../../work/outbox/restores-repository.ts";
import { embeddingsAfter, insertEmbedding, keepDetections, lockObjectType, recognisedBefore } from "./embeddings-repository.ts";
import { insertEntity, lockEntities, noteVisit, recordSighting, type Sighting } from "./entities-repository.ts";
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

  /** Finds the entity of each detection, and locks the entities in the order of their ids; an entity that no longer exists is forgotten. */
  const match = async (sql: Sql, seen: readonly Seen[], known: Known, before: readonly Sibling[]): Promise<readonly Planned[]> => {
    const gone = new Set<string>();
    for (;;) {
      const plan = planFor(seen, known, before, { gone, threshold, ttlMs });
      const ids = new Set(plan.flatMap(({ match }) => (match && !match.isNew ? match.entityId : [])));
      const present = await lockEntities(sql, [...ids]);
      if (present.size === ids.size) return plan;
      for (const id of ids) {
        if (present.has(id)) continue;
        // Its detections were deleted, and the entity with them.
        gone.add(id);
        for (const index of known.indexes.values()) index.forget(id);
      }
    }
  };

  return {
    recognise: (objectType, seen) =>
      db.transaction(async (sql) => {
        await lockObjectType(sql, objectType);
        const now = clock.now();
        const ids = seen.map(({ detectionId }) => detectionId);
        const existing = await keepDetections(sql, ids);
        const earlier = await recognisedBefore(sql, ids);
        const known = await catchUp(sql, objectType, now);
        const before = seen.flatMap((one) => {
          const entityId = earlier.get(one.detectionId);
          return entityId === undefined ? [] : [{ seen: one, entityId, isNew: false }];
        });
        const rest = seen.filter(({ detectionId }) => existing.has(detectionId) && !earlier.has(detectionId));
        const stored = await store(sql, await match(sql, rest, known, before), now);
        const again = before.map(
          ({ seen: { detectionId }, entityId }) => [detectionId, { entityId, similarity: null, seenBefore: true }] as const,
        );
        return new Map([...again, ...stored]);
      }),
  };
}

/** A detection and its match; undefined if it is a new entity. */
interface Planned {
  readonly one: Seen;
  /** Stands for the id of the entity, should it be a new one. */
  readonly ownId: string;
  readonly match: (Match & { readonly isNew: boolean }) | undefined;
}

/** Finds the entity of each detection without storing anything, so that all of them can be locked in order. */
function planFor(
  seen: readonly Seen[],
  known: Known,
  before: readonly Sibling[],
  { gone, threshold, ttlMs }: { readonly gone: ReadonlySet<string>; readonly threshold: number; readonly ttlMs: number },
): readonly Planned[] {
  const siblings = [...before];
  return seen.map((one) => {
    const inFrame = siblings.filter((sibling) => sibling.seen.frame === one.frame).map(({ entityId }) => entityId);
    const except = new Set([...gone, ...inFrame]);
    const query = { vector: one.vector, at: one.seenAt.getTime(), ttlMs, atLeast: threshold, except };
    const stored = indexOf(known, one.source, one.vector.length).nearest(query);
    const found = best(stored, nearestSibling(one, siblings, except, ttlMs));
    const ownId = `of detection ${one.detectionId}`;
    const isMatch = found !== undefined && found.similarity >= threshold;
    const match = isMatch ? { ...found, isNew: siblings.some(({ entityId, isNew }) => isNew && entityId === found.entityId) } : undefined;
    siblings.push({ seen: one, entityId: match?.entityId ?? ownId, isNew: match?.isNew ?? true });
    return { one, ownId, match };
  });
}

/** Stores and announces a new entity. Returns its id. */
async function discover(sql: Sql, one: Seen, now: Date): Promise<string> {
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
  if (!(await isHeldBack(sql, one.seenAt))) await emit(sql, [event], now);
  return entityId;
}

/** Stores the sightings of locked and new entities. */
async function store(sql: Sql, plan: readonly Planned[], now: Date): Promise<ReadonlyMap<number, Recognised>> {
  const results = new Map<number, Recognised>();
  const discovered = new Map<string, string>();
  for (const { one, ownId, match } of plan) {
    const matched = match && (discovered.get(match.entityId) ?? match.entityId);
    if (matched !== undefined) await recordSighting(sql, matched, one);
    const entityId = matched ?? (await discover(sql, one, now));
    if (matched === undefined) discovered.set(ownId, entityId);
    await noteVisit(sql, entityId, one);
    // Not added to the index: the transaction may still fail, and committed vectors are read like those of other processes.
    await insertEmbedding(sql, { ...one, entityId }, now);
    results.set(one.detectionId, { entityId, similarity: match ? Math.min(1, match.similarity) : null, seenBefore: match !== undefined });
  }
  return results;
}

/** A recognition in the same transaction. */
interface Sibling {
  readonly seen: Seen;
  readonly entityId: string;
  /** The entity has no row yet. */
  readonly isNew: boolean;
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
