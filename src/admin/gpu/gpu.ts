import type { z } from "zod";
import type { GpuStats as GpuStatsRecord } from "../../contract/routes/system-gpu.ts";

/** A sample of a graphics card as clients see it. */
export type GpuStats = z.output<typeof GpuStatsRecord>;

/** The card's own values: everything except the time and the detector's values. */
export type GpuReading = Omit<GpuStats, "recorded_at" | "inference_fps">;

/** The numeric values, in the order of the record. */
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

/** The record if there is no card, or no tool that reports on it. */
export const noGpu: GpuStats = {
  recorded_at: null,
  gpu_name: null,
  pstate: null,
  throttle_reasons: null,
  ...(Object.fromEntries(gpuNumbers.map((name) => [name, null])) as Record<(typeof gpuNumbers)[number], null>),
};

/** Returns the busiest card; of equally busy ones, the one that uses most memory. Undefined if there is none. */
export function busiest(readings: readonly GpuReading[]): GpuReading | undefined {
  const rank = ({ utilization, memory_used }: GpuReading): readonly [number, number] => [utilization ?? -1, memory_used ?? -1];
  return readings.toSorted((a, b) => {
    const [utilization, memory] = rank(a);
    const [otherUtilization, otherMemory] = rank(b);
    return otherUtilization - utilization || otherMemory - memory;
  })[0];
}
