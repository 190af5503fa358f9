import { configNames, ranges } from "../../src/contract/constants.ts";
import { Problem } from "../../src/contract/problem.ts";
import { kebab, type Values } from "../command.ts";
import { recordCommand } from "../command-shapes.ts";
import { texts } from "../input/arguments.ts";
import { choiceList, integer, number, text, toggle } from "../input/options.ts";
import { settingsView } from "./view.ts";

const threshold = (level: string, initial: number) =>
  integer("score", ...ranges.riskScore, `Lowest ${level} risk score (initially ${initial})`);

/** One option per setting. */
const settingOptions = {
  batch_timeout_seconds: integer("n", ...ranges.batchSeconds, "Seconds from first detection to closing a batch"),
  batch_idle_timeout_seconds: integer("n", ...ranges.batchSeconds, "Seconds from last detection to closing a batch"),
  retention_days: integer("n", ...ranges.retentionDays, "Days to keep events"),
  detection_confidence_threshold: number("share", ...ranges.confidence, "Minimum confidence, 0 to 1"),
  detector_second_opinion_below: number("share", ...ranges.confidence, "Ask a second detector below this confidence; 0 for never"),
  medium_from: threshold("medium", 30),
  high_from: threshold("high", 60),
  critical_from: threshold("critical", 80),
  detector_url: text("addresses", "Addresses of detectors, separated by commas; built-in may be one"),
  vision_url: text("address", "Address of the vision service"),
  embedder_url: text("address", "Address of the embedder service"),
  enrichment_url: text("address", "Address of the enrichment service"),
  vision_extraction_enabled: toggle("Extract attributes, text and captions from pictures"),
  reid_enabled: toggle("Recognise people and objects seen before"),
  scene_change_enabled: toggle("Detect scene changes"),
};

export const setConfig = recordCommand({
  name: "config set",
  summary: "Change settings while homesec runs",
  description:
    "Changes settings at once, in every process. They survive restarts and take precedence over environment, .env and configuration file. An empty address removes a service. Variables that are no settings are set in .env or the configuration file.",
  arguments: { assignment: texts("NAME=VALUE, such as RETENTION_DAYS=14, instead of options") },
  options: {
    ...settingOptions,
    reset: choiceList(configNames, "Settings to return to their configured values"),
  },
  examples: [
    { command: "homesec config set --retention-days 14", note: "keep events for two weeks" },
    { command: "homesec config set RETENTION_DAYS=14 HIGH_FROM=55", note: "the same way, by the names of variables" },
    { command: "homesec config set --high-from 55 --critical-from 75", note: "rate events as more severe" },
    { command: "homesec config set --no-reid-enabled", note: "turn re-identification off" },
    { command: "homesec config set --reset retention_days", note: "use the configured value again" },
  ],
  view: settingsView,
  async record(io, { arguments: { assignment }, options }) {
    const assigned = await assignedIn(assignment, io.host.clock.now());
    const twice = Object.keys(assigned).find((name) => options[name as keyof typeof options] !== undefined);
    if (twice !== undefined) throw new Problem("invalid", `${twice} is given twice; remove --${kebab(twice)} or the assignment`);
    const given = { ...options, ...assigned };
    const { medium_from, high_from, critical_from, detector_url, vision_url, embedder_url, enrichment_url, ...settings } = given;
    const thresholds = { medium: medium_from, high: high_from, critical: critical_from };
    const body = {
      ...settings,
      risk_score_thresholds: Object.values(thresholds).some((score) => score !== undefined) ? thresholds : undefined,
      detector_url: addressOf(detector_url),
      vision_url: addressOf(vision_url),
      embedder_url: addressOf(embedder_url),
      enrichment_url: addressOf(enrichment_url),
    };
    if (Object.values(body).every((value) => value === undefined)) {
      throw new Problem("invalid", "nothing to change; `homesec config set --help` lists the settings");
    }
    return io.call("updateConfig", { body });
  },
  note: () => "changed; in effect now",
});

async function assignedIn(texts: readonly string[], now: Date): Promise<Partial<Values<typeof settingOptions>>> {
  // Loads every variable, which only assignments need
  if (texts.length === 0) return {};
  const { readAssignments } = await import("./assignments.ts");
  return readAssignments(texts, settingOptions, now) as Partial<Values<typeof settingOptions>>;
}

function addressOf(text: string | undefined): string | null | undefined {
  return text === "" ? null : text;
}
