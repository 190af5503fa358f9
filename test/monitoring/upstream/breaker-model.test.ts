import fc from "fast-check";
import { expect, test } from "vitest";
import { Breaker, BreakerOpen } from "../../../src/monitoring/upstream/breaker.ts";
import type { BreakerState, CircuitState } from "../../../src/work/operations/upstream-state.ts";
import { type VirtualClock, virtualClock } from "./virtual-clock.ts";

/** Number of generated histories. */
const sequences = 10_000;
const resetTimeoutMs = 30_000;
const failureThreshold = 3;

/** One call in the model, with the breaker's generation at its start; each change of state begins a new generation. */
interface ModelCall {
  readonly life: number;
}

/** The state table of the interface document, plus the calls in progress. */
class Model {
  state: CircuitState = "closed";
  failures = 0;
  openedAt = 0;
  life = 0;
  trialRuns = false;
  lastFailure: number | null = null;
  lastSuccess: number | null = null;
  readonly moves: string[] = [];

  move(to: CircuitState, now: number): void {
    if (to !== this.state) this.moves.push(`${this.state} > ${to}`);
    this.state = to;
    this.life += 1;
    this.trialRuns = false;
    this.openedAt = now;
  }

  look(now: number): void {
    if (this.state === "open" && now >= this.openedAt + resetTimeoutMs) this.move("half_open", now);
  }

  /** Returns undefined if the call fails at once. */
  begin(now: number): ModelCall | undefined {
    this.look(now);
    if (this.state === "open" || this.trialRuns) return undefined;
    this.trialRuns = this.state === "half_open";
    return { life: this.life };
  }

  end(call: ModelCall, outcome: Outcome, now: number): void {
    const present = call.life === this.life;
    if (outcome === "good") this.lastSuccess = now;
    if (outcome === "bad") this.lastFailure = now;
    if (!present) return;
    if (outcome === "given up") {
      this.trialRuns = false;
    } else if (outcome === "good") {
      this.failures = 0;
      if (this.state === "half_open") this.move("closed", now);
    } else {
      this.failures += 1;
      if (this.state === "half_open" || this.failures >= failureThreshold) this.move("open", now);
    }
  }

  reset(now: number): CircuitState {
    this.look(now);
    const { state } = this;
    this.failures = 0;
    this.move("closed", now);
    return state;
  }
}

type Outcome = "good" | "bad" | "given up";

/** A call of the real breaker that runs until the test ends it. */
interface OpenCall {
  readonly modelled: ModelCall;
  end(outcome: Outcome): Promise<void>;
}

class World {
  readonly clock: VirtualClock = virtualClock();
  readonly model = new Model();
  readonly moves: string[] = [];
  readonly open: OpenCall[] = [];
  readonly breaker = new Breaker("detector", {
    clock: this.clock,
    failureThreshold,
    resetTimeoutMs,
    onChange: ({ state }: BreakerState, previous) => this.moves.push(`${previous} > ${state}`),
  });

  async begin(): Promise<void> {
    const modelled = this.model.begin(this.clock.monotonic());
    let settle: ((outcome: Outcome) => void) | undefined;
    let isAsked = false;
    const caller = new AbortController();
    const ran = this.breaker
      .run(async () => {
        isAsked = true;
        const outcome = await new Promise<Outcome>((resolve) => {
          settle = resolve;
        });
        if (outcome === "given up") caller.abort();
        if (outcome !== "good") throw new Error(outcome);
      }, caller.signal)
      .then(
        () => "ran",
        (error: unknown) => (error instanceof BreakerOpen ? "refused" : "ran"),
      );
    expect(isAsked).toBe(modelled !== undefined);
    if (modelled === undefined) {
      expect(await ran).toBe("refused");
      return;
    }
    this.open.push({
      modelled,
      end: async (outcome) => {
        settle?.(outcome);
        expect(await ran).toBe("ran");
      },
    });
  }

  async end(which: number, outcome: Outcome): Promise<void> {
    const [call] = this.open.splice(which % Math.max(1, this.open.length), 1);
    if (!call) return;
    await call.end(outcome);
    this.model.end(call.modelled, outcome, this.clock.monotonic());
  }

  /** Compares everything a client can see. Reading the state is an action too, because it checks the time. */
  compare(): void {
    this.model.look(this.clock.monotonic());
    const { state, failures, openedAt, lastFailure, lastSuccess } = this.model;
    const at = (ms: number | null): Date | null => (ms === null ? null : new Date(Date.parse("2026-01-31T22:00:00Z") + ms));
    expect(this.breaker.state()).toEqual({
      name: "detector",
      state,
      failure_count: failures,
      last_failure: at(lastFailure),
      last_success: at(lastSuccess),
      reset_at: state === "open" ? at(openedAt + resetTimeoutMs) : null,
    });
    expect(this.moves).toEqual(this.model.moves);
  }
}

const outcome = fc.constantFrom<Outcome>("good", "bad", "bad", "given up");
const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant("begin" as const) }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant("end" as const), which: fc.nat(9), outcome }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant("wait" as const), ms: fc.constantFrom(1, 9_999, 15_000, 29_999, 30_000, 45_000) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("look" as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("reset" as const) }) },
);

test(`over ${sequences} histories of overlapping calls, pauses and resets it is the machine of the interface document`, async () => {
  const reached = new Set<string>();
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40 }), async (steps) => {
      const world = new World();
      for (const each of steps) {
        if (each.kind === "begin") await world.begin();
        else if (each.kind === "end") await world.end(each.which, each.outcome);
        else if (each.kind === "wait") world.clock.advance(each.ms);
        else if (each.kind === "look") world.compare();
        else expect(world.breaker.reset()).toBe(world.model.reset(world.clock.monotonic()));
      }
      world.compare();
      for (const move of world.moves) reached.add(move);
      // no call of a history stays open
      while (world.open.length > 0) await world.end(0, "given up");
    }),
    { numRuns: sequences },
  );
  // the generator must visit every transition, otherwise the test proves nothing
  expect([...reached].sort()).toEqual(
    ["closed > open", "open > half_open", "half_open > closed", "half_open > open", "open > closed"].sort(),
  );
});
