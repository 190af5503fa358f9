import { z } from "zod";
import { chainFindingKinds, packStatuses } from "../constants.ts";
import { listOf, pageQuery } from "../page.ts";
import { routesOf } from "../route.ts";
import { CameraIdText, IdText, Instant, IntText } from "../values.ts";

const route = routesOf("evidence");

const PublicKeyText = z.string().meta({
  description: "Ed25519 public key, 32 bytes in base64url",
  example: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
});

/** An evidence pack that someone downloaded. */
export const EvidencePack = z
  .object({
    id: z.uuid().meta({ description: "Id of the pack, which is in its manifest", example: "0b6f6f5e-8a53-4a0e-9d4f-0f6a3cbb4f11" }),
    event_id: z.int().meta({ description: "Id of its event, which may be deleted by now", example: 1207 }),
    camera_id: CameraIdText,
    status: z.enum(packStatuses).meta({ description: "`cut_off`: the download did not reach its end", example: "complete" }),
    created_by: z.string().nullable().meta({ description: "Name of the key that asked for it; null without one", example: "anna" }),
    created_at: Instant.meta({ description: "When the download began", example: "2026-02-01T08:00:00.000Z" }),
    finished_at: Instant.nullable().meta({ description: "When it was sent as a whole; null if it was cut off" }),
    file_count: z.int().meta({ description: "Number of files in it; 0 if it was cut off", example: 9 }),
    size_bytes: z.int().meta({ description: "Size of the ZIP file; 0 if it was cut off", example: 1_284_400 }),
    sha256: z.string().nullable().meta({
      description: "SHA-256 of the ZIP file, hexadecimal; null if it was cut off",
      example: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    }),
  })
  .meta({
    id: "EvidencePack",
    description: "An evidence pack that someone downloaded",
    example: { finished_at: "2026-02-01T08:00:02.000Z" },
  });

const Day = z.string().meta({ description: "Day in UTC", example: "2026-02-01" });

/** What differs in a sealed day. */
const ChainFinding = z.object({
  day: Day,
  table: z.string().nullable().meta({ description: "Table whose rows differ; null: the seal of the day itself", example: "events" }),
  kind: z
    .enum(chainFindingKinds)
    .meta({ description: "`replaced`: as many rows, with other ids; `missing`: a day before it; `noted`: no day has the hash `against`" }),
  expected: z.int().nullable().meta({ description: "Number of rows that there should be; null without a table", example: 31 }),
  present: z.int().nullable().meta({ description: "Number of rows that there are; null without a table", example: 30 }),
  message: z.string().meta({ description: "What differs", example: "events: 1 of 31 rows were removed" }),
});

const ChainHead = z.object({
  day: Day,
  hash: z.string().meta({ description: "SHA-256 of the day and of all before, hexadecimal", example: "9f86d081884c7d65" }),
  public_key: PublicKeyText,
  signature: z.string().meta({ description: "Ed25519 signature of the hash, hexadecimal", example: "e5564300c360ac72" }),
});

export const evidenceRoutes = {
  getEvidencePack: route.get(
    "/api/events/{event_id}/evidence",
    "Get an event or incident as a signed ZIP file to hand on; each download is listed",
    {
      tier: "export",
      params: z.object({ event_id: IdText }),
      reply: { mediaTypes: ["application/zip"], streamed: true },
      refusals: { 404: "No event has this id, or it is deleted" },
    },
  ),
  listEvidencePacks: route.get("/api/evidence/packs", "List evidence packs, newest first", {
    query: z.object({
      event_id: IntText(-Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER).optional().meta({ description: "Only of this event" }),
      ...pageQuery,
    }),
    reply: listOf(EvidencePack),
  }),
  checkEvidenceChain: route.get("/api/evidence/chain", "Check that the records of sealed days are unchanged, except by homesec itself", {
    slow: true,
    query: z.object({
      days: IntText(1, 36_525).optional().meta({ description: "Only the newest days, and those since the day of `against`; default: all" }),
      against: z
        .string()
        .regex(/^[0-9a-fA-F]{16,64}$/, "Must be a noted hash, or its first 16 or more characters: 0 to 9 and a to f")
        .optional()
        .meta({ description: "Hash of a sealed day that was noted elsewhere, or its first 16 or more characters" }),
    }),
    reply: z
      .object({
        is_unchanged: z.boolean().meta({ description: "Nothing differs, in the days that could be checked" }),
        days: z.int().meta({ description: "Number of sealed days that were checked", example: 42 }),
        first_day: Day.nullable().meta({ description: "The first of them; null before the first day is sealed", example: "2026-01-01" }),
        head: ChainHead.nullable().meta({ description: "The newest sealed day; null before the first one" }),
        findings: z.array(ChainFinding).meta({ description: "What differs, oldest day first", example: [] }),
        noted_day: Day.nullable().meta({ description: "The day whose hash is `against`; null without it, and if no day has it" }),
        unreadable_days: z.int().meta({ description: "Days whose rows only an earlier key file can check", example: 0 }),
      })
      .meta({ id: "EvidenceChain", description: "The result of checking sealed days" }),
  }),
  getEvidenceKey: route.get("/api/evidence/key", "Get the public key that checks the evidence packs of this home", {
    reply: z
      .object({
        public_key: PublicKeyText,
        created_at: Instant.meta({ description: "When homesec made it", example: "2026-02-01T08:00:00.000Z" }),
        earlier_keys: z.array(PublicKeyText).meta({ description: "Keys that signed before the key file was replaced", example: [] }),
      })
      .meta({ id: "EvidenceKey", description: "The public key of this home for evidence packs; homesec makes the pair at first use" }),
  }),
};
