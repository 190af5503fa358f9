import type { BaselineConfig } from "./baseline.ts";

/** Limits of cameras without their own. */
export const globalBaselineConfig = { threshold_stdev: 2, min_samples: 10, decay_factor: 0.1, window_days: 30 } as const;

/** A camera's own limits as stored; null where it has none. */
export interface StoredBaselineConfig {
  readonly thresholdStdev: number | null;
  readonly minSamples: number | null;
  readonly override: boolean;
}

/** Returns the record: the camera's own limits if it overrides, else the global ones. */
export function baselineConfigOf(stored: StoredBaselineConfig | undefined): BaselineConfig {
  const own = stored?.override ? stored : undefined;
  return {
    threshold_stdev: own?.thresholdStdev ?? globalBaselineConfig.threshold_stdev,
    min_samples: own?.minSamples ?? globalBaselineConfig.min_samples,
    override_global_config: stored?.override ?? false,
    global_config: { ...globalBaselineConfig },
  };
}
