import { z } from "zod";
import { gpuIntervals, ranges } from "../constants.ts";
import { route } from "../route.ts";
import { EnumText, Instant, IntText } from "../values.ts";

const value = (description: string) => z.number().nullable().meta({ description });

export const GpuStats = z
  .object({
    recorded_at: Instant.nullable().meta({ description: "When the card was asked", example: "2026-02-01T08:30:00.000Z" }),
    gpu_name: z.string().nullable().meta({ description: "As its driver calls it", example: "NVIDIA GeForce RTX 3080" }),
    utilization: value("Percent"),
    memory_used: value("MiB"),
    memory_total: value("MiB"),
    temperature: value("Degrees Celsius"),
    power_usage: value("W"),
    inference_fps: value("Pictures per second, by the detector's own time for one, over the last minute"),
    fan_speed: value("Percent"),
    sm_clock: value("MHz"),
    memory_bandwidth_utilization: value("Percent"),
    pstate: z.string().nullable().meta({ description: "Performance state, P0 (fastest) to P12", example: "P2" }),
    throttle_reasons: z.array(z.string()).nullable().meta({ description: "Why the clocks are lower than they could be", example: [] }),
    power_limit: value("W"),
    sm_clock_max: value("MHz"),
    compute_processes_count: value("Processes that compute on the card"),
    pcie_replay_counter: value("Transfers that had to be repeated"),
    temp_slowdown_threshold: value("Degrees Celsius"),
    memory_clock: value("MHz"),
    memory_clock_max: value("MHz"),
    pcie_link_gen: value("Generation of the link"),
    pcie_link_width: value("Lanes of the link"),
    pcie_tx_throughput: value("KB/s"),
    pcie_rx_throughput: value("KB/s"),
    encoder_utilization: value("Percent"),
    decoder_utilization: value("Percent"),
    bar1_used: value("MiB"),
  })
  .meta({
    id: "GpuStats",
    description: "State of the busiest graphics card; unavailable values are null",
    example: {
      utilization: 34,
      memory_used: 2911,
      memory_total: 10240,
      temperature: 52,
      power_usage: 96.4,
      inference_fps: 38.5,
      fan_speed: 31,
      sm_clock: 1440,
      memory_bandwidth_utilization: 12,
      power_limit: 320,
      sm_clock_max: 2100,
      compute_processes_count: 1,
      pcie_replay_counter: 0,
      temp_slowdown_threshold: 95,
      memory_clock: 9251,
      memory_clock_max: 9501,
      pcie_link_gen: 4,
      pcie_link_width: 16,
      pcie_tx_throughput: 1200,
      pcie_rx_throughput: 5400,
      encoder_utilization: 0,
      decoder_utilization: 0,
      bar1_used: 9,
    },
  });

export const gpuRoutes = {
  getGpuStats: route("/api/system/gpu/stats", {
    method: "get",
    summary: "Get the state of the graphics card; all fields are null without one",
    tag: "system",
    reply: GpuStats,
  }),
  getGpuHistory: route("/api/system/gpu/stats/history", {
    method: "get",
    summary: "The graphics card over time, averaged per interval",
    tag: "system",
    query: z.object({
      hours: IntText(...ranges.gpuHours)
        .default(24)
        .meta({ description: "How far back, 1 to 168 hours" }),
      interval: EnumText(gpuIntervals).default("5m").meta({ description: "Averaging interval" }),
    }),
    reply: z
      .object({
        items: z.array(GpuStats).meta({ description: "Oldest first; `recorded_at` is where the interval begins" }),
        interval: z.enum(gpuIntervals).meta({ description: "As requested" }),
        hours: z.int().meta({ description: "As requested", example: 24 }),
        count: z.int().meta({ description: "How many items", example: 1 }),
      })
      .meta({ id: "GpuHistory", description: "The graphics card over time", example: { interval: "5m" } }),
  }),
};
