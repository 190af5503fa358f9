import type { Clock } from "../../base/clock/clock.ts";
import { minuteMs } from "../../base/clock/clock.ts";
import type { Log } from "../../base/log/log.ts";
import type { BreakerState, CircuitState } from "../../work/operations/upstream-state.ts";
import type { Breaker } from "./breaker.ts";
import type { Detected, Detector, DetectorResult } from "./detector.ts";
import type { Picture } from "./multipart.ts";
import { referencePicture } from "./reference.ts";
import { isUncertain, type SecondOpinionRule, withoutSecondOpinion, withSecondOpinion } from "./second-opinion.ts";

/** A detector of a pool. */
export interface PooledDetector {
  /** Its place for people: `built-in`, or the origin of its address. */
  readonly label: string;
  readonly breaker: Breaker;
  readonly client: Detector;
  /** It is asked only while no other one answers. */
  readonly isReserve: boolean;
  /** Whether it can be asked at all: the built-in one may still start. */
  readonly isReady: () => boolean;
}

/** Time limit for the answer of one detector while another one can be asked. */
const patienceMs = 10_000;
/** Detectors asked for one picture. */
const mostAsked = 3;
/** A detector that answered no picture for this long gets one, so that its pace is known. */
const paceFreshMs = 10 * minuteMs;
/** Weight of the newest answer in the pace. */
const newest = 0.2;

/** What a pool knows about one of its detectors. */
interface Pace {
  /** Time for one picture when it processes no other one, in milliseconds; undefined until it answered. */
  ms: number | undefined;
  measuredAt: number;
  inFlight: number;
  trial: Promise<unknown> | undefined;
}

export interface DetectorPool extends Detector {
  /** The detectors in the order in which the next picture would be sent to them. */
  ordered(): readonly PooledDetector[];
  /** Time per picture in milliseconds; undefined until the detector answered. */
  paceOf(detector: PooledDetector): number | undefined;
}

interface PoolOptions {
  /** Read for each picture. With one detector, the pool does nothing but ask it. */
  readonly members: () => readonly PooledDetector[];
  /** Read for each picture; absent: no second opinion. */
  readonly secondOpinion?: () => SecondOpinionRule;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Creates a detector out of several. A picture goes to the fastest one that works; if that fails, to the next at once. An answer that a
 * detector fails to give never counts as "nothing found": if all fail, the picture is unavailable and waits. A detector that failed gets a
 * small grey picture beside the real ones, and takes part again when it answers. An uncertain picture goes to a second detector too.
 */
export function createDetectorPool(options: PoolOptions): DetectorPool {
  return new Pool(options);
}

class Pool implements DetectorPool {
  readonly #options: PoolOptions;
  readonly #paces = new WeakMap<PooledDetector, Pace>();
  readonly #closing = new AbortController();
  readonly #trials = new Set<Promise<unknown>>();

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  async detect(picture: Picture, signal?: AbortSignal): Promise<DetectorResult> {
    const [only, ...others] = this.#options.members();
    if (only && others.length === 0) return await only.client.detect(picture, signal);
    this.#tryFailed();
    const asked = this.#byPreference().slice(0, mostAsked);
    const failures: { readonly label: string; readonly result: Exclude<DetectorResult, { kind: "detected" }> }[] = [];
    for (const [index, member] of asked.entries()) {
      const isLast = index === asked.length - 1;
      const result = await this.#ask(member, picture, signal, isLast ? undefined : patienceMs);
      if (result.kind === "detected") return await this.#checked(result, asked.slice(0, index + 1), picture, signal);
      failures.push({ label: member.label, result });
      if (!isLast) this.#options.log.debug({ detector: member.label, detail: result.detail }, "asking the next detector");
    }
    return combined(failures);
  }

  ordered(): readonly PooledDetector[] {
    return [...this.#options.members()].sort((a, b) => rankOf(a) - rankOf(b) || (this.paceOf(a) ?? 0) - (this.paceOf(b) ?? 0));
  }

  paceOf(member: PooledDetector): number | undefined {
    return this.#pace(member).ms;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all(this.#trials);
  }

  #pace(member: PooledDetector): Pace {
    let pace = this.#paces.get(member);
    if (!pace) {
      pace = { ms: undefined, measuredAt: Number.NEGATIVE_INFINITY, inFlight: 0, trial: undefined };
      this.#paces.set(member, pace);
    }
    return pace;
  }

  /** Those that may answer, best first: the one that would finish this picture first, after one whose pace is not known. */
  #byPreference(): readonly PooledDetector[] {
    const { clock } = this.#options;
    const dueMs = (member: PooledDetector): number => {
      const { ms, measuredAt, inFlight } = this.#pace(member);
      if (inFlight === 0 && !member.isReserve && clock.monotonic() - measuredAt > paceFreshMs) return 0;
      return (ms ?? patienceMs) * (inFlight + 1);
    };
    const ready = this.#options.members().filter((member) => member.isReady());
    const usable = ready.filter(({ breaker }) => breaker.state().state !== "open");
    return [...(usable.length > 0 ? usable : ready)].sort((a, b) => rankOf(a) - rankOf(b) || dueMs(a) - dueMs(b));
  }

