import { expect, test } from "vitest";
import { createRecentEvents } from "../../../daemon/health/recent-events.ts";
import { recordServices } from "../../../daemon/health/service-history.ts";
import type { Findings } from "../../../src/admin/system/findings.ts";
import { systemClock } from "../../../src/base/clock/clock.ts";
import type { UpstreamState } from "../../../src/work/operations/upstream-state.ts";

const well = { ok: true, value: "7", latencyMs: 1 } as const;
const gone = { ok: false, error: "connection refused", latencyMs: 1 } as const;
const detector: UpstreamState = {
  ...{ name: "detector", healthy: true, builtIn: false, url: "http://127.0.0.1:9", responseMs: 1, error: null, checkedAt: new Date() },
};
const calm: Findings = {
  ...{ overall: "healthy", database: well, store: well, upstreams: { ...well, value: [detector] }, workers: [], supervisorAlive: true },
  ...{ lowDisks: [], silences: [], delayedNotifications: [], failingSources: [], breakers: "", timestamp: new Date() },
};
const ill = { ...calm, upstreams: { ...well, value: [{ ...detector, healthy: false, error: "status 500" }] } };

test("service history: lists each failure and recovery once, unless a breaker already reported it", () => {
  const history = createRecentEvents(systemClock);
  const told = () =>
    history
      .list()
      .map(({ service, event_type, message }) => `${service} ${event_type}: ${message}`)
      .toReversed();
  for (const findings of [
    calm,
    calm,
    { ...calm, database: gone },
    { ...calm, database: gone },
    calm,
    { ...calm, store: gone },
    calm,
    ill,
    ill,
    calm,
  ])
    recordServices(history, findings);
  expect(told()).toEqual([
    "database failure: connection refused",
    "database recovery: PostgreSQL answers again",
    "store failure: connection refused",
    "store recovery: the store answers again",
    "detector failure: status 500",
    "detector recovery: detector is healthy again",
  ]);
  history.add("detector", "circuit_open", "three in a row");
  recordServices(history, ill);
  history.add("detector", "circuit_half_open", "one is let through");
  recordServices(history, calm);
  expect(told().at(-1)).toBe("detector circuit_half_open: one is let through");
  history.add("detector", "recovery", "the breaker is closed");
  recordServices(history, calm);
  expect(told()).toHaveLength(9);
});

test("service history: a built-in service without an address yet does not count as a failure", () => {
  const history = createRecentEvents(systemClock);
  recordServices(history, { ...calm, upstreams: { ...well, value: [{ ...detector, builtIn: true, url: "", healthy: false }] } });
  expect(history.list()).toEqual([]);
});
