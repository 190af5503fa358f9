import { z } from "zod";
import { packStatuses } from "../constants.ts";
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
