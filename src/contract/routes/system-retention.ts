import { z } from "zod";
import { ranges, riskLevels } from "../constants.ts";
import { routesOf } from "../route.ts";
import { CameraIdText, EnumText, IdText, IntBetween } from "../values.ts";
import { CleanupReport, periodFields } from "./system-storage.ts";

const route = routesOf("system");

const Days = (what: string) =>
  IntBetween(...ranges.retentionDays)
    .nullish()
    .meta({ description: `Days to keep ${what} (default: RETENTION_DAYS)` });

const scopeFields = {
  camera_id: CameraIdText.nullish().meta({ description: "Camera whose data it keeps; null for every camera", example: "front-door" }),
  risk_level: EnumText(riskLevels).nullish().meta({ description: "Risk level of the events; null for every level", example: "high" }),
};

export const RetentionChange = z.strictObject({
  ...scopeFields,
  event_days: Days("events"),
  original_days: Days("their original pictures, not longer than the events"),
  thumbnail_days: Days("their thumbnails, not longer than the events"),
});

const StoredDays = (what: string, example: number | null) =>
  z
    .int()
    .nullable()
    .meta({ description: `Days for ${what}; null: RETENTION_DAYS`, example });

export const RetentionRule = z
  .object({
    id: z.int().meta({ description: "Id of the rule", example: 3 }),
    camera_id: z.string().nullable().meta({ description: "Camera; null for every camera", example: "front-door" }),
    risk_level: z.enum(riskLevels).nullable().meta({ description: "Risk level; null for every level", example: "high" }),
    event_days: StoredDays("events", 365),
    original_days: StoredDays("original pictures", null),
    thumbnail_days: StoredDays("thumbnails", 90),
    effective: z.object(periodFields).meta({ description: "The periods in effect, with RETENTION_DAYS where the rule has none" }),
  })
  .meta({ id: "RetentionRule", description: "How long data of a camera or a risk level is kept" });

const example = { body: { camera_id: "front-door", risk_level: "high", event_days: 365, thumbnail_days: 90 } } as const;
const refusals = { 404: "No camera has this id" };

export const retentionRoutes = {
  listRetention: route.get("/api/system/retention", "List the retention rules", {
    reply: z
      .object({
        retention_days: z.int().meta({ description: "RETENTION_DAYS: the period of everything without a rule", example: 30 }),
        delete_images: z.boolean().meta({ description: "DELETE_IMAGES: whether homesec deletes original pictures" }),
        rules: z.array(RetentionRule).meta({ description: "Rules; a camera with a level comes before a camera, and that before a level" }),
      })
      .meta({ id: "Retention", description: "How long data is kept" }),
  }),
  setRetention: route.put("/api/system/retention", "Set how long data of a camera, a risk level or both is kept", {
    body: RetentionChange,
    reply: RetentionRule,
    refusals,
    example,
  }),
  previewRetention: route.post("/api/system/retention/preview", "Report what a cleanup would delete with a rule that is not saved", {
    slow: true,
    body: RetentionChange,
    reply: CleanupReport,
    refusals,
    example,
  }),
  deleteRetention: route.delete("/api/system/retention/{rule_id}", "Remove a retention rule", {
    params: z.object({ rule_id: IdText }),
    status: 204,
    refusals: { 404: "No retention rule has this id" },
  }),
};
