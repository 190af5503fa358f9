import { basename } from "node:path";
import { createSemaphore } from "../../src/base/async/semaphore.ts";
import type { Clock } from "../../src/base/clock/clock.ts";
import type { Lifecycle } from "../../src/base/lifecycle/lifecycle.ts";
import type { Log } from "../../src/base/log/log.ts";
import { Breaker } from "../../src/monitoring/upstream/breaker.ts";
import { createDetector, type Detector } from "../../src/monitoring/upstream/detector.ts";
import { mostAtBuiltIn } from "../../src/monitoring/upstream/detector-pace.ts";
import { createDetectorPool, joinedState, type PooledDetector } from "../../src/monitoring/upstream/detector-pool.ts";
import type { Config } from "../../src/platform/config/config.ts";
import { builtInDetector, detectorList, detectorOrigin } from "../../src/platform/config/detector-address.ts";
import type { Settings } from "../../src/platform/config/settings.ts";
import type { BreakerState, CircuitState } from "../../src/work/operations/upstream-state.ts";
import type { Condition } from "../builtin/condition.ts";
import { type Builtin, startBuiltin } from "../builtin/spawn.ts";

/** What the rest of the daemon reads of a breaker, or of several as one. */
export type BreakerView = Pick<Breaker, "state" | "fault" | "reset" | "busySince">;

/** One of the daemon's detectors. */
export interface OneDetector extends PooledDetector {
  /** As in DETECTOR_URL. */
  readonly address: string;
  readonly isBuiltIn: boolean;
  /** Of the built-in one; another one always counts as working. */
  condition(): Condition;
  /** Throws while the built-in one does not listen. */
  url(): string;
}

/** The detectors of this daemon: those of the setting `detector_url`, or the built-in one. */
export interface Detectors {
  readonly detector: Detector;
  readonly breaker: BreakerView;
  /** All of them, the next to be asked first. Empty if this daemon calls none. */
  list(): readonly OneDetector[];
  /** Time per picture in milliseconds; undefined until the detector answered. */
  paceOf(detector: OneDetector): number | undefined;
  /** Follows the settings, which must be loaded already. */
  follow(): void;
}

interface DetectorsOptions {
  readonly config: Config;
  readonly settings: Settings;
  readonly clock: Clock;
  readonly log: Log;
  readonly lifecycle: Lifecycle;
  /** Whether this daemon calls the detector: only then the built-in one runs here. */
  readonly isCalled: boolean;
  readonly onCondition: (condition: Condition) => void;
  readonly onBreakerChange: (state: BreakerState, previous: CircuitState) => void;
  /** Called after each call of a detector, with its place in DETECTOR_URL from 1, or `built-in`. */
  readonly onCall: (place: string, outcome: "success" | "failure", seconds: number) => void;
}

/** Interval of checks for changed settings. */
const followEveryMs = 500;

/** Creates the clients of the detectors and runs the built-in one exactly as long as it is one of them. Registers how to stop everything. */
export function startDetectors(options: DetectorsOptions): Detectors {
  const { settings, clock, log, lifecycle } = options;
  const members = new DetectorMembers(options);
  const pool = createDetectorPool({
    members: () => members.list(),
    secondOpinion: () => {
      const { detectionConfidenceThreshold: threshold, detectorSecondOpinionBelow: below } = settings.current();
      return { threshold, below };
    },
    clock,
    log: log.child({ service: "detector" }),
  });
  let timer: NodeJS.Timeout | undefined;
  lifecycle.onStop("built-in detector", () => members.stopBuiltIn());
  lifecycle.onStop("detector client", async () => {
    clearInterval(timer);
    await pool.close();
    await members.close();
  });
  return {
    detector: pool,
    breaker: {
      state: () => members.state(),
      fault: () => first(pool.ordered()).breaker.fault(),
      busySince: () => first(pool.ordered()).breaker.busySince(),
      reset: () => members.reset(),
    },
    list: () => pool.ordered() as readonly OneDetector[],
    paceOf: (detector) => pool.paceOf(detector),
    follow: () => {
      members.follow();
      timer ??= setInterval(() => members.follow(), followEveryMs).unref();
    },
  };
}

function first<T>(list: readonly T[]): T {
  return list[0] as T;
}

/** The detectors that the setting names. Those that stay in it keep their breaker and their pace. */
class DetectorMembers {
  readonly #options: DetectorsOptions;
  /** Stands for the detector of a daemon that calls none: its breaker is closed for ever. */
  readonly #none: Breaker;
  #setting: string | null | undefined;
  #members: readonly OneDetector[] = [];
  #builtIn: Builtin | undefined;
  #stopping: Promise<unknown> = Promise.resolve();
  /** Whether one breaker of several is reset after the other: that is one change. */
  #resetting = false;
  #lastState: CircuitState = "closed";

