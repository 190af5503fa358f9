import { defineCommand } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { printRecord } from "../output/output.ts";

export const showGpu = defineCommand({
  name: "gpu show",
  summary: "Show how the graphics card does",
  description: "Shows the busiest NVIDIA card as nvidia-smi tells of it. Without card or tool there is nothing to show.",
  examples: [{ command: "homesec gpu show", note: "load, memory, temperature, power" }],
  prints: async () => (await import("./view.ts")).gpuView,
  async run(_, io) {
    const { gpuView } = await import("./view.ts");
    const gpu = await io.call("getGpuStats", {});
    if (gpu.recorded_at === null) io.output.note("nothing is known of a graphics card; `homesec workers list` says why");
    await printRecord(io.output, gpu, gpuView);
    return exitCodes.ok;
  },
});
