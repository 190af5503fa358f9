import { afterEach, describe, expect, test } from "vitest";
import { systemClock } from "../../../src/base/clock/clock.ts";
import { silentLog } from "../../../src/base/log/log.ts";
import { Breaker } from "../../../src/monitoring/upstream/breaker.ts";
import { createLanguageModel, type LanguageModelOptions } from "../../../src/monitoring/upstream/language-model.ts";
import { referencePicture } from "../../../src/monitoring/upstream/reference.ts";
import { eventually } from "../../support/eventually.ts";
import { type ModelServerName, modelServer, type Quirks } from "../../support/model-servers.ts";
import { verdictText } from "../../support/upstream.ts";
import { eventFacts } from "./event-facts.ts";

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each.close();
});

async function bench(server: ModelServerName, quirks: Quirks = {}, options: Partial<LanguageModelOptions> = {}) {
  const standIn = await modelServer(server, quirks);
  const breaker = new Breaker("language_model", { clock: systemClock });
  const model = createLanguageModel({
    url: standIn.url,
    breaker,
    clock: systemClock,
    log: silentLog,
    timeoutMs: 10_000,
    pictures: "local",
    ...options,
  });
  opened.push(standIn, model);
  return { standIn, breaker, model };
}

const judged = (riskScore = 42) => expect.objectContaining({ kind: "judged", verdict: expect.objectContaining({ riskScore }) });
const pictures = [referencePicture, referencePicture];
const long = eventFacts({
  readings: Array.from({ length: 40 }, (_, n) => ({ kind: "text" as const, objectType: "person", content: `${n} ${"lorem ".repeat(80)}` })),
});

/** How each server is set up: nothing but its address where it has one model. */
const servers: readonly [ModelServerName, string, Partial<LanguageModelOptions>][] = [
  ["openAi", "openai", { key: "sk-test" }],
  ["lmStudio", "openai", {}],
  ["vllm", "openai", {}],
  ["llamaCpp", "completion", {}],
  ["llamaCpp", "openai", { api: "openai" }],
  ["ollama", "ollama", {}],
  ["gemini", "gemini", { api: "gemini", key: "AIza-test" }],
];

describe.each(servers)("language model %s with the API %s", (server, api, options) => {
  test("answers with nothing but its address and key, and the API is found out once", async () => {
    const { model, standIn } = await bench(server, { ...(options.key !== undefined && { key: options.key }) }, options);
    expect(await model.judge(eventFacts())).toEqual(judged());
    expect(model.facts()).toMatchObject({ api });
    const asked = standIn.questions.length;
    expect(await model.judge(eventFacts())).toEqual(judged());
    expect(standIn.questions.length).toBe(asked + 1);
    expect(await model.health(10_000)).toMatchObject({ healthy: true });
  });

  test("never sends the key in an address", async () => {
    const { model, standIn } = await bench(
      server,
      { ...(options.key !== undefined && { key: options.key }) },
      { ...options, key: options.key ?? "sk-x" },
    );
    await model.judge(eventFacts());
    expect(standIn.questions.length).toBeGreaterThan(0);
    expect(standIn.questions.map(({ path }) => path).join()).not.toMatch(/sk-|AIza/);
  });
});

const openAiLike = servers.filter(([, api]) => api === "openai");

