import type { z } from "zod";
import type { GpuStats, gpuRoutes } from "../routes/system-gpu.ts";
import type { ExamplesOf } from "./example.ts";
import { now } from "./ids.ts";

const stats = {
  recorded_at: now,
  gpu_name: "NVIDIA GeForce RTX 3080",
  utilization: 34,
  memory_used: 2_911,
  memory_total: 10_240,
  temperature: 52,
  power_usage: 96.4,
  inference_fps: 38.5,
  fan_speed: 31,
  sm_clock: 1_440,
  memory_bandwidth_utilization: 12,
  pstate: "P2",
  throttle_reasons: [],
  power_limit: 320,
  sm_clock_max: 2_100,
  compute_processes_count: 1,
  pcie_replay_counter: 0,
  temp_slowdown_threshold: 95,
  memory_clock: 9_251,
  memory_clock_max: 9_501,
  pcie_link_gen: 4,
  pcie_link_width: 16,
  pcie_tx_throughput: 1_200,
  pcie_rx_throughput: 5_400,
  encoder_utilization: 0,
  decoder_utilization: 0,
  bar1_used: 9,
} satisfies z.input<typeof GpuStats>;

export const gpuExamples = {
  getGpuStats: { reply: stats },
  getGpuHistory: {
    reply: { items: [{ ...stats, recorded_at: "2026-02-01T08:25:00.000Z", utilization: 29.5 }], interval: "5m", hours: 24, count: 1 },
  },
} satisfies ExamplesOf<typeof gpuRoutes>;
