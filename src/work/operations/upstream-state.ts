export const upstreamNames = ["detector", "language_model", "language_model_fallback", "vision", "embedder", "enrichment"] as const;
/** A service that homesec calls. */
export type UpstreamName = (typeof upstreamNames)[number];

export type CircuitState = "closed" | "open" | "half_open";

/** The recent failures of a service, and whether its breaker is open. */
export interface BreakerState {
  readonly name: UpstreamName;
  readonly state: CircuitState;
  readonly failure_count: number;
  readonly last_failure: Date | null;
  readonly last_success: Date | null;
  readonly reset_at: Date | null;
}

/** The result of the last probe of a service. */
export interface UpstreamState {
  readonly name: UpstreamName;
  readonly healthy: boolean;
  /** A built-in service that is loading: not healthy yet, and not unhealthy. */
  readonly starting?: true;
  readonly builtIn: boolean;
  readonly url: string;
  readonly responseMs: number | null;
  readonly error: string | null;
  /** What it cannot do although it works. */
  readonly note?: string;
  readonly checkedAt: Date;
}