describe.each(openAiLike)("language model %s", (server, _, options) => {
  const keyed = options.key === undefined ? {} : { key: options.key };

  test("is bound to a strict schema with its thinking off", async () => {
    const { model, standIn } = await bench(server, keyed, options);
    await model.judge(eventFacts());
    const { body } = standIn.questions.at(-1) ?? {};
    expect(body.response_format).toMatchObject({
      type: "json_schema",
      json_schema: { strict: true, schema: { additionalProperties: false } },
    });
    expect(body.stream).toBe(false);
  });

  test("that refuses schemas gets what it accepts, and homesec remembers that", async () => {
    const { model, standIn } = await bench(server, { ...keyed, formats: ["text"] }, options);
    expect(await model.judge(eventFacts())).toEqual(judged());
    expect(model.facts()?.traits.format).toBe("text");
    const asked = standIn.questions.length;
    expect(await model.judge(eventFacts())).toEqual(judged());
    expect(standIn.questions.length).toBe(asked + 1);
  });

  test("is heard if it streams, or writes its answer where its thoughts go", async () => {
    const streaming = await bench(server, { ...keyed, streams: true, answer: () => verdictText(61) }, options);
    expect(await streaming.model.judge(eventFacts())).toEqual(judged(61));
    const thinking = await bench(server, { ...keyed, thinks: true, answer: () => verdictText(62) }, options);
    expect(await thinking.model.judge(eventFacts())).toEqual(judged(62));
  });

  test.each([200, 400] as const)("without eyes (status %i) is asked without pictures, and homesec remembers that", async (blind) => {
    const { model, standIn } = await bench(server, { ...keyed, blind }, options);
    const first = await model.judge(eventFacts(), undefined, pictures);
    expect(first).toEqual(judged());
    expect(first).not.toHaveProperty("pictures");
    expect(model.facts()?.traits.sees).toBe(false);
    const asked = standIn.questions.length;
    await model.judge(eventFacts(), undefined, pictures);
    expect(standIn.questions.length).toBe(asked + 1);
  });

  test("with eyes gets the pictures", async () => {
    const { model } = await bench(server, keyed, options);
    expect(await model.judge(eventFacts(), undefined, pictures)).toMatchObject({ kind: "judged", pictures: 2 });
  });

  test("with a small context gets a shorter question", async () => {
    const { model, breaker } = await bench(server, { ...keyed, context: 2_048 }, options);
    expect(await model.judge(long)).toEqual(judged());
    expect(breaker.state().failure_count).toBe(0);
  });
});

test("OpenAI: a model that wants max_completion_tokens and no temperature gets that", async () => {
  const { model, standIn } = await bench("openAi", { isNewOpenAi: true, key: "sk-test" }, { key: "sk-test" });
  expect(await model.judge(eventFacts())).toEqual(judged());
  expect(standIn.questions.at(-1)?.body).not.toHaveProperty("max_tokens");
  expect(model.facts()?.traits).toMatchObject({ tokensField: "max_completion_tokens", takesTemperature: false });
});

test("OpenAI: a missing key and a wrong key are named, and the key is in no message", async () => {
  const without = await bench("openAi", { key: "sk-good" });
  expect(await without.model.judge(eventFacts())).toMatchObject({
    kind: "unavailable",
    detail: expect.stringContaining("set LANGUAGE_MODEL_KEY"),
  });
  const wrong = await bench("openAi", { key: "sk-good" }, { key: "sk-secret-and-wrong", name: "gpt-4.1-mini", api: "openai" });
  const answer = await wrong.model.judge(eventFacts());
  expect(answer).toMatchObject({ kind: "unavailable", detail: expect.stringContaining("refuses the key of LANGUAGE_MODEL_KEY") });
  expect(JSON.stringify(answer)).not.toContain("sk-secret");
});

test("LM Studio: a model that it does not have is named", async () => {
  const { model } = await bench("lmStudio", {}, { name: "absent", api: "openai" });
  expect(await model.judge(eventFacts())).toMatchObject({ kind: "unavailable", detail: expect.stringContaining("LANGUAGE_MODEL_NAME") });
});

test("a server with several models names them", async () => {
  const { model } = await bench("vllm", { models: ["a", "b"] }, { api: "openai" });
  expect(await model.judge(eventFacts())).toMatchObject({
    kind: "unavailable",
    detail: expect.stringContaining("set LANGUAGE_MODEL_NAME to one of: a, b"),
  });
});

