import { readFileSync } from "node:fs";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { filters } from "../../src/alerting/templates/filters/index.ts";
import { methodNames } from "../../src/alerting/templates/methods.ts";
import { compileTemplate, renderTemplate, TemplateError } from "../../src/alerting/templates/template.ts";
import { tests as templateTests } from "../../src/alerting/templates/tests.ts";
import { Problem } from "../../src/contract/problem.ts";
import { type Desk, openDesk } from "../support/operations.ts";
import { mutated } from "./bytes.ts";
import { cpuMsOf, holds, testTimeoutMs } from "./support.ts";

const { cases, context } = JSON.parse(readFileSync(new URL("../fixtures/templates/more-cases.json", import.meta.url), "utf8")) as {
  readonly cases: readonly { readonly template: string }[];
  readonly context: Readonly<Record<string, unknown>>;
};
const page = readFileSync(new URL("../../docs/templates.md", import.meta.url), "utf8");
const examples = [...page.matchAll(/```jinja\n([\s\S]*?)```/g)].map((match) => match[1] ?? "");
const sources = [...cases.map(({ template }) => template), ...examples];
const bases = Object.fromEntries(sources.map((source, at) => [`${at}`, Buffer.from(source)]));
/** The text, or the template error with line and name. Any other error is a failure. */
function rendered(source: string, values: Readonly<Record<string, unknown>>): string | TemplateError {
  try {
    return renderTemplate(compileTemplate(source), values);
  } catch (error) {
    if (error instanceof TemplateError) return error;
    throw error;
  }
}

/** The limit is 100 ms. The margin covers loaded machines and work that cannot be interrupted, because template and test share the CPU. */
const mostMs = 1_500;

test("fuzz templates: there are enough templates to start from", () => {
  expect(Object.keys(bases).length).toBeGreaterThan(50);
});

test(
  "fuzz templates: any payload template is rendered within its limits or explains its error",
  async () => {
    await holds(mutated(bases), { few: 300, many: 50_000 }, async ({ bytes }) => {
      let result: string | TemplateError = "";
      const cpuMs = await cpuMsOf(() => {
        result = rendered(bytes.toString(), context);
      });
      if (typeof result === "string") expect((result as string).length).toBeLessThanOrEqual(65_536);
      expect(cpuMs).toBeLessThan(mostMs);
    });
  },
  testTimeoutMs,
);

const hard = [
  "<",
  "<!--",
  "&",
  "&#",
  "&amp",
  " ",
  "\n",
  "a ",
  "a",
  "0",
  "%",
  "%s",
  "{",
  "\\",
  '"',
  "'",
  "http://a.",
  "@",
  "é",
  "😀",
  "a@b.",
  "<a ",
  "\t\n",
].map((piece) => piece.repeat(Math.floor(200_000 / piece.length)));

/** Each filter, test and method with the arguments that most of them accept. */
const calls = [
  ...[...filters.keys()].flatMap((name) => [`x|${name}`, `x|${name}(3)`, `x|${name}('a')`, `x|${name}('a', 'b')`, `x|${name}(100000)`]),
  ...[...methodNames].flatMap((name) => [`x.${name}()`, `x.${name}(3)`, `x.${name}('a')`, `x.${name}('a', 'b')`]),
  ...[...templateTests.keys()].filter((name) => /^\w+$/.test(name)).map((name) => `x is ${name}`),
  ...["x % 5", "x ~ x", "x * 5", "x[::2]", "x in x", "x == x ~ 'a'", "x < x", "x|int + 1", "x|float"],
];

test(
  "fuzz templates: every filter, test and method ends quickly on long, hard texts",
  async () => {
    const inputs = fc.record({ call: fc.constantFrom(...calls), x: fc.constantFrom(...hard), y: fc.constantFrom(...hard) });
    const used: string[] = [];
    await holds(inputs, { few: 70, many: 8_000 }, async ({ call, x, y }) => {
      used.push(call);
      const cpuMs = await cpuMsOf(() => {
        rendered(`{{ (${call})|string|length }}`, { x });
        rendered(`{{ (${call})|string|length }}`, { x: [x, y, x] });
      });
      expect(cpuMs, `${call} of ${JSON.stringify(x.slice(0, 8))}`).toBeLessThan(mostMs);
    });
    expect(new Set(used).size).toBeGreaterThan(30);
  },
  testTimeoutMs,
);

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
});
afterAll(() => desk.close());

test(
  "fuzz templates: a webhook accepts any template or explains its error",
  async () => {
    let count = 0;
    await holds(mutated(bases), { few: 30, many: 2_000 }, async ({ bytes }) => {
      count += 1;
      const body = { name: `hook ${count}`, url: "http://127.0.0.1:9/x", event_types: ["alert_fired"], payload_template: bytes.toString() };
      try {
        await desk.ask("createWebhook", { body });
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        expect(error.kind).toBe("invalid");
      }
    });
  },
  testTimeoutMs,
);
