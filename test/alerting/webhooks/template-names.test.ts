import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Desk, openDesk } from "../../support/operations.ts";

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
});
afterAll(() => desk.close());

const create = (body: object) => desk.ask("createWebhook", { body: { name: "Hook", url: "http://127.0.0.1:9/", ...body } });
const refusal = async (work: Promise<unknown>): Promise<string> =>
  await work.then(
    () => "it was saved",
    (reason: unknown) => String(reason),
  );

describe("payload template: names that its event types never have are refused", () => {
  test.each([
    [
      "a misspelt name",
      ["alert_fired"],
      "{{ data.sumary }}",
      "line 1: data.sumary is never part of a message of type alert_fired; the names in data are",
    ],
    ["a name of another type", ["alert_fired"], "\n{{ data.error }}", "line 2: data.error is never part of a message of type alert_fired"],
    ["a misspelt name with a default", ["alert_fired"], "{{ data.sumary | default('') }}", "data.sumary is never part of any message"],
    ["a misspelt name in a branch", ["alert_fired"], "{% if data.risk_score > 99 %}{{ data['sumary'] }}{% endif %}", "data.sumary"],
    ["a misspelt name inside a field", ["alert_fired"], "{{ data.alert_metadata.rule }}", "the names in data.alert_metadata are rule_name"],
    [
      "a misspelt variable",
      ["alert_fired"],
      "{{ sumary }}",
      "sumary is never part of a message of type alert_fired; the names are event_type",
    ],
  ])("a template with %s, with the names that exist", async (_, event_types, payload_template, expected) => {
    expect(await refusal(create({ event_types, payload_template }))).toContain(expected);
  });

  test.each([
    ["what only one of its types has", ["alert_fired", "batch_analysis_failed"], "{{ data.error }}{{ data.dedup_key }}"],
    ["what another type has, with a default", ["alert_fired"], "{{ data.error | default('fine') }}"],
    ["what another type has, in a test", ["alert_fired"], "{% if data.error is defined %}{{ data.error }}{% endif %}"],
    [
      "its own names and any class",
      ["alert_fired"],
      "{% set x = 1 %}{% for k in data.keys() %}{{ loop.index }}{{ k }}{{ x }}{% endfor %}{{ data.object_counts.ghost }}",
    ],
    ["title and text", ["system_health_changed"], "{{ title }}: {{ text }}"],
  ])("a template may use %s", async (_, event_types, payload_template) => {
    expect(await create({ event_types, payload_template })).toMatchObject({ payload_template });
  });
});
