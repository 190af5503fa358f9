import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { compileTemplate, renderTemplate, TemplateError } from "../../../src/alerting/templates/template.ts";

interface Cases {
  readonly context: Record<string, unknown>;
  readonly cases: readonly { readonly template: string; readonly expected: string | null }[];
}

function read(name: string): Cases {
  return JSON.parse(readFileSync(new URL(`../../fixtures/templates/${name}`, import.meta.url), "utf8")) as Cases;
}

const required = read("jinja2-cases.json");

test.each(required.cases)("templates: render as Jinja2 does: $template", ({ template, expected }) => {
  expect(renderTemplate(compileTemplate(template), required.context)).toBe(expected);
});

test.each([
  { name: "more-cases.json", atLeast: 900, refusedAtMost: 32 },
  { name: "random-cases.json", atLeast: 1500, refusedAtMost: 75 },
])("templates: in $name none differs silently, and few are refused", ({ name, atLeast, refusedAtMost }) => {
  const { context, cases } = read(name);
  const different: unknown[] = [];
  const refused: string[] = [];
  for (const { template, expected } of cases) {
    const rendered = attempt(template, context);
    if (rendered === expected) continue;
    if (rendered === null) refused.push(template);
    else different.push({ template, expected, rendered });
  }
  expect(different).toEqual([]);
  expect(refused.length, refused.join("\n")).toBeLessThanOrEqual(refusedAtMost);
  expect(cases.length).toBeGreaterThanOrEqual(atLeast);
});

/** The output; null for an error. */
function attempt(template: string, context: Record<string, unknown>): string | null {
  try {
    return renderTemplate(compileTemplate(template), context);
  } catch (error) {
    if (error instanceof TemplateError) return null;
    throw error;
  }
}
