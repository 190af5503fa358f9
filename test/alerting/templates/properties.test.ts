import fc from "fast-check";
import { expect, test } from "vitest";
import { compileTemplate, renderTemplate, TemplateError } from "../../../src/alerting/templates/template.ts";

const pieces = fc.constantFrom(
  ...[
    "{{ ",
    " }}",
    "{% ",
    " %}",
    "{%- ",
    " -%}",
    "{# ",
    " #}",
    "if ",
    "for ",
    "x ",
    " in ",
    "else",
    "endif",
    "endfor",
    "set ",
    " = ",
    "macro m(",
    ")",
    "endmacro",
  ],
  ...[
    "(",
    "[",
    "{",
    "]",
    "}",
    ",",
    ":",
    ".",
    "|",
    "~",
    "+",
    "-",
    "*",
    "**",
    "/",
    "//",
    "%",
    "==",
    "<",
    " is ",
    " not ",
    " and ",
    " or ",
    "event",
    "words",
  ],
  ...[
    "0",
    "1",
    "2.5",
    "1e300",
    "99999",
    "'a'",
    "'%s'",
    '"',
    "true",
    "none",
    "range",
    "loop",
    ".items()",
    "join",
    "map",
    "sort",
    "tojson",
    "default",
    "length",
  ],
  ...[
    "upper",
    "replace",
    "truncate",
    "groupby",
    "batch",
    "attribute=",
    "'object_type'",
    "endset",
    "with ",
    "endwith",
    "filter ",
    "call ",
    "raw ",
    "endraw ",
    "\n",
    "é😀",
  ],
);
const source = fc.oneof(
  fc.array(pieces, { maxLength: 40 }).map((all) => all.join("")),
  fc.string({ unit: "binary", maxLength: 200 }),
);
const expression = fc.array(pieces, { minLength: 1, maxLength: 12 }).map((all) => `{{ ${all.join(" ")} }}`);
const values = fc.dictionary(
  fc.oneof(fc.constantFrom("x", "event", "words", "__proto__", "constructor", "items"), fc.string()),
  fc.anything({ withDate: true, withBigInt: true, withMap: true, withNullPrototype: true }),
  { maxKeys: 6 },
);

/** The result of a template: its text, or a `TemplateError`. Any other error, and more than 300 ms of processor time, fails the test. */
function outcome(template: string, given: Record<string, unknown>): string | TemplateError {
  const before = process.cpuUsage();
  try {
    return renderTemplate(compileTemplate(template), given);
  } catch (error) {
    if (error instanceof TemplateError) return error;
    throw error;
  } finally {
    const used = process.cpuUsage(before);
    expect((used.user + used.system) / 1000).toBeLessThan(300);
  }
}

test("templates: any input renders within its limits or fails with line and name", () => {
  fc.assert(
    fc.property(fc.oneof(source, expression), values, (template, given) => {
      const result = outcome(template, given);
      if (typeof result === "string") {
        expect(result.length).toBeLessThanOrEqual(65_536);
        return;
      }
      expect(result.line).toBeGreaterThanOrEqual(1);
      expect(result.line).toBeLessThanOrEqual(template.split(/\r\n|\r|\n/).length);
      expect(result.name).not.toBe("");
      expect(result.message).toMatch(/^line \d+: \S/);
    }),
    { numRuns: 4000 },
  );
});

test("templates: text without delimiters stays unchanged", () => {
  const plain = fc.string({ unit: "binary", maxLength: 500 }).filter((text) => !/\{[{%#]/.test(text) && !/\r|\n$/.test(text));
  fc.assert(
    fc.property(plain, (text) => {
      expect(outcome(text, {})).toBe(text);
    }),
  );
});

test("templates: any JSON value survives tojson", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), fc.option(fc.integer({ min: 0, max: 4 }), { nil: null }), (value, indent) => {
      const text = outcome(indent === null ? "{{ x|tojson }}" : `{{ x|tojson(${indent}) }}`, { x: value });
      expect(JSON.parse(String(text))).toEqual(JSON.parse(JSON.stringify(value)));
      expect(text).not.toMatch(/[<>&']/);
    }),
  );
});

test("templates: integers are calculated as in Python", () => {
  const whole = fc.integer({ min: -1_000_000, max: 1_000_000 });
  fc.assert(
    fc.property(
      whole,
      whole.filter((value) => value !== 0),
      (a, b) => {
        const floor = Math.floor(a / b);
        expect(outcome("{{ a // b }} {{ a % b }} {{ a * b }} {{ a - b }}", { a, b })).toBe(
          `${floor} ${a - floor * b} ${BigInt(a) * BigInt(b)} ${a - b}`,
        );
      },
    ),
  );
});

test("templates: a given limit is enforced", () => {
  const endless = compileTemplate("{% for i in range(100000) %}{{ i }}{% endfor %}");
  const named = (limits: Parameters<typeof renderTemplate>[2]) => {
    try {
      return renderTemplate(endless, {}, limits);
    } catch (error) {
      return error instanceof TemplateError ? error.name : error;
    }
  };
  expect(named({ maxSteps: 200_000 })).toBe("steps");
  expect(named({ maxMs: 0 })).toBe("time");
  expect(renderTemplate(compileTemplate("{{ 'abc' }}"), {}, { maxOutput: 3 })).toBe("abc");
  expect(() => renderTemplate(compileTemplate("a{{ 'abc' }}"), {}, { maxOutput: 3 })).toThrow("more than 3 characters");
});

test("templates: an error states the line, the name and the fix", () => {
  expect(outcome("a\n{{ x | uper }}", {})).toMatchObject({
    line: 2,
    name: "uper",
    message: expect.stringContaining("the filters are abs,"),
  });
  expect(outcome("\n\n{% include 'x' %}", {})).toMatchObject({
    line: 3,
    name: "include",
    message: "line 3: {% include %} is not supported; there are no other templates; write the text here",
  });
  expect(outcome("{{ 1 }}\n{{ event.bbox.x }}", { event: {} })).toMatchObject({ line: 2, name: "bbox (of dict)" });
  expect(outcome("{% if x %}\n\n", {})).toMatchObject({ line: 1, name: "if", message: expect.stringContaining("endif") });
  expect(outcome("{{ now() }}", {})).toMatchObject({ line: 1, name: "now" });
});
