import { join } from "node:path";
import { createConfig, lint } from "@redocly/openapi-core";
import { expect, test } from "vitest";

/** The interface has these paths beside the paths of a single alert or webhook. OpenAPI prefers the literal segment. */
const asDocumented = ["/api/alerts/rules/{id}", "/api/outbound-webhooks/deliveries/{delivery_id}"];

test("openapi: docs/openapi.json passes a public linter's recommended rules without an error or a warning", async () => {
  const config = await createConfig({ extends: ["recommended"] });
  const problems = await lint({ ref: join(import.meta.dirname, "../../docs/openapi.json"), config });
  const others = problems.filter(
    ({ ruleId, message }) => !(ruleId === "no-ambiguous-paths" && asDocumented.some((path) => message.includes(`\`${path}\``))),
  );
  expect(others.map(({ severity, ruleId, message, location }) => `${severity} ${ruleId}: ${message} at ${location[0]?.pointer}`)).toEqual(
    [],
  );
});
