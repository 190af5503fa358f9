import { z } from "zod";
import { configGroups, configNames, configSources, ranges } from "../constants.ts";
import { routesOf } from "../route.ts";
import { EnumText, IntBetween, NumberBetween } from "../values.ts";

const route = routesOf("system");

const ServiceUrl = z.string().nullable();
const Seconds = IntBetween(...ranges.batchSeconds);
const Score = IntBetween(...ranges.riskScore).meta({ description: "Lowest score of this level" });

const fields = {
  batch_timeout_seconds: Seconds.meta({ description: "Close a batch this many seconds after its first detection (BATCH_WINDOW_SECONDS)" }),
  batch_idle_timeout_seconds: Seconds.meta({ description: "Close a batch this many seconds after its last detection" }),
  retention_days: IntBetween(...ranges.retentionDays).meta({ description: "Events and detections older than this are deleted" }),
  detection_confidence_threshold: NumberBetween(...ranges.confidence).meta({
    description: "Detections below this confidence are discarded",
  }),
  detector_second_opinion_below: NumberBetween(...ranges.confidence).meta({
    description: "A picture whose best detection is below this confidence is shown to a second detector; 0 for none",
  }),
  detector_url: ServiceUrl.meta({
    description: "Addresses of your detectors, separated by commas; `built-in` may be one of them; null for the built-in detector alone",
  }),
  vision_url: ServiceUrl.meta({ description: "URL of your vision service; null without one" }),
  embedder_url: ServiceUrl.meta({ description: "URL of your embedder service; null without one" }),
  enrichment_url: ServiceUrl.meta({ description: "URL of your enrichment service; null without one" }),
  vision_extraction_enabled: z.boolean().meta({ description: "Enable attributes, text recognition and captions" }),
  reid_enabled: z.boolean().meta({ description: "Enable embeddings and re-identification" }),
  scene_change_enabled: z.boolean().meta({ description: "Enable the detection of scene changes" }),
} satisfies Record<Exclude<(typeof configNames)[number], "risk_score_thresholds">, z.ZodType>;

export const SystemConfig = z
  .object({
    ...fields,
    risk_score_thresholds: z
      .object({ low: Score, medium: Score, high: Score, critical: Score })
      .meta({ description: "Lower bounds of the risk levels; changes apply to new scores" }),
  })
  .meta({
    id: "SystemConfig",
    description: "Settings that can change at run time",
    example: {
      batch_timeout_seconds: 90,
      batch_idle_timeout_seconds: 30,
      retention_days: 30,
      detection_confidence_threshold: 0.5,
      detector_second_opinion_below: 0,
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

const groupIds = Object.keys(configGroups) as [keyof typeof configGroups, ...(keyof typeof configGroups)[]];

/** A configuration variable with its value in force. */
export const ConfigVariable = z
  .object({
    name: z.string().meta({ description: "Name of the variable", example: "RETENTION_DAYS" }),
    group: z.enum(groupIds).meta({ description: "Group, in the order of the list", example: "retention" }),
    description: z.string().meta({ description: "Meaning", example: "Events and detections older than this are deleted" }),
    value: z.unknown().meta({ description: "Value in force; null if it is not set; secrets are masked", example: 30 }),
    source: z.enum(configSources).meta({ description: "Where the value comes from; `settings`: changed at run time", example: "default" }),
    default: z.string().nullable().meta({ description: "Default, as text; null without one", example: "30" }),
    allowed: z.string().meta({ description: "Values that are accepted", example: "a whole number from 1 to 3650" }),
    unit: z.string().nullable().meta({ description: "Unit of the value; null without one", example: "days" }),
    secret: z.boolean().meta({ description: "Whether the value is never shown", example: false }),
    live: z.boolean().meta({ description: "Whether a running daemon applies a change in its files", example: false }),
    restart_needed: z.boolean().meta({ description: "Whether a changed value in the files waits for a restart", example: false }),
    setting: z
      .enum(configNames)
      .nullable()
      .meta({ description: "Its name in `PATCH /api/system/config`; null if it cannot change there", example: "retention_days" }),
  })
  .meta({ id: "ConfigVariable", description: "A configuration variable with its value in force and its source" });

export const configRoutes = {
  getConfig: route.get("/api/system/config", "Get the settings that can change at run time", { reply: SystemConfig }),
  listVariables: route.get("/api/system/config/variables", "List the configuration variables with their values and sources", {
    reply: z
      .object({
        variables: z.array(ConfigVariable).meta({ description: "All variables in the order of the documentation" }),
        files: z.array(z.string()).meta({
          description: "Files that this daemon reads and watches: `.env`, which may be missing, and the file of `--config`",
          example: ["/etc/homesec/.env"],
        }),
      })
      .meta({ id: "ConfigVariables", description: "The configuration of this daemon" }),
  }),
  updateConfig: route.patch("/api/system/config", "Update settings; they apply at once in every process and survive a restart", {
    body: z
      .strictObject({
        ...fields,
        batch_timeout_seconds: orConfigured(fields.batch_timeout_seconds),
        batch_idle_timeout_seconds: orConfigured(fields.batch_idle_timeout_seconds),
        retention_days: orConfigured(fields.retention_days),
        detection_confidence_threshold: orConfigured(fields.detection_confidence_threshold),
        detector_second_opinion_below: orConfigured(fields.detector_second_opinion_below),
        vision_extraction_enabled: orConfigured(fields.vision_extraction_enabled),
        reid_enabled: orConfigured(fields.reid_enabled),
        scene_change_enabled: orConfigured(fields.scene_change_enabled),
        risk_score_thresholds: z
          .strictObject({ low: Score, medium: Score, high: Score, critical: Score })
          .partial()
          .nullable()
          .meta({ description: "Omitted levels keep their values; the resulting bounds must start at 0 and ascend" }),
        reset: z.array(EnumText(configNames)).max(configNames.length).meta({
          description: "Settings to reset to their configured values. Null does the same, except for a URL, which it removes",
        }),
      })
      .partial()
      .meta({
        id: "SystemConfigChanges",
        description: "Settings to change; omitted settings keep their values, and null restores the configured value",
        example: { batch_idle_timeout_seconds: 20, risk_score_thresholds: { critical: 85 }, reset: ["retention_days"] },
      }),
    reply: SystemConfig,
    refusals: { 403: "Service URLs can be changed only from this machine or with an API key" },
    example: { reply: { batch_idle_timeout_seconds: 20, risk_score_thresholds: { low: 0, medium: 30, high: 60, critical: 85 } } },
  }),
};
