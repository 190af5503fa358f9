import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { filters } from "../../../src/alerting/templates/filters/index.ts";
import { functionNames } from "../../../src/alerting/templates/functions.ts";
import { methodNames } from "../../../src/alerting/templates/methods.ts";
import { compileTemplate, renderTemplate } from "../../../src/alerting/templates/template.ts";
import { tests } from "../../../src/alerting/templates/tests.ts";

const page = readFileSync(new URL("../../../docs/templates.md", import.meta.url), "utf8");
const examples = [...page.matchAll(/```jinja\n([\s\S]*?)```/g)].map((match) => match[1] ?? "");
const data = {
  camera_id: "front_door",
  risk_score: 82,
  risk_level: "high",
  summary: 'A person "near" the <door>',
  object_types: ["person", "car", "person"],
};
const values = { event_type: "event_created", timestamp: "2026-11-21T04:00:00Z", webhook_id: "w", delivery_id: "d", data, ...data };

test("template page: every example renders the promised JSON", () => {
  expect(examples.map((example) => JSON.parse(renderTemplate(compileTemplate(example), values)))).toEqual([
    { text: data.summary, camera: "front_door", urgent: true },
    { content: `event_created at front_door: ${data.summary}` },
    { seen: "car, person" },
    { color: "#f80", title: "Front Door" },
    { camera_id: "front_door", risk_score: 82, summary: data.summary },
  ]);
});

test("template page: lists exactly the filters, tests and functions that exist", () => {
  const listed = (title: string) => {
    const after = page.slice(page.indexOf(`- **${title}:**`));
    return (/`([^`]*)`/.exec(after)?.[1] ?? "").split(/\s+/).sort();
  };
  expect(listed("Filters")).toEqual([...filters.keys()].sort());
  expect(listed("Tests")).toEqual([...tests.keys()].filter((name) => /\w/.test(name)).sort());
  expect(listed("Functions")).toEqual([...functionNames].sort());
  const methods = page.slice(page.indexOf("- **Methods of texts:**"), page.indexOf("## Differences"));
  const named = [...methods.matchAll(/`([^`]*)`/g)].flatMap((match) => (match[1] ?? "").split(/\s+/));
  expect([...new Set(named)].sort()).toEqual([...methodNames].sort());
});
