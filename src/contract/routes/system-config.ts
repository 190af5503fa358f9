import { z } from "zod";
import { configNames, ranges } from "../constants.ts";
import { route } from "../route.ts";
import { EnumText } from "../values.ts";

const ServiceUrl = z.string().nullable();
const Seconds = z.int().min(ranges.batchSeconds[0]).max(ranges.batchSeconds[1]);
const Score = z.int().min(ranges.riskScore[0]).max(ranges.riskScore[1]).meta({ description: "Scores from here on have this level" });

const fields = {
  batch_timeout_seconds: Seconds.meta({ description: "Close a batch this many seconds after its first detection (BATCH_WINDOW_SECONDS)" }),
  batch_idle_timeout_seconds: Seconds.meta({ description: "Close a batch this many seconds after its last detection" }),
  retention_days: z
    .int()
    .min(ranges.retentionDays[0])
    .max(ranges.retentionDays[1])
    .meta({ description: "Events and detections older than this are deleted" }),
  detection_confidence_threshold: z
    .number()
    .min(ranges.confidence[0])
    .max(ranges.confidence[1])
    .meta({ description: "Detections below this confidence are discarded" }),
  vision_url: ServiceUrl.meta({ description: "Vision service; null: none of your own" }),
  embedder_url: ServiceUrl.meta({ description: "Embedder service; null: none of your own" }),
  enrichment_url: ServiceUrl.meta({ description: "Enrichment service; null: none of your own" }),
  vision_extraction_enabled: z.boolean().meta({ description: "Attributes, text in the picture and captions" }),
  reid_enabled: z.boolean().meta({ description: "Embeddings and re-identification" }),
  scene_change_enabled: z.boolean().meta({ description: "Detection of scene changes" }),
} satisfies Record<Exclude<(typeof configNames)[number], "risk_score_thresholds">, z.ZodType>;

export const SystemConfig = z
  .object({
    ...fields,
    risk_score_thresholds: z
      .object({ low: Score, medium: Score, high: Score, critical: Score })
      .meta({ description: "Lower bounds of an event's risk levels; they hold for new scores" }),
  })
  .meta({
    id: "SystemConfig",
    description: "Settings that can change at run time",
    example: {
      batch_timeout_seconds: 90,
      batch_idle_timeout_seconds: 30,
      retention_days: 30,
      detection_confidence_threshold: 0.5,
      vision_extraction_enabled: true,
      reid_enabled: true,
      scene_change_enabled: true,
      risk_score_thresholds: { low: 0, medium: 30, high: 60, critical: 80 },
    },
  });

/** Wraps the schema of a setting: null restores the configured value. */
function orConfigured<T extends z.ZodType>(value: T) {
  return value.nullable().meta({ description: value.meta()?.description ?? "" });
}

export const configRoutes = {
  getConfig: route("/api/system/config", {
    method: "get",
    summary: "Get the settings that can change at run time",
    tag: "system",
    reply: SystemConfig,
  }),
  updateConfig: route("/api/system/config", {
    method: "patch",
    summary: "Update settings; they apply at once in every process and survive a restart",
    tag: "system",
    body: z
      .strictObject({
        ...fields,
        batch_timeout_seconds: orConfigured(fields.batch_timeout_seconds),
        batch_idle_timeout_seconds: orConfigured(fields.batch_idle_timeout_seconds),
        retention_days: orConfigured(fields.retention_days),
        detection_confidence_threshold: orConfigured(fields.detection_confidence_threshold),
        vision_extraction_enabled: orConfigured(fields.vision_extraction_enabled),
        reid_enabled: orConfigured(fields.reid_enabled),
        scene_change_enabled: orConfigured(fields.scene_change_enabled),
        risk_score_thresholds: z
          .strictObject({ low: Score, medium: Score, high: Score, critical: Score })
          .partial()
          .nullable()
          .meta({ description: "Those not named stay as they are; all together start at 0 and ascend" }),
        reset: z.array(EnumText(configNames)).max(configNames.length).meta({
          description: "Values that are to be as configured again. Null does the same to any value but an address, where it means: none",
        }),
      })
      .partial()
      .meta({
        id: "SystemConfigChanges",
        description: "Values to change; what is left out stays, and null is the value as configured",
        example: { batch_idle_timeout_seconds: 20, risk_score_thresholds: { critical: 85 }, reset: ["retention_days"] },
      }),
    reply: SystemConfig,
    refusals: { 403: "Addresses of services are taken from this machine, or with an API key, only" },
    example: { reply: { batch_idle_timeout_seconds: 20, risk_score_thresholds: { low: 0, medium: 30, high: 60, critical: 85 } } },
  }),
};
