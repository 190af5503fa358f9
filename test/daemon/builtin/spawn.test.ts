import { fork } from "node:child_process";
import { readFile } from "node:fs/promises";
import { getPriority } from "node:os";
import { afterEach, expect, test } from "vitest";
import { type Condition, faultOf } from "../../../daemon/builtin/condition.ts";
import { type Builtin, type BuiltinName, startBuiltin } from "../../../daemon/builtin/spawn.ts";
import { systemClock } from "../../../src/base/clock/clock.ts";
import { silentLog } from "../../../src/base/log/log.ts";
import { Breaker } from "../../../src/monitoring/upstream/breaker.ts";
import { createLanguageModel } from "../../../src/monitoring/upstream/language-model.ts";
import { probeHealth } from "../../../src/monitoring/upstream/probe.ts";
import { eventFacts } from "../../monitoring/upstream/event-facts.ts";
import { bundled } from "../../support/bundled.ts";
import { eventually } from "../../support/eventually.ts";

const started: Builtin[] = [];
afterEach(async () => {
  for (const each of started.splice(0)) await each.stop();
});

async function start(name: BuiltinName): Promise<Builtin> {
  const builtin = startBuiltin(name, { log: silentLog });
  started.push(builtin);
  await builtin.ready;
  return builtin;
}

/** An exited orphan stays in the process table until init reaps it. It does not count as alive. */
async function lives(pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0);
    return process.platform !== "linux" || (await statOf(pid))[0] !== "Z";
  } catch (error) {
    if (["ESRCH", "ENOENT"].includes((error as NodeJS.ErrnoException).code ?? "")) return false;
    throw error;
  }
}

/** The fields of /proc/PID/stat after the program's name: state, parent, process group and more. */
async function statOf(pid: number | "self"): Promise<string[]> {
  return (await readFile(`/proc/${pid}/stat`, "utf8")).replace(/^.*\) /s, "").split(" ");
}

function pidOf(builtin: Builtin): number {
  const pid = builtin.pid();
  if (pid === undefined) throw new Error("it does not run");
  return pid;
}

test("built-in services: the language model scores an event through the client and reports its name", async () => {
  const builtin = await start("language_model");
  const breaker = new Breaker("language_model", { clock: systemClock });
  const model = createLanguageModel({ url: () => builtin.url(), breaker, clock: systemClock, log: silentLog });
  const night = eventFacts({ local: { hour: 3, minute: 0, weekday: "monday", timeZone: "UTC" } });
  const judgement = await model.judge(night);
  await model.close();
  expect(judgement).toMatchObject({ kind: "judged", analyzedBy: "built-in scorer" });
  if (judgement.kind !== "judged") return;
  expect(judgement.verdict.riskScore).toBeGreaterThanOrEqual(60);
  expect(judgement.verdict.riskFactors.reduce((sum, { contribution }) => sum + contribution, 0)).toBe(judgement.verdict.riskScore);
});

test("built-in services: the language model refuses requests that do not come from homesec", async () => {
  const builtin = await start("language_model");
  for (const body of ["", "{}", '{"prompt": 5}', '{"prompt": "Who are you?"}', "[]"]) {
    const response = await fetch(`${builtin.url()}/completion`, { method: "POST", body });
    expect(response.status).toBe(400);
    expect(((await response.json()) as { detail: string }).detail).toMatch(/prompt/);
  }
});

test("built-in services: a service that dies is restarted at the same address", async () => {
  const builtin = await start("language_model");
  const url = builtin.url();
  const first = pidOf(builtin);
  process.kill(first, "SIGKILL");
  await eventually(() => builtin.pid() !== undefined && builtin.pid() !== first, { what: "another process" });
  await eventually(async () => (await probeHealth(builtin.url(), 500)).healthy, { what: "health after the restart" });
  expect(builtin.url()).toBe(url);
});

