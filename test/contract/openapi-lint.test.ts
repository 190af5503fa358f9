import { join } from "node:path";
import { createConfig, lint } from "@redocly/openapi-core";
import { expect, test } from "vitest";

test("docs/openapi.json passes a public linter's recommended rules without an error or a warning", async () => {
  const config = await createConfig({ extends: ["recommended"] });
  const problems = await lint({ ref: join(import.meta.dirname, "../../docs/openapi.json"), config });
  expect(problems.map(({ severity, ruleId, message, location }) => `${severity} ${ruleId}: ${message} at ${location[0]?.pointer}`)).toEqual(
    [],
  );
});
