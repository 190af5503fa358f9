import type { Clock } from "../../src/base/clock/clock.ts";
import type { Lifecycle } from "../../src/base/lifecycle/lifecycle.ts";
import type { Log } from "../../src/base/log/log.ts";
import type { Breaker } from "../../src/monitoring/upstream/breaker.ts";
import { createEmbedder } from "../../src/monitoring/upstream/embedder.ts";
import { createEnricher } from "../../src/monitoring/upstream/enricher.ts";
import { createVision } from "../../src/monitoring/upstream/vision.ts";
import type { EnrichmentServices } from "../../src/pipeline/enrich-detection.ts";
import type { Config } from "../../src/platform/config/config.ts";
import type { Settings } from "../../src/platform/config/settings.ts";
import { type Condition, faultOf } from "../builtin/condition.ts";
import { type Builtin, startBuiltin } from "../builtin/spawn.ts";

export const enrichmentNames = ["vision", "embedder", "enrichment"] as const;
export type EnrichmentName = (typeof enrichmentNames)[number];

/** Delay after the process could not be started at all. */
const startAgainMs = 30_000;

/** The three enrichment services: their clients, and the built-in process that replaces those without an address. */
export interface EnrichmentUpstreams extends EnrichmentServices {
  /** The enabled services. */
  switchedOn(): readonly EnrichmentName[];
  isBuiltIn(name: EnrichmentName): boolean;
  /** Address of a service; undefined while the built-in one starts or cannot work. */
  url(name: EnrichmentName): string | undefined;
  /** Condition of a built-in service. A service with an address always counts as working: its breaker reports faults. */
  condition(name: EnrichmentName): Condition;
  /** A built-in service is needed and does not listen yet. */
  isStarting(): boolean;
  /** Starts the built-in process if it is needed, and then follows the settings, which must be loaded already. */
  follow(): void;
}

/** Interval of checks for changed settings. */
const followEveryMs = 500;

/**
 * Creates the clients, and runs the built-in process exactly as long as an enabled service has no address. Registers how to stop
 * everything.
 */
export function startEnrichmentServices(options: {
  readonly config: Config;
  readonly settings: Settings;
  readonly clock: Clock;
  readonly log: Log;
  readonly lifecycle: Lifecycle;
  readonly breakerOf: (name: EnrichmentName) => Breaker;
  /** Whether the built-in services may run here: this daemon calls them. */
  readonly runsBuiltIn: boolean;
  /** Called at each change of the condition of the built-in services. */
  readonly onCondition: (condition: Condition) => void;
}): EnrichmentUpstreams {
  const { config, settings, clock, log, lifecycle, breakerOf } = options;
  let builtin: Builtin | undefined;
  let unstartable: Extract<Condition, { state: "faulty" }> | undefined;
  let startAgainAt = 0;
  let toldFault: string | undefined;
  let stopping: Promise<void> = Promise.resolve();

  const switchedOn = (): readonly EnrichmentName[] => {
    const { visionExtractionEnabled: vision, reidEnabled: reid } = settings.current();
    // enrichment merges attributes, and without vision there are none
    return [
      ...(vision ? (["vision"] as const) : []),
      ...(reid ? (["embedder"] as const) : []),
      ...(vision ? (["enrichment"] as const) : []),
    ];
  };
  const addressOf = (name: EnrichmentName): string | null => {
    const { visionUrl, embedderUrl, enrichmentUrl } = settings.current();
    return { vision: visionUrl, embedder: embedderUrl, enrichment: enrichmentUrl }[name];
  };
  const isBuiltIn = (name: EnrichmentName): boolean => addressOf(name) === null;
  const builtinCondition = (): Condition => unstartable ?? builtin?.condition() ?? { state: "starting" };
  const condition = (name: EnrichmentName): Condition => (isBuiltIn(name) ? builtinCondition() : { state: "working" });
  const url = (name: EnrichmentName): string | undefined =>
    addressOf(name) ?? (builtinCondition().state === "working" ? builtin?.url() : undefined);

  const start = (): void => {
    try {
      builtin = startBuiltin("enrichment", { log, onCondition: options.onCondition });
    } catch (error) {
      const fault = String(error);
      unstartable = { state: "faulty", fault };
      startAgainAt = clock.monotonic() + startAgainMs;
      if (fault !== toldFault) log.error({ service: "enrichment", error: fault }, "the built-in enrichment services cannot start");
      toldFault = fault;
      options.onCondition(unstartable);
    }
  };
  const stop = (): void => {
    const ended = builtin;
    builtin = undefined;
    if (ended) stopping = ended.stop();
  };

  const addresses = new Map<EnrichmentName, string | null>();
  const isNeeded = (): boolean => options.runsBuiltIn && switchedOn().some(isBuiltIn);
  const look = (): void => {
    if (unstartable && clock.monotonic() >= startAgainAt) unstartable = undefined;
    if (isNeeded() && !builtin && !unstartable) start();
    if (!isNeeded() && builtin) stop();
    for (const name of enrichmentNames) {
      const address = addressOf(name);
      const before = addresses.get(name);
      // the failures of the previous address say nothing about the new one
      if (before !== undefined && before !== address) breakerOf(name).reset();
      addresses.set(name, address);
    }
  };
  let timer: NodeJS.Timeout | undefined;

  const client = (name: EnrichmentName, timeoutSeconds: number) => ({
    url: () => url(name),
    fault: () => faultOf(condition(name)),
    breaker: breakerOf(name),
    clock,
    log: log.child({ service: name }),
    timeoutMs: timeoutSeconds * 1_000,
  });
  const vision = createVision(client("vision", config.visionReadTimeout));
  const embedder = createEmbedder(client("embedder", Math.min(config.embedderReadTimeout, config.reidTimeoutSeconds)));
  const enricher = createEnricher(client("enrichment", config.enrichmentReadTimeout));
  lifecycle.onStop("enrichment services", async () => {
    clearInterval(timer);
    stop();
    await Promise.all([stopping, vision.close(), embedder.close(), enricher.close()]);
  });

  return {
    vision,
    embedder,
    enricher,
    embedderLabel: () => {
      const address = addressOf("embedder");
      return address === null ? "built-in" : new URL(address).origin + new URL(address).pathname.replace(/\/+$/, "");
    },
    switchedOn,
    isBuiltIn,
    url,
    condition,
    isStarting: () => isNeeded() && builtinCondition().state === "starting",
    follow: () => {
      look();
      timer ??= setInterval(look, followEveryMs).unref();
    },
  };
}
