import { defineCommand } from "../../command.ts";
import { exitCodes } from "../../exit-codes.ts";
import { textArgument } from "../../input/arguments.ts";
import { integer, number, toggle } from "../../input/options.ts";
import { printRecord } from "../../output/output.ts";

export const baselineConfig = defineCommand({
  name: "cameras baseline config",
  summary: "Show or change when an hour of a camera counts as unusual",
  description:
    "Shows when an hour of a camera counts as unusual; with options, changes it first. A camera's own values hold only with --override-global-config, which is switched on when one is given.",
  arguments: { cameraId: textArgument("Id of the camera") },
  options: {
    thresholdStdev: number("deviations", 0.5, 5, "Unusual is what is so many standard deviations away from the usual"),
    minSamples: integer("n", 1, 2_147_483_647, "Samples that an hour must have before it is judged"),
    overrideGlobalConfig: toggle("Let this camera's own values hold; --no-override-global-config: those of all cameras"),
  },
  examples: [
    { command: "homesec cameras baseline config front-door", note: "what holds" },
    { command: "homesec cameras baseline config front-door --threshold-stdev 3", note: "be less nervous at this camera" },
    { command: "homesec cameras baseline config front-door --no-override-global-config", note: "as all cameras again" },
  ],
  prints: async () => (await import("./views.ts")).baselineConfigView,
  async run({ arguments: { cameraId }, options }, io) {
    const { baselineConfigView } = await import("./views.ts");
    const params = { camera_id: cameraId };
    const { thresholdStdev, minSamples } = options;
    const changesValue = thresholdStdev !== undefined || minSamples !== undefined;
    const override = options.overrideGlobalConfig ?? (changesValue ? true : undefined);
    const body = { threshold_stdev: thresholdStdev, min_samples: minSamples, override_global_config: override };
    const config =
      override === undefined ? await io.call("getBaselineConfig", { params }) : await io.call("updateBaselineConfig", { params, body });
    if (override !== undefined) io.output.note("changed; it holds now");
    await printRecord(io.output, config, baselineConfigView);
    return exitCodes.ok;
  },
});