  /** Asks one more detector about an uncertain picture. `asked` are those that had it already. */
  async #checked(first: Detected, asked: readonly PooledDetector[], picture: Picture, signal: AbortSignal | undefined): Promise<Detected> {
    const rule = this.#options.secondOpinion?.();
    if (!rule || !isUncertain(first.detections, rule)) return first;
    const other = this.#byPreference().find((member) => !asked.includes(member));
    if (!other) return withoutSecondOpinion(first);
    const second = await this.#ask(other, picture, signal, patienceMs);
    if (second.kind === "detected") return withSecondOpinion(first, second, rule);
    this.#options.log.debug({ detector: other.label, detail: second.detail }, "no second opinion");
    return withoutSecondOpinion(first);
  }

  async #ask(
    member: PooledDetector,
    picture: Picture,
    signal: AbortSignal | undefined,
    timeoutMs: number | undefined,
  ): Promise<DetectorResult> {
    const { clock } = this.#options;
    const pace = this.#pace(member);
    pace.inFlight += 1;
    const besides = pace.inFlight;
    const startedAt = clock.monotonic();
    try {
      const result = await member.client.detect(picture, signal, timeoutMs);
      if (result.kind === "detected") {
        const ms = (clock.monotonic() - startedAt) / besides;
        pace.ms = pace.ms === undefined ? ms : pace.ms + newest * (ms - pace.ms);
        pace.measuredAt = clock.monotonic();
      }
      return result;
    } finally {
      pace.inFlight -= 1;
    }
  }

  /** Sends the grey picture to each detector whose last call failed: without it, none of them would be asked while another one answers. */
  #tryFailed(): void {
    const members = this.#options.members().filter((member) => member.isReady());
    if (!members.some((member) => rankOf(member) < failedRank)) return;
    for (const member of members) {
      const pace = this.#pace(member);
      const { state, failure_count } = member.breaker.state();
      if (pace.trial || state === "open" || (state === "closed" && failure_count === 0)) continue;
      const trial = member.client
        .detect(referencePicture, this.#closing.signal, patienceMs)
        .catch((error: unknown) => this.#options.log.debug({ detector: member.label, error: String(error) }, "a trial of a detector ended"))
        .finally(() => {
          pace.trial = undefined;
          this.#trials.delete(trial);
        });
      pace.trial = trial;
      this.#trials.add(trial);
    }
  }
}

const failedRank = 2;

/** Groups detectors by how likely they answer: those without a failure, the built-in one as reserve, then those that failed. */
function rankOf({ breaker, isReserve, isReady }: PooledDetector): number {
  const { state, failure_count } = breaker.state();
  if (!isReady() || state === "open") return 4;
  if (state === "half_open") return 3;
  if (failure_count > 0) return failedRank;
  return isReserve ? 1 : 0;
}

/** The outcome if no detector answered. A refusal counts only if none of them is away: another one may take the picture later. */
function combined(
  failures: readonly { readonly label: string; readonly result: Exclude<DetectorResult, { kind: "detected" }> }[],
): DetectorResult {
  const detail = failures.map(({ label, result }) => `${label}: ${result.detail}`).join("; ");
  const away = failures.flatMap(({ result }) => (result.kind === "unavailable" ? [result] : []));
  const [soonest] = away.toSorted((a, b) => a.retryAt.getTime() - b.retryAt.getTime());
  if (!soonest) return { kind: "refused", reason: "refused", detail };
  return { ...soonest, detail, suspect: failures.every(({ result }) => result.kind === "refused" || result.suspect === true) };
}

/** The state of several breakers as one: open only if all are. */
export function joinedState(breakers: readonly Breaker[]): BreakerState {
  const states = breakers.map((breaker) => breaker.state());
  const has = (state: CircuitState): boolean => states.some((each) => each.state === state);
  const state = has("closed") ? "closed" : has("half_open") ? "half_open" : "open";
  const times = (read: (each: BreakerState) => Date | null): readonly number[] => states.flatMap((each) => read(each)?.getTime() ?? []);
  const dateOf = (list: readonly number[], choose: (...all: number[]) => number): Date | null =>
    list.length === 0 ? null : new Date(choose(...list));
  return {
    name: "detector",
    state,
    failure_count: Math.min(...states.map(({ failure_count }) => failure_count)),
    last_failure: dateOf(
      times(({ last_failure }) => last_failure),
      Math.max,
    ),
    last_success: dateOf(
      times(({ last_success }) => last_success),
      Math.max,
    ),
    reset_at:
      state === "open"
        ? dateOf(
            times(({ reset_at }) => reset_at),
            Math.min,
          )
        : null,
  };
}
