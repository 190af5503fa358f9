import { configNames, ranges } from "../../src/contract/constants.ts";
import { Problem } from "../../src/contract/problem.ts";
import { defineCommand } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { choiceList, integer, number, text, toggle } from "../input/options.ts";
import { printRecord } from "../output/output.ts";
import { settingsView } from "./view.ts";

const threshold = (level: string, initial: number) =>
  integer("score", ...ranges.riskScore, `Lowest ${level} risk score (initially ${initial})`);

export const setConfig = defineCommand({
  name: "config set",
  summary: "Change settings while homesec runs",
  description:
    "Changes settings at once, in every process. They survive restarts and take precedence over environment, .env and configuration file. An empty address removes a service.",
  options: {
    batchTimeoutSeconds: integer("n", ...ranges.batchSeconds, "Seconds from first detection to closing a batch"),
    batchIdleTimeoutSeconds: integer("n", ...ranges.batchSeconds, "Seconds from last detection to closing a batch"),
    retentionDays: integer("n", ...ranges.retentionDays, "Days to keep events"),
    detectionConfidenceThreshold: number("share", ...ranges.confidence, "Minimum confidence, 0 to 1"),
    mediumFrom: threshold("medium", 30),
    highFrom: threshold("high", 60),
    criticalFrom: threshold("critical", 80),
    visionUrl: text("address", "Address of the vision service"),
    embedderUrl: text("address", "Address of the embedder service"),
    enrichmentUrl: text("address", "Address of the enrichment service"),
    visionExtractionEnabled: toggle("Extract attributes, text and captions from pictures"),
    reidEnabled: toggle("Recognise people and objects seen before"),
    sceneChangeEnabled: toggle("Detect scene changes"),
    reset: choiceList(configNames, "Settings to return to their configured values"),
  },
  examples: [
    { command: "homesec config set --retention-days 14", note: "keep events for two weeks" },
    { command: "homesec config set --high-from 55 --critical-from 75", note: "rate events as more severe" },
    { command: "homesec config set --no-reid-enabled", note: "turn re-identification off" },
    { command: "homesec config set --reset retention_days", note: "use the configured value again" },
  ],
  prints: () => settingsView,
  async run({ options }, io) {
    const thresholds = { medium: options.mediumFrom, high: options.highFrom, critical: options.criticalFrom };
    const body = {
      batch_timeout_seconds: options.batchTimeoutSeconds,
      batch_idle_timeout_seconds: options.batchIdleTimeoutSeconds,
      retention_days: options.retentionDays,
      detection_confidence_threshold: options.detectionConfidenceThreshold,
      risk_score_thresholds: Object.values(thresholds).some((score) => score !== undefined) ? thresholds : undefined,
      vision_url: addressOf(options.visionUrl),
      embedder_url: addressOf(options.embedderUrl),
      enrichment_url: addressOf(options.enrichmentUrl),
      vision_extraction_enabled: options.visionExtractionEnabled,
      reid_enabled: options.reidEnabled,
      scene_change_enabled: options.sceneChangeEnabled,
      reset: options.reset,
    };
    if (Object.values(body).every((value) => value === undefined)) {
      throw new Problem("invalid", "nothing to change; `homesec config set --help` lists the settings");
    }
    const config = await io.call("updateConfig", { body });
    io.output.note("changed; in effect now");
    await printRecord(io.output, config, settingsView);
    return exitCodes.ok;
  },
});

function addressOf(text: string | undefined): string | null | undefined {
  return text === "" ? null : text;
}
