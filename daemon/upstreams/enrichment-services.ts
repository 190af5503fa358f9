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
const restartMs = 30_000;

/** The three enrichment services: their clients, and the built-in process that replaces those without an address. */
export interface EnrichmentUpstreams extends EnrichmentServices {
  /** The enabled services. */
  enabled(): readonly EnrichmentName[];
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

interface EnrichmentOptions {
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
}

/** Creates the clients, and runs the built-in process exactly as long as an enabled service has no address. Registers how to stop everything. */
export function startEnrichmentServices(options: EnrichmentOptions): EnrichmentUpstreams {
  const { config, settings, clock, log, lifecycle, breakerOf } = options;
  const builtin = new EnrichmentProcess(options);
  const enabled = (): readonly EnrichmentName[] => {
    const { visionExtractionEnabled: vision, reidEnabled: reid } = settings.current();
    // enrichment merges attributes, and without vision there are none
    const isEnabled = { vision, embedder: reid, enrichment: vision };
    return enrichmentNames.filter((name) => isEnabled[name]);
  };
  const addressOf = (name: EnrichmentName): string | null => {
    const { visionUrl, embedderUrl, enrichmentUrl } = settings.current();
    return { vision: visionUrl, embedder: embedderUrl, enrichment: enrichmentUrl }[name];
  };
  const isBuiltIn = (name: EnrichmentName): boolean => addressOf(name) === null;
  const isNeeded = (): boolean => options.runsBuiltIn && enabled().some(isBuiltIn);
  const condition = (name: EnrichmentName): Condition => (isBuiltIn(name) ? builtin.condition() : { state: "working" });
  const url = (name: EnrichmentName): string | undefined => addressOf(name) ?? builtin.url();

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

  const addresses = new Map<EnrichmentName, string | null>();
  const followSettings = (): void => {
    builtin.follow(isNeeded());
    for (const name of enrichmentNames) {
      const address = addressOf(name);
      const before = addresses.get(name);
      // the failures of the previous address say nothing about the new one
      if (before !== undefined && before !== address) breakerOf(name).reset();
      addresses.set(name, address);
    }
  };
  let timer: NodeJS.Timeout | undefined;
  lifecycle.onStop("enrichment services", async () => {
    clearInterval(timer);
    await Promise.all([builtin.stop(), vision.close(), embedder.close(), enricher.close()]);
  });

  return {
    ...{ vision, embedder, enricher, enabled, isBuiltIn, url, condition },
    embedderLabel: () => {
      const address = addressOf("embedder");
      return address === null ? "built-in" : new URL(address).origin + new URL(address).pathname.replace(/\/+$/, "");
    },
    isStarting: () => isNeeded() && builtin.condition().state === "starting",
    follow: () => {
      followSettings();
      timer ??= setInterval(followSettings, followEveryMs).unref();
    },
  };
}

/** The built-in process of the three services. */
class EnrichmentProcess {
  readonly #options: EnrichmentOptions;
  #builtin: Builtin | undefined;
  #unstartable: Extract<Condition, { state: "faulty" }> | undefined;
  #restartAt = 0;
  #loggedFault: string | undefined;
  #stopping: Promise<void> = Promise.resolve();

  constructor(options: EnrichmentOptions) {
    this.#options = options;
  }

  condition(): Condition {
    return this.#unstartable ?? this.#builtin?.condition() ?? { state: "starting" };
  }

  url(): string | undefined {
    return this.condition().state === "working" ? this.#builtin?.url() : undefined;
  }

  /** Starts the process if it is needed, and stops it otherwise. */
  follow(isNeeded: boolean): void {
    if (this.#unstartable && this.#options.clock.monotonic() >= this.#restartAt) this.#unstartable = undefined;
    if (!isNeeded) void this.stop();
    else if (!this.#builtin && !this.#unstartable) this.#start();
  }

  stop(): Promise<void> {
    const ended = this.#builtin;
    this.#builtin = undefined;
    if (ended) this.#stopping = ended.stop();
    return this.#stopping;
  }

  #start(): void {
    const { clock, log, onCondition } = this.#options;
    try {
      this.#builtin = startBuiltin("enrichment", { log, onCondition });
    } catch (error) {
      const fault = String(error);
      this.#unstartable = { state: "faulty", fault };
      this.#restartAt = clock.monotonic() + restartMs;
      if (fault !== this.#loggedFault) log.error({ service: "enrichment", error: fault }, "the built-in enrichment services cannot start");
      this.#loggedFault = fault;
      onCondition(this.#unstartable);
    }
  }
}
