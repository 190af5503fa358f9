import type { ReplyOf } from "../../src/contract/routes/index.ts";
import type { View } from "../output/view.ts";

type Settings = ReplyOf<"getConfig">;

export const settingsView: View<Settings> = {
  plural: "settings",
  fields: () => [
    "batch_timeout_seconds",
    "batch_idle_timeout_seconds",
    "retention_days",
    "detection_confidence_threshold",
    "detector_second_opinion_below",
    "risk_score_thresholds",
    "detector_url",
    "vision_url",
    "embedder_url",
    "enrichment_url",
    "vision_extraction_enabled",
    "reid_enabled",
    "scene_change_enabled",
  ],
  id: () => "config",
  columns: [],
  details: (settings) => [
    ["batch timeout", { text: `${settings.batch_timeout_seconds} s` }],
    ["batch idle timeout", { text: `${settings.batch_idle_timeout_seconds} s` }],
    ["retention", { text: `${settings.retention_days} days` }],
    ["minimum confidence", { text: String(settings.detection_confidence_threshold) }],
    ["second opinion", { text: secondOpinion(settings.detector_second_opinion_below) }],
    [
      "risk thresholds",
      {
        text: Object.entries(settings.risk_score_thresholds)
          .map(([level, score]) => `${level} ${score}`)
          .join(", "),
      },
    ],
    ["detector", { text: settings.detector_url ?? "built in" }],
    ["vision", { text: service(settings.vision_extraction_enabled, settings.vision_url) }],
    ["re-identification", { text: service(settings.reid_enabled, settings.embedder_url) }],
    ["scene changes", { text: settings.scene_change_enabled ? "on" : "off" }],
    ["enrichment", { text: settings.enrichment_url ?? "built in" }],
  ],
};

function secondOpinion(below: number): string {
  return below === 0 ? "off" : `below ${below}`;
}

function service(enabled: boolean, url: string | null): string {
  return enabled ? `on, ${url ?? "built in"}` : "off";
}
