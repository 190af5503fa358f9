import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import type { CircuitState } from "../../../src/work/operations/upstream-state.ts";
import { emptyTables } from "../../support/empty-tables.ts";
import { type Desk, openDesk } from "../../support/operations.ts";
import { quietRuntime } from "../../support/runtime.ts";

let desk: Desk;
let woken: string[];
let breaker: CircuitState;
beforeAll(async () => {
  desk = await openDesk();
  await desk.db.query((sql) => sql`insert into cameras (camera_id, name, folder_path) values ('yard', 'Yard', '/a')`);
  const idle = { failure_count: 0, last_failure: null, last_success: null, reset_at: null };
  const runtime = quietRuntime({
    breakers: () => [
      { name: "detector", state: "open", ...idle },
      { name: "language_model", state: breaker, ...idle },
    ],
  });
  Object.assign(desk.context, { runtime });
  desk.db.onCommitted((note) => woken.push(note));
});
afterAll(() => desk.close());
beforeEach(async () => {
  woken = [];
  breaker = "closed";
  await desk.db.query((sql) => emptyTables(sql, "events, jobs, journal"));
  const event = { camera_id: "yard", started_at: "2026-03-01T10:00:00Z", risk_score: 40, summary: "A cat", reasoning: "Small" };
  await desk.ask("createEvents", { body: { events: [event] } });
  woken = [];
});

const event = { params: { event_id: "1" } };
const jobs = () =>
  desk.db.query(
    (sql) => sql<{ subject: string; status: string; attempts: number; priority: number }[]>`
      select j.subject, j.status, j.attempts, j.priority from jobs j where j.queue = 'analyze'
    `,
  );

it("queues an event to be judged again, which keeps its score meanwhile", async () => {
  expect(await desk.ask("reanalyzeEvent", event)).toEqual({ event_id: 1, status: "queued" });
  expect(await jobs()).toEqual([{ subject: "1", status: "pending", attempts: 0, priority: 0 }]);
  expect(await desk.ask("getEvent", event)).toMatchObject({
    analysis_status: "pending",
    risk_score: 40,
    risk_level: "medium",
    summary: "A cat",
  });
  expect(await desk.journal("event.updated")).toEqual([expect.objectContaining({ analysis_status: "pending", risk_score: 40 })]);
  expect(woken.filter((note) => note.startsWith("jobs:"))).toEqual(["jobs:analyze"]);
});

it("is one job, however many ask for it", async () => {
  await Promise.all([1, 2, 3, 4].map(() => desk.ask("reanalyzeEvent", event)));
  expect(await jobs()).toHaveLength(1);
});

it("revives a dead job, brings a waiting one forward, and leaves one alone that runs", async () => {
  await desk.ask("reanalyzeEvent", event);
  await desk.db.query((sql) => sql`update jobs set status = 'dead', attempts = 5, deferrals = 3, priority = 10`);
  await desk.ask("reanalyzeEvent", event);
  expect(await jobs()).toEqual([{ subject: "1", status: "pending", attempts: 0, priority: 0 }]);
  await desk.db.query((sql) => sql`update jobs set available_at = now() + interval '1 year'`);
  await desk.ask("reanalyzeEvent", event);
  expect(await desk.db.query((sql) => sql`select from jobs where available_at < now()`)).toHaveLength(1);
  await desk.db.query((sql) => sql`update jobs set status = 'running', attempts = 1, claimed_by = gen_random_uuid()`);
  await desk.ask("reanalyzeEvent", event);
  expect(await jobs()).toMatchObject([{ status: "running", attempts: 1 }]);
});

it("is refused while the language model's breaker is open, and changes nothing", async () => {
  breaker = "open";
  await expect(desk.ask("reanalyzeEvent", event)).rejects.toMatchObject({
    kind: "unavailable",
    message: expect.stringContaining("language model"),
  });
  expect(await jobs()).toEqual([]);
  expect((await desk.ask("getEvent", event)).analysis_status).toBe("completed");
  breaker = "half_open";
  await desk.ask("reanalyzeEvent", event);
});

it("waits for the daemon when none runs", async () => {
  const { runtime } = desk.context;
  Object.assign(desk.context, { runtime: undefined });
  expect(await desk.ask("reanalyzeEvent", event)).toEqual({ event_id: 1, status: "queued" });
  Object.assign(desk.context, { runtime });
  desk.db.onCommitted((note) => woken.push(note));
});
