import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { compileTemplate, renderTemplate } from "../../src/templates/template.ts";

interface Cases {
  readonly context: Record<string, unknown>;
  readonly cases: readonly { readonly template: string; readonly expected: string }[];
}
const { context, cases } = JSON.parse(readFileSync(new URL("../fixtures/templates/jinja2-cases.json", import.meta.url), "utf8")) as Cases;

test.each(cases)("renders as Jinja2 does: $template", ({ template, expected }) => {
  expect(renderTemplate(compileTemplate(template), context)).toBe(expected);
});
