import { ranges } from "../../../src/contract/constants.ts";
import type { Command } from "../../command.ts";
import { recordCommand, rowsCommand } from "../../command-shapes.ts";
import { textArgument } from "../../input/arguments.ts";
import { confirm, yesOption } from "../../input/confirm.ts";
import { idOf, integer, number, toggle } from "../../input/options.ts";
import { lookBack } from "../../input/time-options.ts";
import { anomalyView, baselineConfigView, baselineResetView, baselineView } from "./views.ts";

const cameraArgument = { camera_id: idOf("camera", textArgument("Camera id or name")) };

const showBaseline = recordCommand({
  name: "cameras baseline show",
  summary: "Show a camera's usual activity and the current deviation",
  arguments: cameraArgument,
  examples: [{ command: "homesec cameras baseline show front-door", note: "detections per class and hour, in the daemon's time zone" }],
  view: baselineView,
  record: (io, { arguments: params }) => io.call("getBaseline", { params }),
});

const baselineConfig = recordCommand({
  name: "cameras baseline config",
  summary: "Show or change a camera's anomaly thresholds",
  description:
    "Shows the thresholds at which an hour counts as unusual; with options, changes them first. Setting a value turns --override-global-config on, so that the camera uses its own thresholds.",
  arguments: cameraArgument,
  options: {
    threshold_stdev: number("deviations", ...ranges.baselineThresholdStdev, "Standard deviations from the mean that count as unusual"),
    min_samples: integer("n", ...ranges.baselineMinSamples, "Samples of an hour needed to detect anomalies"),
    override_global_config: toggle("Use the camera's own thresholds; --no-override-global-config for the global ones"),
  },
  examples: [
    { command: "homesec cameras baseline config front-door", note: "current thresholds" },
    { command: "homesec cameras baseline config front-door --threshold-stdev 3", note: "fewer anomalies at this camera" },
    { command: "homesec cameras baseline config front-door --no-override-global-config", note: "use the global thresholds again" },
  ],
  view: baselineConfigView,
  record(io, { arguments: params, options: { override_global_config, ...values } }) {
    const changesValue = Object.values(values).some((value) => value !== undefined);
    const override = override_global_config ?? (changesValue ? true : undefined);
    if (override === undefined) return io.call("getBaselineConfig", { params });
    return io.call("updateBaselineConfig", { params, body: { ...values, override_global_config: override } });
  },
  note: (_, { options }) => (Object.values(options).some((value) => value !== undefined) ? "changed; in effect now" : undefined),
});

const baselineAnomalies = rowsCommand({
  name: "cameras baseline anomalies",
  summary: "List unusual activity at a camera, newest first",
  arguments: cameraArgument,
  options: { days: lookBack("days", ...ranges.anomalyDays, 7) },
  examples: [
    { command: "homesec cameras baseline anomalies front-door", note: "the last week" },
    { command: "homesec cameras baseline anomalies front-door --since 90d -o csv", note: "as CSV" },
  ],
  view: anomalyView,
  body: (io, { arguments: { camera_id }, options: { days } }) => io.call("listAnomalies", { params: { camera_id }, query: { days } }),
  rows: (body) => body.anomalies,
});

const resetBaseline = recordCommand({
  name: "cameras baseline reset",
  summary: "Delete a camera's baseline and learn it again",
  description: "Deletes everything learned about the usual activity at a camera. homesec learns it again from new detections.",
  arguments: cameraArgument,
  options: yesOption,
  examples: [
    { command: "homesec cameras baseline reset front-door", note: "after moving the camera; asks for confirmation" },
    { command: "homesec cameras baseline reset front-door --yes", note: "in a script" },
  ],
  view: baselineResetView,
  async record(io, { arguments: params, options }) {
    await io.call("getCamera", { params });
    await confirm(io, options, `Delete the baseline of ${params.camera_id}? This cannot be undone.`);
    return await io.call("resetBaseline", { params });
  },
  viewOf: (_io, _counts, input) => ({ ...baselineResetView, id: () => input.arguments.camera_id }),
});

export const baselineCommands: readonly Command[] = [showBaseline, baselineConfig, baselineAnomalies, resetBaseline];
