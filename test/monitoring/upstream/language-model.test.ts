import { afterEach, expect, test } from "vitest";
import { silentLog } from "../../../src/base/log/log.ts";
import { Breaker } from "../../../src/monitoring/upstream/breaker.ts";
import { createLanguageModel } from "../../../src/monitoring/upstream/language-model.ts";
import { readFacts } from "../../../src/monitoring/upstream/prompt.ts";
import { languageModelStandIn, type SeenRequest, type StandInMode, type StandInOptions, verdictText } from "../../support/upstream.ts";
import { eventFacts } from "./event-facts.ts";
import { virtualClock } from "./virtual-clock.ts";

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each.close();
});

async function bench(options: StandInOptions = {}) {
  const standIn = await languageModelStandIn(options);
  const clock = virtualClock();
  const breaker = new Breaker("language_model", { clock });
  const model = createLanguageModel({ url: standIn.url, breaker, clock, log: silentLog, timeoutMs: 1_000 });
  opened.push(standIn, model);
  return { standIn, breaker, model, clock };
}

function promptOf(request: SeenRequest | undefined): string {
  return JSON.parse(request?.body.toString() ?? "{}").prompt;
}

test("sends prompt, max_tokens and temperature, and gives the verdict and who judged", async () => {
  const { model, standIn } = await bench();
  expect(await model.judge(eventFacts())).toEqual({
    kind: "judged",
    verdict: { riskScore: 42, summary: "Somebody walked by.", reasoning: "It was one person.", riskFactors: [] },
    analyzedBy: "stand-in",
    answer: verdictText(42),
  });
  expect(Object.keys(JSON.parse(standIn.last?.body.toString() ?? ""))).toEqual(["prompt", "max_tokens", "temperature"]);
  expect(readFacts(promptOf(standIn.last))).toEqual(eventFacts());
  expect(standIn.requests).toBe(1);
});

test("a service that does not name its model is called the language model", async () => {
  const { model } = await bench({ answer: () => ({ content: verdictText(1), model: 5 }) });
  expect(await model.judge(eventFacts())).toMatchObject({ kind: "judged", analyzedBy: "language model" });
});

test("an answer that cannot be read is asked for again, naming the error", async () => {
  const { model, standIn, breaker } = await bench({
    answer: (_, count) => ({ content: count === 1 ? '{"risk_score": 900, "summary": "s", "reasoning": "r"}' : verdictText(77) }),
  });
  expect(await model.judge(eventFacts())).toMatchObject({ kind: "judged", verdict: { riskScore: 77 } });
  expect(standIn.requests).toBe(2);
  expect(promptOf(standIn.last)).toContain("risk_score must be a whole number from 0 to 100, not 900");
  expect(breaker.state().failure_count).toBe(0);
});

test("two answers that cannot be read are the end of it, and the last one is kept", async () => {
  const { model, standIn, breaker } = await bench({ answer: (_, count) => ({ content: `I cannot\u0000 say ${count}`, model: "m" }) });
  for (let n = 0; n < 3; n += 1) {
    expect(await model.judge(eventFacts())).toMatchObject({
      kind: "unreadable",
      error: expect.stringMatching(/risk_score/),
      analyzedBy: "m",
    });
  }
  expect(await model.judge(eventFacts())).toMatchObject({ answer: "I cannot say 8" });
  expect(standIn.requests).toBe(8);
  expect(breaker.state().state).toBe("closed");
});

test("a service that fails at the second question leaves the event for later", async () => {
  const { model } = await bench({ answer: (_, count) => (count === 1 ? { content: "no" } : "no json") });
  expect(await model.judge(eventFacts())).toMatchObject({ kind: "unavailable", reason: "unreadable" });
});

test("a prompt that is refused is rejected, with the service's words", async () => {
  const { model, standIn, breaker } = await bench();
  await standIn.setMode("refuse");
  expect(await model.judge(eventFacts())).toMatchObject({ kind: "rejected", error: expect.stringContaining("status 400"), answer: null });
  expect(breaker.state().failure_count).toBe(0);
});

const failures: [StandInMode, string][] = [
  ["down", "unreachable"],
  ["hang", "timeout"],
  ["slow", "timeout"],
  ["reset", "broke_off"],
  ["cut", "broke_off"],
  ["garbage", "unreadable"],
  ["html", "unreadable"],
  ["empty", "unreadable"],
  ["huge", "unreadable"],
  ["error", "status"],
  ["redirect", "status"],
];

test.each(failures)("a language model in mode %s is unavailable (%s)", async (mode, reason) => {
  const { model, standIn, breaker } = await bench();
  await standIn.setMode(mode);
  expect(await model.judge(eventFacts())).toMatchObject({ kind: "unavailable", reason });
  expect(breaker.state().failure_count).toBe(1);
});

test.each([{}, { content: null }, { content: ["x"] }, { text: "x" }, []])(
  "an answer without text in content means later: %j",
  async (body) => {
    const { model } = await bench({ answer: () => body });
    expect(await model.judge(eventFacts())).toMatchObject({ kind: "unavailable", reason: "unreadable" });
  },
);

test("after three failures it is not asked until the trial", async () => {
  const { model, standIn, clock } = await bench();
  await standIn.setMode("error");
  for (let n = 0; n < 4; n += 1) await model.judge(eventFacts());
  expect(standIn.requests).toBe(3);
  await standIn.setMode("ok");
  clock.advance(30_000);
  expect(await model.judge(eventFacts())).toMatchObject({ kind: "judged" });
});

test("a caller that aborts gets its own reason", async () => {
  const { model, standIn } = await bench();
  await standIn.setMode("hang");
  const stop = new AbortController();
  const reason = new Error("stopping");
  setTimeout(() => stop.abort(reason), 20);
  await expect(model.judge(eventFacts(), stop.signal)).rejects.toBe(reason);
});
