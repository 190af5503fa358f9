import { configNames } from "../../src/contract/constants.ts";
import { Problem } from "../../src/contract/problem.ts";
import { defineCommand } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { choiceList, integer, number, text, toggle } from "../input/options.ts";
import { printRecord } from "../output/output.ts";

const from = (level: string, usual: number) =>
  integer("score", 0, 100, `Events are ${level} from this score on; ${usual} until it is changed`);

export const setConfig = defineCommand({
  name: "config set",
  summary: "Change the configuration while homesec runs",
  description:
    "Changes values that hold at once, in every process, and after a restart: they beat environment, .env and file. An empty address takes the service away.",
  options: {
    batchTimeoutSeconds: integer("n", 1, 86_400, "A batch closes so long after its first detection"),
    batchIdleTimeoutSeconds: integer("n", 1, 86_400, "A batch closes so long after its last detection"),
    retentionDays: integer("n", 1, 3650, "What is older is deleted"),
    detectionConfidenceThreshold: number("share", 0, 1, "Detections below are discarded"),
    mediumFrom: from("medium", 30),
    highFrom: from("high", 60),
    criticalFrom: from("critical", 80),
    visionUrl: text("address", "Vision service"),
    embedderUrl: text("address", "Embedder service"),
    enrichmentUrl: text("address", "Enrichment service"),
    visionExtractionEnabled: toggle("Attributes, text in the picture and captions"),
    reidEnabled: toggle("Embeddings and re-identification"),
    sceneChangeEnabled: toggle("Detection of scene changes"),
    reset: choiceList(configNames, "Values that are to be as configured again"),
  },
  examples: [
    { command: "homesec config set --retention-days 14", note: "keep two weeks" },
    { command: "homesec config set --high-from 55 --critical-from 75", note: "be stricter" },
    { command: "homesec config set --no-reid-enabled", note: "switch re-identification off" },
    { command: "homesec config set --reset retention_days", note: "keep what the configuration says again" },
  ],
  prints: async () => (await import("./view.ts")).settingsView,
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
      throw new Problem("invalid", "nothing to change; `homesec config set --help` lists what can be");
    }
    const { settingsView } = await import("./view.ts");
    const config = await io.call("updateConfig", { body });
    io.output.note("changed; it holds now");
    await printRecord(io.output, config, settingsView);
    return exitCodes.ok;
  },
});

function addressOf(text: string | undefined): string | null | undefined {
  return text === "" ? null : text;
}
