import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { bundled } from "../../support/bundled.ts";
import { type AlertDesk, openAlertDesk } from "./alert-desk.ts";

let desk: AlertDesk;
let children: ChildProcess[] = [];
beforeAll(async () => {
  desk = await openAlertDesk();
});
afterAll(() => desk.close());
beforeEach(() => desk.empty());
afterEach(() => {
  for (const child of children) if (child.exitCode === null) child.kill("SIGKILL");
});

/** Runs all pending evaluations in four processes, started at the same moment; returns the number of events per process. */
async function lookInFourProcesses(): Promise<readonly number[]> {
  const looker = await bundled("test/alerting/alerts/processes/looker.mjs");
  children = Array.from({ length: 4 }, () => fork(looker, [desk.url], { execArgv: [] }));
  await Promise.all(children.map((child) => once(child, "message")));
  const counts = children.map(async (child) => {
    const ended = once(child, "exit").then(([code]) => Promise.reject(new Error(`a process ended with ${code}`)));
    const [count] = (await Promise.race([once(child, "message"), ended])) as [number];
    ended.catch(() => {});
    return count;
  });
  for (const child of children) child.send("go");
  return await Promise.all(counts);
}

const bulk = async (count: number, event: (n: number) => object) => {
  const { failed } = await desk.ask("createEvents", { body: { events: Array.from({ length: count }, (_, n) => event(n)) } });
  expect(failed).toBe(0);
};

it("cooldown: 100 equal events in 4 processes raise exactly one alert, which suppresses the other 99", async () => {
  await desk.rule();
  await bulk(100, () => ({ camera_id: "yard", started_at: "2026-03-01T12:00:00Z" }));
  const done = await lookInFourProcesses();
  expect(done.reduce((sum, count) => sum + count)).toBe(100);
  expect(done.filter((count) => count > 0).length).toBeGreaterThan(1);
  const [alert, ...others] = await desk.alerts();
  expect(others).toEqual([]);
  const verdicts = await desk.verdicts();
  expect(verdicts).toHaveLength(100);
  expect(verdicts.filter(({ outcome }) => outcome === "raised")).toMatchObject([{ alert_id: alert?.id, event_id: alert?.event_id }]);
  expect(verdicts.filter(({ suppressed_by }) => suppressed_by === alert?.id)).toHaveLength(99);
  expect(await desk.journal("alert_created")).toHaveLength(1);
});

it("cooldown: rules that share keys across cameras never deadlock", async () => {
  const keys = ["{camera_id}", "{severity}", "{camera_id}:{rule_id}", "everything"];
  for (const [n, dedup_key_template] of [...keys, ...keys].entries()) {
    const severity = n < 4 ? "low" : "critical";
    await desk.rule({ name: `rule ${n}`, dedup_key_template, severity, escalate: n % 2 === 0, risk_threshold: n % 3 === 0 ? 10 : null });
  }
  await bulk(25, (n) => ({
    camera_id: n % 2 === 0 ? "yard" : "gate",
    started_at: "2026-03-01T12:00:00Z",
    risk_score: 10 + ((n * 37) % 90),
  }));
  const done = await lookInFourProcesses();
  expect(done.reduce((sum, count) => sum + count)).toBe(50);
  const verdicts = await desk.verdicts();
  expect(verdicts).toHaveLength(200);
  expect(verdicts.filter(({ outcome }) => outcome === "raised")).toHaveLength((await desk.alerts()).length);
});
