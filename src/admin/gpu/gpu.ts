import type { z } from "zod";
import type { GpuStats as GpuStatsRecord } from "../../contract/routes/system-gpu.ts";

/** A look at a graphics card as clients see it. */
export type GpuStats = z.output<typeof GpuStatsRecord>;

/** What the card itself tells: everything but when, and what the detector makes of it. */
export type GpuReading = Omit<GpuStats, "recorded_at" | "inference_fps">;

/** The values that are numbers, in the order of the record. */
export const gpuNumbers = [
  "utilization",
  "memory_used",
  "memory_total",
  "temperature",
  "power_usage",
  "inference_fps",
  "fan_speed",
  "sm_clock",
  "memory_bandwidth_utilization",
  "power_limit",
  "sm_clock_max",
  "compute_processes_count",
  "pcie_replay_counter",
  "temp_slowdown_threshold",
  "memory_clock",
  "memory_clock_max",
  "pcie_link_gen",
  "pcie_link_width",
  "pcie_tx_throughput",
  "pcie_rx_throughput",
  "encoder_utilization",
  "decoder_utilization",
  "bar1_used",
] as const satisfies readonly (keyof GpuStats)[];

/** What is told where there is no card, or nothing that tells of it. */
export const noGpu: GpuStats = {
  recorded_at: null,
  gpu_name: null,
  pstate: null,
  throttle_reasons: null,
  ...(Object.fromEntries(gpuNumbers.map((name) => [name, null])) as Record<(typeof gpuNumbers)[number], null>),
};

/** The card that works hardest; of several that do, the one that holds most. Undefined when there is none. */
export function busiest(readings: readonly GpuReading[]): GpuReading | undefined {
  const rank = ({ utilization, memory_used }: GpuReading): readonly [number, number] => [utilization ?? -1, memory_used ?? -1];
  return readings.toSorted((a, b) => {
    const [utilization, memory] = rank(a);
    const [otherUtilization, otherMemory] = rank(b);
    return otherUtilization - utilization || otherMemory - memory;
  })[0];
}
