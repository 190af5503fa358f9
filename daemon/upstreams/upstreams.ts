import { basename } from "node:path";
import { healthTurns } from "../../src/admin/system/health-turns.ts";
import type { Clock } from "../../src/base/clock/clock.ts";
import type { Lifecycle } from "../../src/base/lifecycle/lifecycle.ts";
import type { Log } from "../../src/base/log/log.ts";
import { Breaker } from "../../src/monitoring/upstream/breaker.ts";
import { createDetector, type Detector } from "../../src/monitoring/upstream/detector.ts";
import { createLanguageModel, type LanguageModel } from "../../src/monitoring/upstream/language-model.ts";
import { probeHealth } from "../../src/monitoring/upstream/probe.ts";
import type { Config } from "../../src/platform/config/config.ts";
import type { Settings } from "../../src/platform/config/settings.ts";
import type { BreakerState, CircuitState, UpstreamName, UpstreamState } from "../../src/work/operations/upstream-state.ts";
import { upstreamNames } from "../../src/work/operations/upstream-state.ts";
import { type Condition, faultOf } from "../builtin/condition.ts";
import { type Builtin, startBuiltin } from "../builtin/spawn.ts";
import { type EnrichmentName, type EnrichmentUpstreams, enrichmentNames, startEnrichmentServices } from "./enrichment-services.ts";

/** Probes are cached for this long. */
const probeFreshMs = 2_000;

/** The services that homesec calls: each configured by URL or built in, each with a breaker. */
export interface Upstreams {
  readonly detector: Detector;
  readonly languageModel: LanguageModel;
  readonly enrichment: EnrichmentUpstreams;
  /** How long the analysis of an event may wait for enrichment: not at all if no daemon enriches. */
  enrichmentWaitMs(): number;
  breakers(): readonly BreakerState[];
  /** Number of jobs that may run now for a service: 0 while it starts or its breaker is open, 1 for the trial, else Infinity. */
  capacity(name: UpstreamName): number;
  /** Why a built-in service cannot work; undefined while it can, or starts. */
  fault(name: UpstreamName): string | undefined;
  /** Time of the service's last usable reply. */
  answeredAt(name: UpstreamName): Date | null;
  /** Name of the service for people: `built-in`, or its URL. */
  label(name: "detector" | "language_model"): string;
  /** The built-in services that run with this daemon, each with the reason why it cannot be called now. */
  builtIn(): readonly { readonly name: UpstreamName; readonly fault: string | null }[];
  /** Closes a breaker in any state. Returns the previous state. */
  resetBreaker(name: UpstreamName): CircuitState;
  /** The health of the enabled services, at most 2 s old. */
  probe(): Promise<readonly UpstreamState[]>;
}

