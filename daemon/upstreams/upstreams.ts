import { healthCheckLimiter } from "../../src/admin/system/health-check-limiter.ts";
import { type Clock, minuteMs } from "../../src/base/clock/clock.ts";
import type { Lifecycle } from "../../src/base/lifecycle/lifecycle.ts";
import type { Log } from "../../src/base/log/log.ts";
import { Breaker } from "../../src/monitoring/upstream/breaker.ts";
import type { Detector } from "../../src/monitoring/upstream/detector.ts";
import { UpstreamFailure } from "../../src/monitoring/upstream/http.ts";
import { createLanguageModel, type LanguageModel } from "../../src/monitoring/upstream/language-model.ts";
import { homeLanguage, modelSettings } from "../../src/monitoring/upstream/model-settings.ts";
import { probeHealth } from "../../src/monitoring/upstream/probe.ts";
import type { Config } from "../../src/platform/config/config.ts";
import type { Settings } from "../../src/platform/config/settings.ts";
import type { BreakerState, CircuitState, UpstreamName, UpstreamState } from "../../src/work/operations/upstream-state.ts";
import { upstreamNames } from "../../src/work/operations/upstream-state.ts";
import { type Condition, faultOf } from "../builtin/condition.ts";
import { type Builtin, startBuiltin } from "../builtin/spawn.ts";
import { type BreakerView, type Detectors, type OneDetector, startDetectors } from "./detectors.ts";
import { type EnrichmentName, type EnrichmentUpstreams, enrichmentNames, startEnrichmentServices } from "./enrichment-services.ts";

/** Probes are cached for this long. */
const probeFreshMs = 2_000;
/** A service that asks to be called later for this long shows in the health. */
const longestBusyMs = 2 * minuteMs;

