import { z } from "zod";

/*
 * An evidence pack is a ZIP file. `manifest.json` lists every file before it with its SHA-256 and the SHA-256 of its blocks, and what is
 * missing. `seal.json` holds the same hashes of the manifest, and `seal.sig` is the Ed25519 signature of `seal.json`: so a changed byte is
 * found in the manifest, too. Both hold the public key. The bytes are signed as they are; nothing is normalised before.
 */

/** Version of the format. */
export const packVersion = 1;

/** The files that are not in the manifest, in their order at the end of the archive. */
export const sealed = { manifest: "manifest.json", seal: "seal.json", signature: "seal.sig" } as const;

/** Maximum sizes for reading a pack of unknown origin, in bytes. */
export const largest = { manifest: 32 * 1024 * 1024, seal: 1024 * 1024, signature: 64 } as const;

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const size = z.int().nonnegative();

const HashFields = z.object({
  size,
  sha256: Sha256,
  block_size: z
    .int()
    .min(1_024)
    .max(16 * 1024 * 1024),
  blocks: z.base64(),
});

/** A public key as homesec prints it: 32 bytes in base64url. */
export const PublicKey = z.string().regex(/^[\w-]{43}$/);

/** The record of a picture when it arrived. */
const Recorded = z.object({
  image_id: z.int().nullable(),
  path: z.string(),
  /** Time of its arrival, or of the file if a scan found it. */
  taken_at: z.string().nullable(),
  found_at: z.string().nullable(),
  captured_at: z.string().nullable(),
  size: size.nullable(),
  sha256: Sha256.nullable(),
});
export type Recorded = z.output<typeof Recorded>;

const PackedFile = HashFields.extend({
  name: z.string().min(1).max(512),
  recorded: Recorded.optional(),
  /** Whether the bytes are those that the camera delivered; false: for the reason in `altered`, or since none were recorded. */
  is_as_recorded: z.boolean().optional(),
  altered: z.string().optional(),
});
export type PackedFile = z.output<typeof PackedFile>;

const MissingFile = z.object({ what: z.enum(["original", "thumbnail"]), reason: z.string(), noticed_at: z.string(), recorded: Recorded });
export type MissingFile = z.output<typeof MissingFile>;

/** Most sealed days in a pack, beside the newest. */
export const mostPackedDays = 400;

const Sums = z.object({ rows: z.int(), ids: z.string().regex(/^-?\d{1,20}$/), hash: Sha256 });
const Day = z.object({
  day: z.iso.date(),
  records: z.record(z.string().regex(/^\w{1,64}$/), Sums),
  previous_hash: Sha256,
  hash: Sha256,
  public_key: PublicKey,
  signature: z.string().regex(/^[0-9a-f]{128}$/),
});

export const Manifest = z.object({
  homesec_evidence: z.literal(packVersion),
  pack_id: z.uuid(),
  created_at: z.string(),
  created_by: z.string().nullable(),
  homesec_version: z.string(),
  public_key: PublicKey,
  event: z.object({
    id: z.int(),
    kind: z.string(),
    camera_id: z.string(),
    camera: z.string(),
    started_at: z.string(),
    ended_at: z.string(),
  }),
  files: z.array(PackedFile).max(20_000),
  missing: z.array(MissingFile),
  /** The sealed days from the first day of the event on, as far as they are over, and the newest one. */
  chain: z.array(Day).max(mostPackedDays + 1),
});
export type Manifest = z.output<typeof Manifest>;

/** The signed text. */
export const Seal = z.object({
  homesec_evidence: z.literal(packVersion),
  public_key: PublicKey,
  manifest: HashFields,
});
export type Seal = z.output<typeof Seal>;