test("built-in services: stop ends the process, even one that is not listening yet", async () => {
  const builtin = await start("detector");
  const pid = pidOf(builtin);
  await builtin.stop();
  expect(await lives(pid)).toBe(false);

  const hasty = startBuiltin("detector", { log: silentLog });
  const hastyPid = pidOf(hasty);
  await hasty.stop();
  await expect(hasty.ready).rejects.toThrow(/stopped before it was listening/);
  expect(await lives(hastyPid)).toBe(false);
  expect(() => hasty.url()).toThrow(/is not listening yet/);
});

test("built-in services: a second stop, and a stop while it waits for a restart, do nothing", async () => {
  const builtin = await start("language_model");
  process.kill(pidOf(builtin), "SIGKILL");
  await eventually(() => builtin.pid() === undefined, { what: "the death to be noticed" });
  await builtin.stop();
  await builtin.stop();
  await new Promise((resolve) => setTimeout(resolve, 400));
  expect(builtin.pid()).toBeUndefined();
});

test.runIf(process.platform === "linux")(
  "built-in services: Ctrl-C in the terminal does not reach them, and the detector has a lower priority",
  async () => {
    const detector = await start("detector");
    const model = await start("language_model");
    const group = async (pid: number | "self") => (await statOf(pid))[2];
    expect(await group(pidOf(detector))).not.toBe(await group("self"));
    expect(await group(pidOf(model))).not.toBe(await group("self"));
    expect(getPriority(pidOf(detector))).toBe(Math.min(19, getPriority() + 5));
  },
);

test("built-in services: they exit within a second when the parent is killed", async () => {
  const parent = fork(await bundled("test/daemon/builtin/parent-of-builtins.mjs"), [], { execArgv: [] });
  const pids = await new Promise<number[]>((resolve) => parent.once("message", (message) => resolve(message as number[])));
  expect(await Promise.all(pids.map(lives))).toEqual([true, true]);
  parent.kill("SIGKILL");
  await eventually(async () => !(await Promise.all(pids.map(lives))).includes(true), { what: "the end of the orphans" });
});

test("built-in services: one that does not fit into the memory limit is not started, and says so with the fix", () => {
  const conditions: Condition[] = [];
  const memoryBytes = 256 * 1024 * 1024;
  const onCondition = (condition: Condition) => void conditions.push(condition);
  for (const name of ["language_model", "detector", "enrichment"] as const) {
    started.push(startBuiltin(name, { log: silentLog, memoryBytes, onCondition }));
  }
  const [model, detector, enrichment] = started;
  expect([model?.pid(), detector?.pid(), enrichment?.pid()]).toEqual([expect.any(Number), undefined, undefined]);
  expect(conditions.map(faultOf)).toEqual([
    expect.stringMatching(/memory limit of 256 MiB: raise the limit to 512 MiB .*DETECTOR_URL/),
    expect.stringMatching(/memory limit of 256 MiB: .*VISION_EXTRACTION_ENABLED=false/),
  ]);
});

test("built-in services: one that is killed again and again says that memory may have run out, although it works in between", async () => {
  const conditions: Condition[] = [];
  const builtin = startBuiltin("language_model", { log: silentLog, onCondition: (condition) => void conditions.push(condition) });
  started.push(builtin);
  await builtin.ready;
  for (let kills = 0; kills < 3; kills += 1) {
    await eventually(() => builtin.condition().state === "working", { what: "the service" });
    const pid = pidOf(builtin);
    process.kill(pid, "SIGKILL");
    await eventually(() => builtin.pid() !== pid, { what: "the death to be noticed" });
  }
  const faults = conditions.map(faultOf).filter((fault) => fault !== undefined);
  expect(faults).toEqual([expect.stringMatching(/most likely because memory ran out .*MemoryMax.*3 times within ten minutes/)]);
  await eventually(() => builtin.condition().state === "working", { what: "the service after that" });
});
