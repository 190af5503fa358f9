import { describe, expect, test } from "vitest";
import {
  builtInElsewhere,
  mergedBreakers,
  watcherElsewhere,
  withFaultsElsewhere,
  workerFault,
  workersElsewhere,
} from "../../../daemon/cluster/merged.ts";
import type { Peer } from "../../../daemon/cluster/peers.ts";
import type { ProcessReport } from "../../../src/admin/system/process-report.ts";
import type { Role } from "../../../src/platform/config/roles.ts";
import type { BreakerState } from "../../../src/work/operations/upstream-state.ts";

const report = (changes: Partial<ProcessReport> = {}): ProcessReport => ({
  ...{ stopped: [], breakers: [], builtIn: [], watcher: null, roots: [], key: "00" },
  ...changes,
});
const peer = (host: string, roles: readonly Role[], says: Partial<ProcessReport> = {}, singletons: readonly string[] = []): Peer => ({
  ...{ processId: host, host, pid: 7, version: "1", startedAt: new Date(0), roles, singletons },
  report: report(says),
});
const detector = (state: BreakerState["state"], at = 0): BreakerState => ({
  ...{ name: "detector", state, failure_count: 0, last_failure: null, reset_at: null },
  last_success: new Date(at),
});

describe("the workers of other daemons", () => {
  const apiOnly = ["api", "receive", "watch", "alert", "deliver", "maintain", "analyze"] as const;
  const detection = (others: readonly Peer[]) => workersElsewhere(apiOnly, others).find(({ name }) => name === "detection_worker");

  test("run if one of the daemons with the role runs them", () => {
    const broken = peer("a", ["detect"], { stopped: [{ name: "detection_worker", message: "stuck" }] });
    expect(detection([broken, peer("b", ["detect"])])).toMatchObject({ running: true, message: "on b (pid 7)" });
    expect(detection([broken])).toMatchObject({ running: false, critical: true, message: "on a (pid 7): stuck" });
  });

  test("do not run if no daemon has the role", () => {
    expect(detection([peer("a", ["analyze"])])).toMatchObject({ running: false, message: "no running daemon has the role detect" });
  });

  test("are empty for a daemon that has all roles", () => {
    expect(workersElsewhere([...apiOnly, "detect"], [])).toEqual([]);
  });
});

test("a worker on standby here is as healthy as the active one of another daemon", () => {
  const here = [{ name: "file_watcher", running: true, critical: false, message: "on standby" }];
  const faultWith = (...others: readonly Peer[]) => workerFault("file_watcher", here, { does: () => false, others: () => others });
  const stopped = [{ name: "file_watcher", message: "its folder hangs" }];
  expect(faultWith(peer("a", ["watch"], {}, ["file_watcher"]))).toBeUndefined();
  expect(faultWith(peer("a", ["watch"], { stopped }, ["file_watcher"]), peer("b", ["watch"]))).toBe("on a (pid 7): its folder hangs");
  expect(faultWith(peer("b", ["watch"]))).toBe("no daemon runs it now");
  expect(workerFault("file_watcher", here, { does: () => true, others: () => [] })).toBeUndefined();
  expect(workerFault("file_watcher", [], { does: () => true, others: () => [] })).toBe("unknown reason");
});

test("a breaker has the worst state among the daemons that call the service", () => {
  const others = [peer("a", ["detect"], { breakers: [detector("open")] }), peer("b", ["detect"], { breakers: [detector("closed", 5)] })];
  expect(mergedBreakers([detector("closed", 9)], ["detect"], others)[0]?.state).toBe("open");
  expect(mergedBreakers([detector("half_open")], ["detect"], others.slice(1))[0]?.state).toBe("half_open");
  // a daemon that never calls the service knows nothing about it
  expect(mergedBreakers([detector("closed", 0)], ["api"], others.slice(1))[0]?.last_success).toEqual(new Date(5));
  expect(mergedBreakers([detector("closed", 3)], ["api"], [])[0]).toEqual(detector("closed", 3));
});

test("a built-in service of other daemons is healthy if one of them has a healthy one", () => {
  const now = new Date(1);
  const faulty = peer("a", ["detect"], { builtIn: [{ name: "detector", fault: "no model" }] });
  const well = peer("b", ["detect"], { builtIn: [{ name: "detector", fault: null }] });
  expect(builtInElsewhere("detector", [faulty, well], now)).toMatchObject({ healthy: true, error: null });
  expect(builtInElsewhere("detector", [faulty], now)).toMatchObject({ healthy: false, error: "a (pid 7): no model" });
  expect(builtInElsewhere("detector", [], now)).toMatchObject({ healthy: false, error: "no running daemon has the role detect" });
});

test("a service that another daemon cannot use is unhealthy, although it answers the probe", () => {
  const state = {
    name: "detector",
    healthy: true,
    builtIn: false,
    url: "http://d",
    responseMs: 1,
    error: null,
    checkedAt: new Date(1),
  } as const;
  const faults = [{ name: "detector" as const, fault: "status 401: the service asks for a key" }];
  const stuck = peer("a", ["detect"], { breakers: [detector("open")], faults });
  expect(withFaultsElsewhere([state], [stuck])).toEqual([
    { ...state, healthy: false, error: "a (pid 7): circuit breaker open: status 401: the service asks for a key" },
  ]);
  const ofEarlierVersion = peer("a", ["detect"], { breakers: [detector("open")] });
  expect(withFaultsElsewhere([state], [ofEarlierVersion])).toMatchObject([{ healthy: false, error: "a (pid 7): circuit breaker open" }]);
  expect(withFaultsElsewhere([state], [peer("a", ["detect"], { breakers: [detector("closed")], faults })])).toEqual([state]);
});

test("the state of the file watcher comes from the daemon that runs it", () => {
  const watcher = { cameraRoot: "/pictures", watchMode: "polling", pending: 3, stuck: [] } as const;
  const holder = peer("a", ["watch"], { watcher: { ...watcher, stuck: [] } }, ["file_watcher"]);
  expect(watcherElsewhere("/own", [peer("b", ["watch"]), holder])).toEqual({ ...watcher, running: true });
  expect(watcherElsewhere("/own", [peer("b", ["watch"])])).toMatchObject({ running: false, cameraRoot: "/own" });
});
