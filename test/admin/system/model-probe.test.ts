import { afterEach, describe, expect, test } from "vitest";
import { type ModelServerName, modelServer, type Quirks } from "../../support/model-servers.ts";
import { openDesk } from "../../support/operations.ts";
import { verdictText } from "../../support/upstream.ts";

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each.close();
});

/** Probes one server with these variables; `timeout` in seconds. */
async function probe(server: ModelServerName, quirks: Quirks = {}, env: Readonly<Record<string, string>> = {}, timeout = 20) {
  const standIn = await modelServer(server, quirks);
  const desk = await openDesk({ LANGUAGE_MODEL_URL: standIn.url, LANGUAGE_MODEL_PICTURES: "local", ...env });
  opened.push(standIn, desk);
  const { models } = await desk.ask("probeModels", { query: `timeout_seconds=${timeout}` });
  const [first] = models;
  if (!first) throw new Error("no model was probed");
  return { first, models, standIn };
}

const asOpenAi = { LANGUAGE_MODEL_API: "openai" };

test.each<[ModelServerName, Quirks, Record<string, string>, object]>([
  ["openAi", { key: "sk-x" }, { ...asOpenAi, LANGUAGE_MODEL_KEY: "sk-x" }, { api: "openai", model: "gpt-4.1-mini", context_tokens: null }],
  ["lmStudio", { formats: ["text"] }, {}, { api: "openai", json_mode: "text", context_tokens: 16_384 }],
  ["vllm", {}, {}, { api: "openai", json_mode: "schema", context_tokens: 32_768 }],
  ["llamaCpp", {}, asOpenAi, { api: "openai", context_tokens: 8_192 }],
  ["ollama", {}, {}, { api: "ollama", model: "qwen2.5vl:7b", json_mode: "schema", context_tokens: 8_192 }],
  ["gemini", {}, { LANGUAGE_MODEL_API: "gemini", LANGUAGE_MODEL_KEY: "AIza-test" }, { api: "gemini", context_tokens: 1_048_576 }],
])("models probe: %s says what it can do", async (server, quirks, env, expected) => {
  const { first, standIn } = await probe(server, quirks, env);
  expect(first).toMatchObject({
    place: "first",
    answers: true,
    sees: true,
    seconds_per_event: expect.any(Number),
    findings: [],
    ...expected,
  });
  // The last event that was judged came with two pictures, as large as real ones.
  const pictures = [...JSON.stringify(standIn.questions.map(({ body }) => body)).matchAll(/\/9j\/[A-Za-z0-9+/=]{8000,}/g)];
  expect(pictures.length).toBe(2);
});

describe("models probe names the fault and its fix", () => {
  test.each<[string, ModelServerName, Quirks, Record<string, string>, RegExp, RegExp]>([
    [
      "a model that is not pulled",
      "ollama",
      {},
      { LANGUAGE_MODEL_NAME: "gemma3:12b" },
      /does not have the model/,
      /ollama pull gemma3:12b/,
    ],
    ["a wrong key", "openAi", { key: "sk-good" }, { ...asOpenAi, LANGUAGE_MODEL_KEY: "sk-bad" }, /refuses the key/, /correct it/i],
    ["no eyes", "lmStudio", { ignoresPictures: true }, {}, /does not see pictures.*cannot read a number/, /model with vision/],
    ["no eyes, said by an error with status 200", "ollama", { blind: 200 }, {}, /does not see pictures.*refuses/, /model with vision/],
    ["an API without pictures", "llamaCpp", {}, {}, /does not see pictures.*LANGUAGE_MODEL_API=openai/, /model with vision/],
    ["a small context", "vllm", { context: 4_096 }, {}, /context of 4096 tokens/, /--max-model-len/],
    [
      "an answer without a verdict",
      "vllm",
      { answer: () => "It looks calm." },
      {},
      /without a risk assessment.*calm/,
      /follows instructions/,
    ],
  ])("%s", async (_, server, quirks, env, text, fix) => {
    const { first } = await probe(server, quirks, env);
    expect(first.findings).toContainEqual({
      severity: expect.stringMatching(/error|warning/),
      text: expect.stringMatching(text),
      fix: expect.stringMatching(fix),
    });
    expect(JSON.stringify(first)).not.toContain("sk-");
  });

  test("a first load that takes longer than an answer may", async () => {
    const { first } = await probe("ollama", { loadMs: 2_500 }, { LANGUAGE_MODEL_READ_TIMEOUT: "1" });
    expect(first).toMatchObject({ answers: true, load_seconds: expect.any(Number) });
    expect(first.findings).toContainEqual(
      expect.objectContaining({
        text: expect.stringContaining("LANGUAGE_MODEL_READ_TIMEOUT (1 s)"),
        fix: expect.stringContaining("OLLAMA_KEEP_ALIVE"),
      }),
    );
  });

  test("a server that streams whatever it is asked: a note, since homesec reads it", async () => {
    const { first } = await probe("vllm", { streams: true });
    expect(first).toMatchObject({ answers: true, findings: [{ severity: "note", text: expect.stringContaining("streams") }] });
  });

  test("a server that is away, and the second model is probed all the same", async () => {
    const second = await modelServer("ollama", { answer: () => verdictText(7) });
    opened.push(second);
    const { models } = await probe("vllm", {}, { LANGUAGE_MODEL_URL: "http://127.0.0.1:9", LANGUAGE_MODEL_FALLBACK_URL: second.url });
    expect(models).toMatchObject([
      {
        place: "first",
        answers: false,
        sees: null,
        findings: [{ severity: "error", fix: "Start the server, or correct LANGUAGE_MODEL_URL" }],
      },
      { place: "fallback", answers: true, sees: true, findings: [] },
    ]);
  });
});

test("models probe: without a model there is nothing to probe", async () => {
  const desk = await openDesk();
  opened.push(desk);
  expect(await desk.ask("probeModels")).toEqual({ pictures: "off", models: [] });
});
