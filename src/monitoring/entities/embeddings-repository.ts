import { advisoryLocks, type Sql } from "../../platform/database/database.ts";

/** Locks the recognition of this class until the end of the transaction. */
export async function lockObjectType(sql: Sql, objectType: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(${advisoryLocks.vectors}, hashtext(${objectType}))`;
}

/** A stored vector and its subject. */
export interface StoredEmbedding {
  readonly embeddingId: number;
  readonly detectionId: number;
  readonly entityId: string;
  readonly source: string;
  readonly seenAt: Date;
  readonly createdAt: Date;
  readonly vector: Float32Array;
}

type Row = Omit<StoredEmbedding, "vector"> & { readonly vector: Buffer };

/** Returns the vectors of a class after a known one, ordered by id, without vectors older than `since`. */
export async function embeddingsAfter(
  sql: Sql,
  objectType: string,
  { after, since, limit }: { readonly after: number; readonly since: Date; readonly limit: number },
): Promise<readonly StoredEmbedding[]> {
  const rows = await sql<Row[]>`
    select b.embedding_id as "embeddingId", b.detection_id as "detectionId", b.entity_id as "entityId", b.source, b.seen_at as "seenAt",
      b.created_at as "createdAt", b.vector
    from embeddings b
    where b.object_type = ${objectType}
      and b.embedding_id > ${after}
      and b.created_at >= ${since}
    order by b.embedding_id
    limit ${limit}
  `;
  return rows.map((row) => ({ ...row, vector: fromBytes(row.vector) }));
}

/** Returns the earlier recognition of these detections, by id. */
export async function recognisedBefore(sql: Sql, detectionIds: readonly number[]): Promise<ReadonlyMap<number, string>> {
  const rows = await sql<{ detectionId: number; entityId: string }[]>`
    select b.detection_id as "detectionId", b.entity_id as "entityId"
    from embeddings b
    where b.detection_id = any (${[...detectionIds]}::bigint[])
  `;
  return new Map(rows.map(({ detectionId, entityId }) => [detectionId, entityId]));
}

/** Locks the existing detections against deletion until the end of the transaction. */
export async function keepDetections(sql: Sql, detectionIds: readonly number[]): Promise<ReadonlySet<number>> {
  const rows = await sql<{ id: number }[]>`
    select d.detection_id as id
    from detections d
    where d.detection_id = any (${[...detectionIds]}::bigint[])
    order by d.detection_id
    for key share
  `;
  return new Set(rows.map(({ id }) => id));
}

/** A vector to store. */
export interface NewEmbedding {
  readonly detectionId: number;
  readonly entityId: string;
  readonly objectType: string;
  readonly source: string;
  readonly seenAt: Date;
  readonly vector: Float32Array;
}

/** Stores a vector. The caller holds the lock of its class. */
export async function insertEmbedding(sql: Sql, embedding: NewEmbedding, now: Date): Promise<void> {
  const { detectionId, entityId, objectType, source, seenAt, vector } = embedding;
  await sql`
    insert into embeddings (detection_id, entity_id, object_type, source, seen_at, created_at, vector)
    values (${detectionId}, ${entityId}, ${objectType}, ${source}, ${seenAt}, ${now}, ${toBytes(vector)})
  `;
}

/** Deletes at most `limit` vectors stored before `before`, oldest first, and returns how many. */
export async function deleteEmbeddingsBefore(sql: Sql, before: Date, limit: number): Promise<number> {
  const gone = await sql`
    delete from embeddings b
    where b.embedding_id = any (array(
      select o.embedding_id
      from embeddings o
      where o.created_at < ${before}
      order by o.created_at
      limit ${limit}
    ))
  `;
  return gone.count;
}

function toBytes(vector: Float32Array): Buffer {
  const bytes = Buffer.alloc(vector.length * 4);
  for (const [at, value] of vector.entries()) bytes.writeFloatLE(value, at * 4);
  return bytes;
}

function fromBytes(bytes: Buffer): Float32Array {
  return Float32Array.from({ length: bytes.length / 4 }, (_, at) => bytes.readFloatLE(at * 4));
}