  constructor(options: DetectorsOptions) {
    this.#options = options;
    this.#none = new Breaker("detector", { clock: options.clock });
    this.follow();
  }

  list(): readonly OneDetector[] {
    return this.#members;
  }

  state(): BreakerState {
    return joinedState(this.#breakers());
  }

  reset(): CircuitState {
    const previous = this.state().state;
    this.#resetting = true;
    for (const breaker of this.#breakers()) breaker.reset();
    this.#resetting = false;
    this.#noteState();
    return previous;
  }

  /** Takes over a changed setting. */
  follow(): void {
    const { detectorUrl } = this.#options.settings.current();
    if (detectorUrl === this.#setting) return;
    this.#setting = detectorUrl;
    const configured = detectorList(detectorUrl);
    const addresses = configured.length === 0 ? [builtInDetector] : configured;
    const called = addresses.filter((address) => address !== builtInDetector || this.#options.isCalled);
    const before = this.#members;
    this.#members = called.map((address) => before.find((member) => member.address === address) ?? this.#create(address));
    for (const member of before) if (!this.#members.includes(member)) void member.client.close();
    if (!called.includes(builtInDetector)) void this.stopBuiltIn();
    this.#noteState();
  }

  stopBuiltIn(): Promise<unknown> {
    const ended = this.#builtIn;
    this.#builtIn = undefined;
    if (ended) this.#stopping = ended.stop();
    return this.#stopping;
  }

  async close(): Promise<void> {
    await Promise.all(this.#members.map(({ client }) => client.close()));
  }

  #breakers(): readonly Breaker[] {
    return this.#members.length === 0 ? [this.#none] : this.#members.map(({ breaker }) => breaker);
  }

  /** Reports a change of the state of all breakers as one. */
  #noteState(): void {
    if (this.#resetting || this.#members.length === 0) return;
    const previous = this.#lastState;
    const state = this.state();
    this.#lastState = state.state;
    if (state.state !== previous) this.#options.onBreakerChange(state, previous);
  }

  #create(address: string): OneDetector {
    const { clock, log, config } = this.#options;
    const isBuiltIn = address === builtInDetector;
    const label = isBuiltIn ? builtInLabel(config) : detectorOrigin(address);
    const breaker = new Breaker("detector", {
      clock,
      onChange: ({ state }, previous) => {
        if (this.#members.length > 1)
          log.info({ detector: label, state, previous, error: breaker.fault()?.message }, "breaker of a detector");
        this.#noteState();
      },
      onCall: (...call) => this.#options.onCall(this.#placeOf(address), ...call),
    });
    const builtIn = isBuiltIn ? this.#startBuiltIn() : undefined;
    const url = (): string => builtIn?.url() ?? address;
    const condition = (): Condition => builtIn?.condition() ?? { state: "working" };
    const client = createDetector({ url, label, breaker, clock, log: log.child({ service: "detector" }) });
    return {
      ...{ address, isBuiltIn, label, breaker, url, condition },
      client: isBuiltIn ? limited(client, () => this.#members.length > 1) : client,
      isReserve: isBuiltIn,
      isReady: () => condition().state === "working",
    };
  }

  #placeOf(address: string): string {
    return address === builtInDetector ? builtInDetector : String(1 + this.#members.findIndex((member) => member.address === address));
  }

  #startBuiltIn(): Builtin {
    const { detectorConfidence, detectorModelPath: modelPath } = this.#options.config;
    const env = { DETECTOR_CONFIDENCE: String(detectorConfidence), ...(modelPath !== undefined && { DETECTOR_MODEL_PATH: modelPath }) };
    this.#builtIn = startBuiltin("detector", { log: this.#options.log, env, onCondition: this.#options.onCondition });
    return this.#builtIn;
  }
}

function builtInLabel({ detectorModelPath: modelPath }: Config): string {
  return modelPath === undefined ? builtInDetector : `${builtInDetector} (${basename(modelPath)})`;
}

/** Limits the pictures at the built-in detector, if the detection worker sends as many at once as other detectors take. */
function limited(client: Detector, isLimited: () => boolean): Detector {
  const slots = createSemaphore({ max: mostAtBuiltIn });
  return {
    detect: (...call) => (isLimited() ? slots.run(() => client.detect(...call), call[1]) : client.detect(...call)),
    close: () => client.close(),
  };
}
