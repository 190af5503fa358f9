import { ranges } from "../../../src/contract/constants.ts";
import type { Command } from "../../command.ts";
import { defineCommand } from "../../command.ts";
import { recordCommand, rowsCommand } from "../../command-shapes.ts";
import { exitCodes } from "../../exit-codes.ts";
import { textArgument } from "../../input/arguments.ts";
import { confirm, yesOption } from "../../input/confirm.ts";
import { integer, number, toggle, withDefault } from "../../input/options.ts";
import { printRecord } from "../../output/output.ts";
import { anomalyView, baselineConfigView, baselineResetView, baselineView } from "./views.ts";

const cameraId = textArgument("Camera id");

const showBaseline = recordCommand({
  name: "cameras baseline show",
  summary: "Show a camera's usual activity and the current deviation",
  arguments: { cameraId },
  examples: [{ command: "homesec cameras baseline show front-door", note: "detections per class and hour, in the daemon's time zone" }],
  view: baselineView,
  record: (io, input) => io.call("getBaseline", { params: { camera_id: input.arguments.cameraId } }),
});

const baselineConfig = defineCommand({
  name: "cameras baseline config",
  summary: "Show or change a camera's anomaly thresholds",
  description:
    "Shows the thresholds at which an hour counts as unusual; with options, changes them first. Setting a value turns --override-global-config on, so that the camera uses its own thresholds.",
  arguments: { cameraId },
  options: {
    thresholdStdev: number("deviations", ...ranges.baselineThresholdStdev, "Standard deviations from the mean that count as unusual"),
    minSamples: integer("n", ...ranges.baselineMinSamples, "Samples of an hour needed to detect anomalies"),
    overrideGlobalConfig: toggle("Use the camera's own thresholds; --no-override-global-config for the global ones"),
  },
  examples: [
    { command: "homesec cameras baseline config front-door", note: "current thresholds" },
    { command: "homesec cameras baseline config front-door --threshold-stdev 3", note: "fewer anomalies at this camera" },
    { command: "homesec cameras baseline config front-door --no-override-global-config", note: "use the global thresholds again" },
  ],
  prints: () => baselineConfigView,
  async run({ arguments: { cameraId }, options }, io) {
    const params = { camera_id: cameraId };
    const { thresholdStdev, minSamples } = options;
    const changesValue = thresholdStdev !== undefined || minSamples !== undefined;
    const override = options.overrideGlobalConfig ?? (changesValue ? true : undefined);
    const body = { threshold_stdev: thresholdStdev, min_samples: minSamples, override_global_config: override };
    const config =
      override === undefined ? await io.call("getBaselineConfig", { params }) : await io.call("updateBaselineConfig", { params, body });
    if (override !== undefined) io.output.note("changed; in effect now");
    await printRecord(io.output, config, baselineConfigView);
    return exitCodes.ok;
  },
});

const baselineAnomalies = rowsCommand({
  name: "cameras baseline anomalies",
  summary: "List unusual activity at a camera, newest first",
  arguments: { cameraId },
  options: { days: withDefault(integer("n", ...ranges.anomalyDays, "Days to look back"), 7) },
  examples: [
    { command: "homesec cameras baseline anomalies front-door", note: "the last week" },
    { command: "homesec cameras baseline anomalies front-door --days 90 -o csv", note: "as CSV" },
  ],
  view: anomalyView,
  body: (io, { arguments: { cameraId }, options: { days } }) =>
    io.call("listAnomalies", { params: { camera_id: cameraId }, query: { days } }),
  rows: (body) => body.anomalies,
});

const resetBaseline = defineCommand({
  name: "cameras baseline reset",
  summary: "Delete a camera's baseline and learn it again",
  description: "Deletes everything learned about the usual activity at a camera. homesec learns it again from new detections.",
  arguments: { cameraId },
  options: yesOption,
  examples: [
    { command: "homesec cameras baseline reset front-door", note: "after moving the camera; asks for confirmation" },
    { command: "homesec cameras baseline reset front-door --yes", note: "in a script" },
  ],
  prints: () => baselineResetView,
  async run({ arguments: { cameraId }, options }, io) {
    await io.call("getCamera", { params: { camera_id: cameraId } });
    await confirm(io, options, `Delete the baseline of ${cameraId}? This cannot be undone.`);
    const deleted = await io.call("resetBaseline", { params: { camera_id: cameraId } });
    await printRecord(io.output, deleted, { ...baselineResetView, id: () => cameraId });
    return exitCodes.ok;
  },
});

export const baselineCommands: readonly Command[] = [showBaseline, baselineConfig, baselineAnomalies, resetBaseline];
