import type { ReplyOf } from "../../src/contract/routes/index.ts";
import type { Cell } from "../output/table.ts";
import { exactly, localTime } from "../output/terminal-format.ts";
import { fieldsOf, type View } from "../output/view.ts";

type GpuStats = ReplyOf<"getGpuStats">;

/** A value with its unit; a dash if the card does not report it. */
function measured(value: number | null, unit: string): Cell {
  return value === null ? { text: "-", paint: "dim" } : { text: `${value}${unit === "" ? "" : ` ${unit}`}` };
}

function of(used: number | null, total: number | null, unit: string): Cell {
  return used === null ? measured(null, unit) : { text: `${used} of ${total ?? "?"} ${unit}` };
}

export const gpuView: View<GpuStats> = {
  plural: "GPU measurements",
  fields: fieldsOf("getGpuStats"),
  id: ({ recorded_at }) => recorded_at?.toISOString() ?? "",
  columns: [
    { title: "TIME", keep: true, cell: ({ recorded_at }) => ({ text: recorded_at === null ? "-" : localTime(recorded_at) }) },
    { title: "LOAD", align: "right", keep: true, cell: (gpu) => measured(gpu.utilization, "%") },
    { title: "MEMORY", align: "right", cell: (gpu) => of(gpu.memory_used, gpu.memory_total, "MiB") },
    { title: "TEMPERATURE", align: "right", cell: (gpu) => measured(gpu.temperature, "°C") },
    { title: "POWER", align: "right", cell: (gpu) => measured(gpu.power_usage, "W") },
    { title: "PICTURES/S", align: "right", cell: (gpu) => measured(gpu.inference_fps, "") },
  ],
  details: (gpu, terminal) => [
    ["card", { text: gpu.gpu_name ?? "none", paint: "bold" }],
    ["time", { text: exactly(terminal, gpu.recorded_at) }],
    ["load", measured(gpu.utilization, "%")],
    ["memory", of(gpu.memory_used, gpu.memory_total, "MiB")],
    ["temperature", measured(gpu.temperature, "°C")],
    ["throttles at", measured(gpu.temp_slowdown_threshold, "°C")],
    ["fan", measured(gpu.fan_speed, "%")],
    ["power", of(gpu.power_usage, gpu.power_limit, "W")],
    ["clock", of(gpu.sm_clock, gpu.sm_clock_max, "MHz")],
    ["memory clock", of(gpu.memory_clock, gpu.memory_clock_max, "MHz")],
    ["state", { text: gpu.pstate ?? "-" }],
    ["throttled by", { text: gpu.throttle_reasons?.join(", ") || "-" }],
    ["processes", measured(gpu.compute_processes_count, "")],
    ["pictures", measured(gpu.inference_fps, "per second")],
  ],
};