/** The services that homesec calls: each configured by URL or built in, each with a breaker. */
export interface Upstreams {
  readonly detector: Detector;
  readonly languageModel: LanguageModel;
  /** The model to ask while the first does not answer; undefined if none is configured. */
  readonly secondModel: LanguageModel | undefined;
  readonly enrichment: EnrichmentUpstreams;
  /** How long the analysis of an event may wait for enrichment: not at all if no daemon enriches. */
  enrichmentWaitMs(): number;
  breakers(): readonly BreakerState[];
  /** The last failure of a service; undefined if it gave a good answer since. */
  failure(name: UpstreamName): string | undefined;
  /** Number of jobs that may run now for a service: 0 while it starts or its breaker is open, 1 for the trial, else Infinity. */
  capacity(name: UpstreamName): number;
  /** Starts following the settings with addresses, which must be loaded already. */
  follow(): void;
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

interface UpstreamOptions {
  readonly config: Config;
  /** Addresses and switches of the enrichment services: read at each use. */
  readonly settings: Settings;
  readonly clock: Clock;
  readonly log: Log;
  readonly lifecycle: Lifecycle;
  /** Called with the last failure if there was one since the last good answer. */
  readonly onBreakerChange: (state: BreakerState, previous: CircuitState, fault: string | undefined) => void;
  /** Called after each call of a service. */
  readonly onCall: (name: UpstreamName, outcome: "success" | "failure", seconds: number) => void;
  /** Called after each call of a detector, with its place. */
  readonly onDetectorCall: (detector: string, outcome: "success" | "failure") => void;
  /** Called when a built-in service becomes ready: waiting work can start. */
  readonly onReady: (name: UpstreamName) => void;
  /** Called when a built-in service cannot work until a person acts. */
  readonly onFault: (name: UpstreamName, fault: string) => void;
  /** Whether this daemon calls a service. Built-in services run with the daemons that call them. */
  readonly calls: (name: UpstreamName) => boolean;
  /** State of a built-in service that runs with other daemons only. */
  readonly stateElsewhere: (name: UpstreamName) => UpstreamState;
}

/** Starts built-in services where no URL is configured and makes the clients. Registers how to stop them. */
export function startUpstreams(options: UpstreamOptions): Upstreams {
  const { config, settings, clock, log, lifecycle } = options;
  let probed: Promise<readonly UpstreamState[]> | undefined;
  let probedAt = 0;
  const onChange = (state: BreakerState, previous: CircuitState): void => {
    // The earlier probe is outdated.
    probed = undefined;
    options.onBreakerChange(state, previous, viewOf(state.name).fault()?.message);
  };
  const onCondition = (name: UpstreamName, condition: Condition): void => {
    probed = undefined;
    if (condition.state === "working") options.onReady(name);
    if (condition.state === "faulty") options.onFault(name, condition.fault);
  };
  const breakers = new Map<UpstreamName, Breaker>(
    upstreamNames.map((name) => [name, new Breaker(name, { clock, onChange, onCall: (...call) => options.onCall(name, ...call) })]),
  );
  const detectors = startOwnDetectors(options, (condition) => onCondition("detector", condition), onChange);
  const breakerOf = (name: Exclude<UpstreamName, "detector">): Breaker => breakers.get(name) as Breaker;
  const viewOf = (name: UpstreamName): BreakerView => (name === "detector" ? detectors.breaker : breakerOf(name));
  const required = startRequiredServices(options, detectors, onCondition);
  const clients = { detector: detectors.detector, ...createClients(options, required, breakerOf) };
  const enrichment = startEnrichmentServices({
    ...{ config, settings, clock, log, lifecycle, breakerOf },
    runsBuiltIn: options.calls("enrichment"),
    onCondition: (condition) => onCondition("enrichment", condition),
  });
  const serviceOf = (name: UpstreamName): Service => {
    if (name === "language_model_fallback") return { ...addressed, url: () => config.languageModelFallbackUrl };
    if (!isEnrichment(name)) return required.service(name);
    const builtIn = enrichment.isBuiltIn(name);
    return { hasAddress: !builtIn, builtIn, condition: enrichment.condition(name), url: () => enrichment.url(name) };
  };
  const configured = upstreamNames.filter((name) => name !== "language_model_fallback" || clients.secondModel !== undefined);
  const enabled = (): readonly UpstreamName[] => configured.filter((name) => !isEnrichment(name) || enrichment.enabled().includes(name));
  const semaphore = healthCheckLimiter(config);
  const probeOne = async (name: UpstreamName): Promise<UpstreamState> => {
    const service = serviceOf(name);
    if (!options.calls(name) && !service.hasAddress) return options.stateElsewhere(name);
    const one = (each: Service, breaker: BreakerView) => probeService(name, each, breaker, { ...options, clients });
    const isPool = name === "detector" && detectors.list().length > 1;
    return isPool ? await probeDetectors(detectors, (each) => one(serviceOfOne(each), each.breaker)) : await one(service, viewOf(name));
  };
  return {
    ...clients,
    enrichment,
    enrichmentWaitMs: () => (mayEnrich(enrichment, breakerOf) ? config.enrichmentWaitSeconds * 1_000 : 0),
    breakers: () => configured.map((name) => viewOf(name).state()),
    failure: (name) => viewOf(name).fault()?.message,
    capacity: (name) => (serviceOf(name).condition.state === "working" ? capacityBy(viewOf(name)) : 0),
    resetBreaker: (name) => viewOf(name).reset(),
    follow: () => {
      detectors.follow();
      enrichment.follow();
    },
    fault: (name) => faultOf(serviceOf(name).condition),
    answeredAt: (name) => viewOf(name).state().last_success,
    label: (name) => labelOf(name, required, detectors),
    builtIn: () =>
      enabled().flatMap((name) => {
        const { hasAddress, condition } = serviceOf(name);
        if (!options.calls(name) || hasAddress) return [];
        return [{ name, fault: condition.state === "working" ? null : (faultOf(condition) ?? "starting") }];
      }),
    probe: () => {
      if (!probed || clock.monotonic() - probedAt > probeFreshMs) {
        probedAt = clock.monotonic();
        // Each probe has a separate time limit: none is aborted by another.
        probed = Promise.all(enabled().map((name) => semaphore.run(() => probeOne(name), new AbortController().signal)));
      }
      return probed;
    },
  };
}

/** Whether a service that enriches detections can be called. */
function mayEnrich(enrichment: EnrichmentUpstreams, breakerOf: (name: EnrichmentName) => Breaker): boolean {
  const callers = enrichment.enabled().filter((name) => name !== "enrichment");
  return callers.some((name) => enrichment.url(name) !== undefined && breakerOf(name).state().state !== "open");
}

function startOwnDetectors(
  options: UpstreamOptions,
  onCondition: (condition: Condition) => void,
  onBreakerChange: (state: BreakerState, previous: CircuitState) => void,
): Detectors {
  return startDetectors({
    ...options,
    ...{ onCondition, onBreakerChange },
    isCalled: options.calls("detector"),
    onCall: (detector, outcome, seconds) => {
      options.onCall("detector", outcome, seconds);
      options.onDetectorCall(detector, outcome);
    },
  });
}

function labelOf(name: RequiredName, required: RequiredServices, detectors: Detectors): string {
  const list = detectors.list();
  if (name === "detector" && list.length > 1) return list.map(({ label }) => label).join(", ");
  const { builtIn, hasAddress } = required.service(name);
  return builtIn ? "built-in" : hasAddress ? required.url(name) : "runs with other daemons";
}

function capacityBy(breaker: BreakerView): number {
  const { state } = breaker.state();
  if (state === "closed") return Number.POSITIVE_INFINITY;
  return state === "half_open" ? 1 : 0;
}

type RequiredName = "detector" | "language_model";

function isEnrichment(name: UpstreamName): name is EnrichmentName {
  return (enrichmentNames as readonly string[]).includes(name);
}

/** A service as it is configured and runs now. */
interface Service {
  /** The user has configured an address for it. */
  readonly hasAddress: boolean;
  readonly builtIn: boolean;
  /** Always `working` for a service that is not built in: its breaker reports faults. */
  readonly condition: Condition;
  /** Undefined while the built-in service cannot be called. */
  readonly url: () => string | undefined;
}

const addressed = { hasAddress: true, builtIn: false, condition: { state: "working" } } as const;

/** The services that are always enabled. */
interface RequiredServices {
  /** The configured address or the address of the built-in service. Throws if this daemon calls neither. */
  url(name: RequiredName): string;
  service(name: RequiredName): Service;
}

function startRequiredServices(
  { config, log, lifecycle, calls }: UpstreamOptions,
  detectors: Detectors,
  onCondition: (name: RequiredName, condition: Condition) => void,
): RequiredServices {
  let model: Builtin | undefined;
  if (!config.languageModelUrl && calls("language_model")) {
    const builtin = startBuiltin("language_model", { log, onCondition: (condition) => onCondition("language_model", condition) });
    lifecycle.onStop("built-in language_model", () => builtin.stop());
    model = builtin;
  }
  const url = (name: RequiredName): string => {
    const found = name === "detector" ? detectors.list()[0]?.url() : config.languageModelUrl || model?.url();
    if (!found) throw new Error(`this daemon does not call the ${name}: its roles do not include that`);
    return found;
  };
  const modelService = (): Service => {
    const condition: Condition = model?.condition() ?? { state: "working" };
    return {
      ...{ hasAddress: config.languageModelUrl !== undefined, builtIn: model !== undefined, condition },
      url: () => (condition.state === "working" ? url("language_model") : undefined),
    };
  };
  return { url, service: (name) => (name === "language_model" ? modelService() : detectorService(detectors)) };
}

/** The detectors as one service: that of the one that is asked first. */
function detectorService(detectors: Detectors): Service {
  const [first] = detectors.list();
  return first ? serviceOfOne(first) : { ...addressed, hasAddress: false, url: () => undefined };
}

function serviceOfOne(detector: OneDetector): Service {
  const condition = detector.condition();
  return {
    ...{ hasAddress: !detector.isBuiltIn, builtIn: detector.isBuiltIn, condition },
    url: () => (condition.state === "working" ? detector.url() : undefined),
  };
}

/** Probes each of several detectors. They are healthy as long as one of them is; the note says how each of them is. */
async function probeDetectors(detectors: Detectors, probe: (detector: OneDetector) => Promise<UpstreamState>): Promise<UpstreamState> {
  const list = detectors.list();
  const states = await Promise.all(list.map(async (detector) => ({ detector, state: await probe(detector) })));
  const texts = states.map(({ detector, state: { healthy, starting, error } }) => {
    const pace = detectors.paceOf(detector);
    const good = pace === undefined ? "answers" : `answers in ${Math.round(pace)} ms`;
    return `${detector.label} ${healthy ? good : starting ? "starts" : `does not work: ${error ?? "not healthy"}`}`;
  });
  const best = (states.find(({ state }) => state.healthy) ?? states.find(({ state }) => state.starting) ?? states[0])
    ?.state as UpstreamState;
  return best.healthy ? { ...best, note: texts.join("; ") } : { ...best, error: best.starting ? best.error : texts.join("; ") };
}

function createClients(
  options: UpstreamOptions,
  required: RequiredServices,
  breakerOf: (name: Exclude<UpstreamName, "detector">) => Breaker,
): Pick<Upstreams, "languageModel" | "secondModel"> {
  const { config, clock, log, lifecycle } = options;
  const { url: configured, ...access } = modelSettings(config, "first");
  const languageModel = createLanguageModel({
    url: () => required.url("language_model"),
    // the built-in scorer has the API of docs/services.md
    ...(configured === undefined ? { api: "completion" as const } : { ...access, pictures: config.languageModelPictures }),
    ...{ breaker: breakerOf("language_model"), clock, log: log.child({ service: "language_model" }) },
    ...{ timeoutMs: config.languageModelReadTimeout * 1000, language: homeLanguage(config) },
  });
  lifecycle.onStop("language model client", () => languageModel.close());
  const secondModel = createSecondModel(options, breakerOf("language_model_fallback"));
  return { languageModel, secondModel };
}

function createSecondModel({ config, clock, log, lifecycle, calls }: UpstreamOptions, breaker: Breaker): LanguageModel | undefined {
  const { url, ...access } = modelSettings(config, "fallback");
  if (url === undefined || !calls("language_model_fallback")) return undefined;
  const model = createLanguageModel({
    ...{ url, ...access, pictures: config.languageModelPictures, breaker, clock, log: log.child({ service: "language_model_fallback" }) },
    ...{ timeoutMs: config.languageModelReadTimeout * 1000, language: homeLanguage(config) },
  });
  lifecycle.onStop("second language model client", () => model.close());
  return model;
}

async function probeService(
  name: UpstreamName,
  service: Service,
  breaker: BreakerView,
  options: UpstreamOptions & { readonly clients: Pick<Upstreams, "languageModel" | "secondModel"> },
): Promise<UpstreamState> {
  const { config, clock } = options;
  const { builtIn, condition } = service;
  const url = service.url();
  const unhealthy = (error: string): UpstreamState => ({
    ...{ name, healthy: false, builtIn, url: url ?? "", responseMs: null, error },
    checkedAt: clock.now(),
  });
  if (url === undefined && condition.state === "starting") return { ...unhealthy("starting"), starting: true };
  if (url === undefined) return unhealthy(faultOf(condition) ?? "it has no address");
  const { state } = breaker.state();
  const fault = breaker.fault();
  // A service that is known to be down is not probed until its trial.
  if (state === "open") return unhealthy(fault ? `circuit breaker open: ${fault.message}` : "circuit breaker open");
  // GET /health says nothing about a wrong key, path or format: only the trial does.
  const isWrong = fault instanceof UpstreamFailure && (fault.reason === "status" || fault.reason === "unreadable");
  if (state === "half_open" && isWrong) return unhealthy(fault.message);
  const busySince = breaker.busySince();
  if (busySince && clock.now().getTime() - busySince.getTime() > longestBusyMs) {
    return unhealthy(
      `too busy for every request since ${busySince.toISOString()}; give it more resources, or check the limits of its account`,
    );
  }
  const timeoutMs = config.aiHealthCheckTimeoutSeconds * 1000;
  const models: Partial<Record<UpstreamName, LanguageModel | undefined>> = {
    language_model: service.hasAddress ? options.clients.languageModel : undefined,
    language_model_fallback: options.clients.secondModel,
  };
  const model = models[name];
  const { healthy, starting, responseMs, error } = await (model?.health(timeoutMs) ?? probeHealth(url, timeoutMs));
  const blind = config.languageModelPictures === "off" ? undefined : model?.blindness();
  const note = blind === undefined ? {} : { note: `it judges by text, because it does not see pictures: ${blind}` };
  return { name, healthy, ...(starting && { starting }), builtIn, url, responseMs, error, ...note, checkedAt: clock.now() };
}
