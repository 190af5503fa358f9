import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readCompletion } from "../../../src/monitoring/upstream/completion.ts";
import { UpstreamFailure } from "../../../src/monitoring/upstream/http.ts";

const read = (answer: unknown) => readCompletion(JSON.stringify(answer));
const verdict = { risk_score: 42, summary: "s", reasoning: "r" };

/** Name, the server's answer, and the text in it. */
const places: [name: string, answer: unknown, text: string][] = [
  ["content", { content: "x" }, "x"],
  ["Ollama, generate", { response: "x", done: true }, "x"],
  ["Ollama, chat", { message: { role: "assistant", content: "x" } }, "x"],
  ["OpenAI, completions", { choices: [{ text: "x" }] }, "x"],
  ["OpenAI, chat", { choices: [{ message: { content: "x" } }] }, "x"],
  ["text", { text: "x" }, "x"],
  ["a list, as of text-generation-inference", [{ generated_text: "x" }], "x"],
  ["parts", { content: [{ type: "text", text: "x" }, { type: "image" }, { type: "text", text: "y" }] }, "xy"],
  ["empty content, text elsewhere", { content: "", choices: [{ message: { content: " \n" } }], response: "x" }, "x"],
  ["empty content, thoughts", { content: "", reasoning_content: "x" }, "x"],
  ["empty chat content, thoughts", { choices: [{ message: { content: "", reasoning_content: "x" } }] }, "x"],
  ["null content, thoughts of Ollama", { message: { content: null, thinking: "x" } }, "x"],
  ["thoughts beside an answer", { content: "x", reasoning_content: "y" }, "x"],
  ["a tool call", { choices: [{ message: { content: null, tool_calls: [{ function: { name: "f", arguments: "x" } }] } }] }, "x"],
  [
    "a tool call with parsed arguments",
    { message: { content: "", tool_calls: [{ function: { arguments: verdict } }] } },
    JSON.stringify(verdict),
  ],
  ["a function call", { choices: [{ message: { function_call: { arguments: "x" } } }] }, "x"],
  ["a parsed verdict as content", { content: verdict }, JSON.stringify(verdict)],
  ["the verdict itself", verdict, JSON.stringify(verdict)],
  ["empty everywhere", { content: "", response: "" }, ""],
];

test.each(places)("completion: the text is found in %s", (_, answer, text) => {
  expect(read(answer).content).toBe(text);
});

describe("completion: an answer is unreadable", () => {
  test.each([[{}], [null], [5], ["x"], [[]], [[["x"]]], [{ content: null }], [{ content: {} }], [{ choices: [] }], [{ error: "x" }]])(
    "%j",
    (answer) => {
      expect(() => read(answer)).toThrow(UpstreamFailure);
      expect(() => read(answer)).toThrow('the answer has no text in "content"');
    },
  );
});

test("completion: the name of the model is a text or missing", () => {
  expect(read({ content: "x", model: "m" }).model).toBe("m");
  expect([read({ content: "x", model: 5 }).model, read({ content: "x" }).model]).toEqual(["", ""]);
});

test("completion: any JSON is read or unreadable, and no inherited field is a text", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom("content", "message", "choices", "constructor"), (value, name) => {
      for (const answer of [value, { [name]: value }, { choices: [{ message: value }] }]) {
        try {
          expect(typeof read(answer).content).toBe("string");
        } catch (error) {
          expect(error).toBeInstanceOf(UpstreamFailure);
        }
      }
    }),
    { numRuns: 1_000 },
  );
});