/** Starts built-in services where no URL is configured and makes the clients. Registers how to stop them. */
export function startUpstreams(options: {
  readonly config: Config;
  /** Addresses and switches of the enrichment services: read at each use. */
  readonly settings: Settings;
  readonly clock: Clock;
  readonly log: Log;
  readonly lifecycle: Lifecycle;
  readonly onBreakerChange: (state: BreakerState, previous: CircuitState) => void;
  /** Called after each call of a service. */
  readonly onCall: (name: UpstreamName, outcome: "success" | "failure", seconds: number) => void;
  /** Called when a built-in service becomes ready: waiting work can start. */
  readonly onReady: (name: UpstreamName) => void;
  /** Called when a built-in service cannot work until a person acts. */
  readonly onFault: (name: UpstreamName, fault: string) => void;
  /** Whether this daemon calls a service. Built-in services run with the daemons that call them. */
  readonly asks: (name: UpstreamName) => boolean;
  /** State of a built-in service that runs with other daemons only. */
  readonly elsewhere: (name: UpstreamName) => UpstreamState;
}): Upstreams {
  const { config, clock, log, lifecycle } = options;
  const modelPath = config.detectorModelPath;
  let probed: Promise<readonly UpstreamState[]> | undefined;
  const breakerChanged = (state: BreakerState, previous: CircuitState): void => {
    // The earlier probe is outdated.
    probed = undefined;
    options.onBreakerChange(state, previous);
  };
  const conditionChanged = (name: UpstreamName, condition: Condition): void => {
    probed = undefined;
    if (condition.state === "working") options.onReady(name);
    if (condition.state === "faulty") options.onFault(name, condition.fault);
  };
  const breakers = new Map<UpstreamName, Breaker>(
    upstreamNames.map((name) => [
      name,
      new Breaker(name, { clock, onChange: breakerChanged, onCall: (...call) => options.onCall(name, ...call) }),
    ]),
  );
  const breakerOf = (name: UpstreamName): Breaker => breakers.get(name) as Breaker;

  const builtins = new Map<UpstreamName, Builtin>();
  const urlOf = (name: "detector" | "language_model", configured: string | undefined): (() => string) => {
    if (configured) return () => configured;
    if (!options.asks(name)) {
      return () => {
        throw new Error(`this daemon does not call the ${name}: its roles do not include that`);
      };
    }
    const builtin = startBuiltin(name, {
      log,
      env: { DETECTOR_CONFIDENCE: String(config.detectorConfidence), ...(modelPath !== undefined && { DETECTOR_MODEL_PATH: modelPath }) },
      onCondition: (condition) => conditionChanged(name, condition),
    });
    builtins.set(name, builtin);
    lifecycle.onStop(`built-in ${name}`, () => builtin.stop());
    return () => builtin.url();
  };
  const optionalOf = (name: UpstreamName): EnrichmentName | undefined => enrichmentNames.find((known) => known === name);
  /** The breaker reports the state of services that are not built in. */
  const conditionOf = (name: UpstreamName): Condition => {
    const optional = optionalOf(name);
    return (optional ? enrichment.condition(optional) : builtins.get(name)?.condition()) ?? { state: "working" };
  };
  const urls = {
    detector: urlOf("detector", config.detectorUrl),
    language_model: urlOf("language_model", config.languageModelUrl),
  };

  const detector = createDetector({
    url: urls.detector,
    ...(builtins.has("detector") && { label: modelPath === undefined ? "built-in" : `built-in (${basename(modelPath)})` }),
    breaker: breakerOf("detector"),
    clock,
    log: log.child({ service: "detector" }),
  });
  lifecycle.onStop("detector client", () => detector.close());
  const languageModel = createLanguageModel({
    url: urls.language_model,
    breaker: breakerOf("language_model"),
    clock,
    log: log.child({ service: "language_model" }),
    timeoutMs: config.languageModelReadTimeout * 1000,
  });
  lifecycle.onStop("language model client", () => languageModel.close());

  const enrichment = startEnrichmentServices({
    config,
    settings: options.settings,
    clock,
    log,
    lifecycle,
    breakerOf,
    runsBuiltIn: options.asks("enrichment"),
    onCondition: (condition) => conditionChanged("enrichment", condition),
  });

  /** The user has configured an address for it. */
  const addressed = (name: UpstreamName): boolean => {
    const optional = optionalOf(name);
    if (optional) return !enrichment.isBuiltIn(optional);
    return (name === "detector" ? config.detectorUrl : config.languageModelUrl) !== undefined;
  };

  const probeOne = async (name: UpstreamName): Promise<UpstreamState> => {
    const optional = optionalOf(name);
    if (!options.asks(name) && !addressed(name)) return options.elsewhere(name);
    const builtIn = optional ? enrichment.isBuiltIn(optional) : builtins.has(name);
    const condition = conditionOf(name);
    const url = optional
      ? enrichment.url(optional)
      : condition.state === "working"
        ? urls[name === "detector" ? name : "language_model"]()
        : undefined;
    if (url === undefined) {
      const error = faultOf(condition) ?? "starting";
      return { name, healthy: false, builtIn, url: "", responseMs: null, error, checkedAt: clock.now() };
    }
    // A service that is known to be down is not probed until its trial.
    if (breakerOf(name).state().state === "open") {
      return { name, healthy: false, builtIn, url, responseMs: null, error: "circuit breaker open", checkedAt: clock.now() };
    }
    const probe = await probeHealth(url, config.aiHealthCheckTimeoutSeconds * 1000);
    return { name, healthy: probe.healthy, builtIn, url, responseMs: probe.responseMs, error: probe.error, checkedAt: clock.now() };
  };

  const switchedOn = (): readonly UpstreamName[] => ["detector", "language_model", ...enrichment.switchedOn()];
  const turns = healthTurns(config);
  // Each probe has a separate time limit: none is aborted by another.
  const patience = (): AbortSignal => new AbortController().signal;

  let probedAt = 0;
  return {
    detector,
    languageModel,
    enrichment,
    enrichmentWaitMs: () => {
      const lookers = enrichment.switchedOn().filter((name) => name !== "enrichment");
      const anyThere = lookers.some((name) => enrichment.url(name) !== undefined && breakerOf(name).state().state !== "open");
      return anyThere ? config.enrichmentWaitSeconds * 1_000 : 0;
    },
    breakers: () => upstreamNames.map((name) => breakerOf(name).state()),
    capacity: (name) => {
      if (conditionOf(name).state !== "working") return 0;
      const { state } = breakerOf(name).state();
      if (state === "closed") return Number.POSITIVE_INFINITY;
      return state === "half_open" ? 1 : 0;
    },
    resetBreaker: (name) => breakerOf(name).reset(),
    fault: (name) => faultOf(conditionOf(name)),
    answeredAt: (name) => breakerOf(name).state().last_success,
    label: (name) => (builtins.has(name) ? "built-in" : addressed(name) ? urls[name]() : "runs with other daemons"),
    builtIn: () =>
      upstreamNames.flatMap((name) => {
        if (!options.asks(name) || addressed(name)) return [];
        const optional = optionalOf(name);
        if (optional && !enrichment.switchedOn().includes(optional)) return [];
        const condition = conditionOf(name);
        return [{ name, fault: condition.state === "working" ? null : (faultOf(condition) ?? "starting") }];
      }),
    probe: () => {
      if (!probed || clock.monotonic() - probedAt > probeFreshMs) {
        probedAt = clock.monotonic();
        probed = Promise.all(switchedOn().map((name) => turns.run(() => probeOne(name), patience())));
      }
      return probed;
    },
  };
}
