import { afterEach, describe, expect, test } from "vitest";
import { silentLog } from "../../../src/base/log/log.ts";
import { Breaker } from "../../../src/monitoring/upstream/breaker.ts";
import { createLanguageModel } from "../../../src/monitoring/upstream/language-model.ts";
import { readFacts } from "../../../src/monitoring/upstream/prompt.ts";
import { apiStandIn, type StandInAnswer } from "../../support/api-stand-in.ts";
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

/** The answers of a model in turn, the last one again and again. */
async function answering(...contents: readonly (string | object)[]) {
  const opened = await bench({
    answer: (_, count) => {
      const content = contents[Math.min(count, contents.length) - 1] ?? "";
      return typeof content === "string" ? { content, model: "m" } : { model: "m", ...content };
    },
  });
  return { ...opened, judgement: await opened.model.judge(eventFacts()) };
}
/** A server that answers by the token limit and the number of the request. */
async function talkingTo(answer: (limit: number, count: number) => StandInAnswer) {
  const limits: number[] = [];
  const service = await apiStandIn(({ body }) => {
    limits.push((body as { readonly max_tokens: number }).max_tokens);
    return answer(limits.at(-1) ?? 0, limits.length);
  });
  const clock = virtualClock();
  const breaker = new Breaker("language_model", { clock });
  const model = createLanguageModel({ url: service.url, breaker, clock, log: silentLog, timeoutMs: 1_000 });
  opened.push(service, model);
  return { limits, breaker, judgement: await model.judge(eventFacts()) };
}
const runOn = (...scores: readonly number[]): string => scores.map(verdictText).join("\n<facts>\n{}\n</facts>\n");
const tokensOf = (request: SeenRequest | undefined): number => JSON.parse(request?.body.toString() ?? "{}").max_tokens;

describe("a model that goes on after its answer", () => {
  test("is asked again if its verdicts differ, and the prompt says why", async () => {
    const { judgement, standIn } = await answering(runOn(85, 5), verdictText(80));
    expect(judgement).toMatchObject({ kind: "judged", verdict: { riskScore: 80 } });
    expect(judgement).not.toHaveProperty("note");
    expect(promptOf(standIn.last)).toContain("the answer has verdicts with different scores (85, 5); it must have one");
  });

  test("is not asked again if they agree", async () => {
    const { judgement, standIn } = await answering(runOn(85, 85, 85));
    expect(judgement).toMatchObject({ kind: "judged", verdict: { riskScore: 85 } });
    expect(standIn.requests).toBe(1);
  });

  test("gets its highest score if they still differ, with a note", async () => {
    const { judgement, standIn } = await answering(runOn(85, 5), runOn(7, 60));
    expect(judgement).toMatchObject({
      kind: "judged",
      verdict: { riskScore: 85 },
      answer: runOn(85, 5),
      note: "the answer has verdicts with different scores (85, 5); it must have one; after a second try, homesec kept the highest valid score",
    });
    expect(standIn.requests).toBe(2);
  });

  test("gets the score of the first answer if the second is unreadable or refused", async () => {
    expect((await answering(runOn(85, 5), "I cannot say")).judgement).toMatchObject({ kind: "judged", verdict: { riskScore: 85 } });
    const { judgement } = await talkingTo((limit, count) =>
      count === 2 && limit > 16 ? { status: 400 } : { body: { content: runOn(85, 5) } },
    );
    expect(judgement).toMatchObject({ kind: "judged", verdict: { riskScore: 85 } });
  });
});

describe("a valid score", () => {
  test("is kept without reasoning or summary after the second try", async () => {
    const { judgement, standIn } = await answering('{"risk_score": 70, "summary": "A man."}');
    expect(judgement).toMatchObject({
      kind: "judged",
      verdict: { riskScore: 70, summary: "A man.", reasoning: "" },
      note: "reasoning is missing; after a second try, homesec kept the highest valid score",
    });
    expect(standIn.requests).toBe(2);
  });

  test("is kept with lists as texts after the second try, and a complete second answer wins", async () => {
    const lists = JSON.stringify({ risk_score: 70, summary: ["A man.", "At night."], reasoning: ["One."] });
    expect((await answering(lists)).judgement).toMatchObject({
      verdict: { riskScore: 70, summary: "A man. At night.", reasoning: "One." },
    });
    expect((await answering(lists, verdictText(20))).judgement).toMatchObject({ kind: "judged", verdict: { riskScore: 20 } });
  });
});

describe("an answer that reached the token limit", () => {
  const cut = verdictText(75).slice(0, 60);
  test.each([
    ["OpenAI", { choices: [{ message: { content: cut }, finish_reason: "length" }] }],
    ["Ollama", { response: "<think>Let me see", done_reason: "length" }],
    ["llama.cpp", { content: "Let me see", stop_type: "limit" }],
    ["old llama.cpp", { content: "", stopped_limit: true }],
    ["a server that does not say so", { content: cut }],
  ])("is asked for again with more tokens: %s", async (_, first) => {
    const { judgement, standIn } = await answering(first, verdictText(75));
    expect(judgement).toMatchObject({ kind: "judged", verdict: { riskScore: 75 } });
    expect([standIn.requests, tokensOf(standIn.last)]).toEqual([2, 8_192]);
  });

  test("is not asked for again if it has a verdict", async () => {
    const { judgement, standIn } = await answering({ content: `${verdictText(75)} And then`, stop_type: "limit" });
    expect(judgement).toMatchObject({ kind: "judged", verdict: { riskScore: 75 } });
    expect(standIn.requests).toBe(1);
  });

  test("gets no more tokens if that was not its fault", async () => {
    const { standIn } = await answering("I cannot say", verdictText(1));
    expect(tokensOf(standIn.last)).toBe(2_048);
  });

  test("gives its score if it is cut off again", async () => {
    expect((await answering({ content: cut, stop_type: "limit" })).judgement).toMatchObject({ kind: "judged", verdict: { riskScore: 75 } });
  });

  test("is asked for with the usual number if the model refuses more", async () => {
    const { judgement, limits, breaker } = await talkingTo((limit, count) => {
      if (limit > 4_096) return { status: 400, body: { error: "maximum context length is 4096 tokens" } };
      return { body: { content: count === 1 ? cut : verdictText(33) } };
    });
    expect(judgement).toMatchObject({ kind: "judged", verdict: { riskScore: 33 } });
    expect(limits).toEqual([2_048, 8_192, 16, 2_048]);
    expect(breaker.state().failure_count).toBe(0);
  });
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

test.each([{}, { content: null }, { content: ["x"] }, { words: "x" }, [], { error: { message: "no model" } }])(
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
