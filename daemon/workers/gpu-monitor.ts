import { busiest } from "../../src/admin/gpu/gpu.ts";
import { insertGpuStats } from "../../src/admin/gpu/gpu-repository.ts";
import { type NvidiaSmi, NvidiaSmiAbsent } from "../../src/admin/gpu/nvidia-smi.ts";
import { readNvidiaSmi } from "../../src/admin/gpu/nvidia-smi-answer.ts";
import type { Clock } from "../../src/base/clock/clock.ts";
import type { Log } from "../../src/base/log/log.ts";
import { meanInferenceMs } from "../../src/monitoring/images/ledger-repository.ts";
import type { Database } from "../../src/platform/database/database.ts";
import { createLoop, type Loop } from "./loop.ts";

const sampleEveryMs = 5_000;
/** A tool that is missing or fails rarely recovers within seconds. */
const retryMs = 60_000;
const inferenceWindowMs = 60_000;

/** Creates the worker that stores a sample of the busiest graphics card every 5 s, and waits for a card if there is none. */
export function createGpuMonitor(options: {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly nvidiaSmi: NvidiaSmi;
}): Loop {
  const { db, clock, log, nvidiaSmi } = options;
  let message: string | null = null;

  const report = (next: string | null): void => {
    if (next !== message && next !== null) log.info({ worker: "gpu_monitor" }, next);
    message = next;
  };

  const sample = async (signal: AbortSignal): Promise<string | null> => {
    try {
      const reading = busiest(readNvidiaSmi(await nvidiaSmi.ask(signal)));
      if (!reading) return "nvidia-smi reports no graphics card";
      const now = clock.now();
      await db.query(async (sql) => {
        const inferenceMs = await meanInferenceMs(sql, new Date(now.getTime() - inferenceWindowMs));
        const inference_fps = inferenceMs === null || inferenceMs <= 0 ? null : Math.round(100_000 / inferenceMs) / 100;
        await insertGpuStats(sql, now, { ...reading, inference_fps });
      });
      return null;
    } catch (error) {
      if (error instanceof NvidiaSmiAbsent) return error.message;
      throw error;
    }
  };

  return createLoop({
    name: "gpu_monitor",
    critical: false,
    log,
    message: () => message,
    retryMs: retryMs,
    round: async (signal) => {
      try {
        report(await sample(signal));
      } catch (error) {
        message = error instanceof Error ? error.message : String(error);
        throw error;
      }
      return message === null ? sampleEveryMs : retryMs;
    },
  });
}
