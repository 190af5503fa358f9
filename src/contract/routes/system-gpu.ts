import { z } from "zod";
import { gpuIntervals, ranges } from "../constants.ts";
import { routesOf } from "../route.ts";
import { EnumText, Instant, IntText } from "../values.ts";

const route = routesOf("system");

const value = (description: string) => z.number().nullable().meta({ description });

export const GpuStats = z
  .object({
    recorded_at: Instant.nullable().meta({ description: "Time of the measurement", example: "2026-02-01T08:30:00.000Z" }),
    gpu_name: z.string().nullable().meta({ description: "Name from the driver", example: "NVIDIA GeForce RTX 3080" }),
    utilization: value("Utilization in percent"),
    memory_used: value("Used memory in MiB"),
    memory_total: value("Total memory in MiB"),
    temperature: value("Temperature in degrees Celsius"),
    power_usage: value("Power draw in watts"),
    inference_fps: value("Pictures per second over the last minute, from the detector's inference time"),
    fan_speed: value("Fan speed in percent"),
    sm_clock: value("Processor clock in MHz"),
    memory_bandwidth_utilization: value("Memory bandwidth in percent"),
    pstate: z.string().nullable().meta({ description: "Performance state, P0 (fastest) to P12", example: "P2" }),
    throttle_reasons: z.array(z.string()).nullable().meta({ description: "Reasons for reduced clocks", example: [] }),
    power_limit: value("Power limit in watts"),
    sm_clock_max: value("Maximum processor clock in MHz"),
    compute_processes_count: value("Compute processes on the card"),
    pcie_replay_counter: value("Repeated transfers"),
    temp_slowdown_threshold: value("Throttling temperature in degrees Celsius"),
    memory_clock: value("Memory clock in MHz"),
    memory_clock_max: value("Maximum memory clock in MHz"),
    pcie_link_gen: value("Generation of the PCIe link"),
    pcie_link_width: value("Lanes of the PCIe link"),
    pcie_tx_throughput: value("Sent over PCIe, in KB/s"),
    pcie_rx_throughput: value("Received over PCIe, in KB/s"),
    encoder_utilization: value("Video encoder in percent"),
    decoder_utilization: value("Video decoder in percent"),
    bar1_used: value("Used BAR1 memory in MiB"),
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
  getGpuStats: route.get("/api/system/gpu/stats", "Get the state of the graphics card; all fields are null without one", {
    reply: GpuStats,
  }),
  getGpuHistory: route.get("/api/system/gpu/stats/history", "Get the history of the graphics card, averaged per interval", {
    query: z.object({
      hours: IntText(...ranges.gpuHours)
        .default(24)
        .meta({ description: "Period in hours, 1 to 168" }),
      interval: EnumText(gpuIntervals).default("5m").meta({ description: "Averaging interval" }),
    }),
    reply: z
      .object({
        items: z.array(GpuStats).meta({ description: "Measurements, oldest first; `recorded_at` is the start of the interval" }),
        interval: z.enum(gpuIntervals).meta({ description: "As requested" }),
        hours: z.int().meta({ description: "As requested", example: 24 }),
        count: z.int().meta({ description: "Number of items", example: 1 }),
      })
      .meta({ id: "GpuHistory", description: "History of the graphics card", example: { interval: "5m" } }),
  }),
};
