import type { z } from "zod";
import type { EvidencePack as EvidencePackSchema } from "../../contract/routes/evidence.ts";
import type { Sql } from "../../platform/database/database.ts";
import { follows, type Keyed, keyInstant, type Slice, type TimeKey } from "../../platform/database/keyset.ts";
import { fullPath } from "../../platform/database/stored-paths.ts";

/** A key pair; the private part is sealed. */
export interface SigningKeyRow {
  readonly publicKey: Uint8Array;
  readonly sealedPrivateKey: Uint8Array;
  readonly createdAt: Date;
}

/** Returns all keys, newest first. */
export async function listSigningKeys(sql: Sql): Promise<readonly SigningKeyRow[]> {
  return await sql<SigningKeyRow[]>`
    select k.public_key as "publicKey", k.sealed_private_key as "sealedPrivateKey", k.created_at as "createdAt"
    from evidence_keys k
    order by k.created_at desc, k.public_key
  `;
}

/** Lets one transaction at a time make a key. */
export async function lockSigningKeys(sql: Sql): Promise<void> {
  await sql`lock table evidence_keys in share row exclusive mode`;
}

/** Stores a key. */
export async function insertSigningKey(sql: Sql, { publicKey, sealedPrivateKey, createdAt }: SigningKeyRow): Promise<void> {
  await sql`
    insert into evidence_keys (public_key, sealed_private_key, created_at)
    values (${publicKey}, ${sealedPrivateKey}, ${createdAt})
  `;
}

/** A detection of an event, with what the ledger recorded about its picture. */
export interface EvidenceDetection {
  readonly id: number;
  readonly objectType: string;
  readonly confidence: number;
  readonly detectedAt: Date;
  readonly videoOffsetSeconds: number | null;
  readonly filePath: string;
  readonly imageId: number | null;
  readonly sizeBytes: number | null;
  readonly sha256: string | null;
  readonly foundBy: "watch" | "scan" | null;
  readonly foundAt: Date | null;
  readonly takenAt: Date | null;
  readonly capturedAt: Date | null;
}

/** Returns the first detections of an event, by time. */
export async function evidenceDetections(sql: Sql, eventId: number, limit: number): Promise<readonly EvidenceDetection[]> {
  return await sql<EvidenceDetection[]>`
    select d.detection_id as id, d.object_type as "objectType", d.confidence, d.detected_at as "detectedAt",
      coalesce(d.video_offset_seconds, case when starts_with(d.file_type, 'video/') then 0 end) as "videoOffsetSeconds",
      ${fullPath(sql, sql`d.file_path`)} as "filePath", d.image_id as "imageId", i.size_bytes as "sizeBytes",
      encode(i.sha256, 'hex') as sha256, i.found_by as "foundBy", i.found_at as "foundAt", i.taken_at as "takenAt",
      i.captured_at as "capturedAt"
    from detections d
    left join images i on i.image_id = d.image_id
    where d.event_id = ${eventId}
    order by d.detected_at, d.detection_id
    limit ${limit}
  `;
}

/** A pack as the API shows it. */
export type EvidencePack = z.output<typeof EvidencePackSchema>;

const columns = (sql: Sql) => sql`
  p.pack_id as id, p.event_id, p.camera_id, case when p.finished_at is null then 'cut_off' else 'complete' end as status,
  p.created_by, p.created_at, p.finished_at, p.file_count, p.size_bytes, encode(p.sha256, 'hex') as sha256
`;

/** A pack that begins to be sent. */
export interface NewPack {
  readonly id: string;
  readonly eventId: number;
  readonly cameraId: string;
  readonly createdBy: string | null;
}

/** Stores that a pack begins to be sent. */
export async function insertPack(sql: Sql, { id, eventId, cameraId, createdBy }: NewPack, now: Date): Promise<void> {
  await sql`
    insert into evidence_packs (pack_id, event_id, camera_id, created_by, created_at)
    values (${id}, ${eventId}, ${cameraId}, ${createdBy}, ${now})
  `;
}

/** Stores that a pack was sent as a whole. */
export async function finishPack(
  sql: Sql,
  id: string,
  { files, size, sha256 }: { readonly files: number; readonly size: number; readonly sha256: Buffer },
  now: Date,
): Promise<void> {
  await sql`
    update evidence_packs p
    set finished_at = ${now}, file_count = ${files}, size_bytes = ${size}, sha256 = ${sha256}
    where p.pack_id = ${id}
  `;
}

const eventCondition = (sql: Sql, eventId: number | undefined) => (eventId === undefined ? sql`` : sql`and p.event_id = ${eventId}`);

/** Returns a page of the packs, newest first, each with its sort key. */
export async function listPacks(
  sql: Sql,
  { eventId, after, offset, limit }: Slice<TimeKey<string>> & { readonly eventId: number | undefined },
): Promise<readonly Keyed<EvidencePack, TimeKey<string>>[]> {
  const rows = await sql<(EvidencePack & { sort_time: string })[]>`
    select ${columns(sql)}, ${keyInstant(sql, sql`p.created_at`)} as sort_time
    from evidence_packs p
    where true
      ${eventCondition(sql, eventId)}
      ${follows(sql, sql`p.created_at, p.pack_id`, after)}
    order by p.created_at desc, p.pack_id desc
    limit ${limit}
    offset ${offset}
  `;
  return rows.map(({ sort_time, ...record }) => ({ record, key: [sort_time, record.id] }));
}

/** Counts the packs of a list. */
export async function countPacks(sql: Sql, eventId: number | undefined): Promise<number> {
  const [row] = await sql<[{ count: number }]>`
    select count(*) as count
    from evidence_packs p
    where true
      ${eventCondition(sql, eventId)}
  `;
  return row.count;
}