describe("Ollama", () => {
  test("a model that is not pulled is named with the command", async () => {
    const { model } = await bench("ollama", {}, { name: "gemma3:12b" });
    const detail = expect.stringContaining("ollama pull gemma3:12b");
    expect(await model.judge(eventFacts())).toMatchObject({ kind: "unavailable", detail });
    expect(await model.health(10_000)).toMatchObject({ healthy: false, error: detail });
  });

  test("loading longer than the time limit is no failure: health says it, and the event is judged afterwards", async () => {
    const { model, breaker } = await bench("ollama", { loadMs: 1_500 }, { timeoutMs: 200 });
    expect(await model.judge(eventFacts())).toMatchObject({
      kind: "unavailable",
      reason: "busy",
      detail: expect.stringContaining("loading its model"),
    });
    expect(await model.health(10_000)).toMatchObject({
      healthy: false,
      starting: true,
      error: expect.stringContaining("loading its model"),
    });
    expect(breaker.state().failure_count).toBe(0);
    await eventually(async () => expect(await model.judge(eventFacts())).toEqual(judged()));
    expect(breaker.state().failure_count).toBe(0);
  });

  test("gets a context that holds the question, the schema, and no thoughts", async () => {
    const { model, standIn } = await bench("ollama", { answer: (prompt) => verdictText(prompt.startsWith("You judge") ? 71 : 0) });
    expect(await model.judge(long, undefined, pictures)).toMatchObject({ kind: "judged", pictures: 2, verdict: { riskScore: 71 } });
    const { body } = standIn.questions.at(-1) ?? {};
    expect(body).toMatchObject({ think: false, stream: false, keep_alive: "30m", options: { num_ctx: 8_192 } });
    expect(body.format.properties).toHaveProperty("risk_score");
  });

  test("is heard if it streams lines or thinks, and asked without pictures if it has no eyes", async () => {
    const streaming = await bench("ollama", { streams: true, answer: () => verdictText(61) });
    expect(await streaming.model.judge(eventFacts())).toEqual(judged(61));
    const thinking = await bench("ollama", { thinks: true, answer: () => verdictText(62) });
    expect(await thinking.model.judge(eventFacts())).toEqual(judged(62));
    for (const blind of [200, 400] as const) {
      const { model } = await bench("ollama", { blind });
      expect(await model.judge(eventFacts(), undefined, pictures)).toEqual(judged());
      expect(model.facts()?.traits.sees).toBe(false);
    }
  });
});

describe("Gemini", () => {
  const access = { api: "gemini", key: "AIza-test" } as const;

  test("a wrong key is named although its status is 400", async () => {
    const { model } = await bench("gemini", {}, { ...access, key: "AIza-wrong" });
    expect(await model.judge(eventFacts())).toMatchObject({
      kind: "unavailable",
      detail: expect.stringContaining("refuses the key of LANGUAGE_MODEL_KEY"),
    });
  });

  test("a model that always thinks is read without its thoughts", async () => {
    const { model } = await bench("gemini", { thinks: true }, access);
    expect(await model.judge(eventFacts(), undefined, pictures)).toMatchObject({ kind: "judged", pictures: 2, verdict: { riskScore: 42 } });
    expect(model.facts()?.traits.takesThinking).toBe(false);
  });

  test("a model that does not exist is named", async () => {
    const { model } = await bench("gemini", {}, { ...access, name: "gemini-0" });
    expect(await model.judge(eventFacts())).toMatchObject({ kind: "unavailable", detail: expect.stringContaining("LANGUAGE_MODEL_NAME") });
  });
});

test("the prompt and the answer are in the language of the home", async () => {
  const prompts: string[] = [];
  const answer = (prompt: string): string => {
    prompts.push(prompt);
    return verdictText(1);
  };
  for (const language of ["de-AT", "fr"]) {
    const { model } = await bench("ollama", { answer }, { language });
    await model.judge(eventFacts());
  }
  expect(prompts[0]).toContain("Du beurteilst Ereignisse");
  expect(prompts[1]).toContain("in French");
});
