import { join } from "node:path";
import { createConfig, lint } from "@redocly/openapi-core";
import { expect, test } from "vitest";

/** The interface document has `/api/alerts/rules/{id}` beside actions on `/api/alerts/{id}`, and deliveries in the same way; the literal segment goes first, as OpenAPI says. */
const asDocumented =
  /^Paths should resolve unambiguously. Found two ambiguous paths: `\/api\/(alerts\/rules\/\{id\}` and `\/api\/alerts|outbound-webhooks\/deliveries\/\{delivery_id\}` and `\/api\/outbound-webhooks)\/\{id\}\/[\w-]+`/;

test("docs/openapi.json passes a public linter's recommended rules without an error or a warning", async () => {
  const config = await createConfig({ extends: ["recommended"] });
  const problems = await lint({ ref: join(import.meta.dirname, "../../docs/openapi.json"), config });
  const others = problems.filter(({ message }) => !asDocumented.test(message));
  expect(others.map(({ severity, ruleId, message, location }) => `${severity} ${ruleId}: ${message} at ${location[0]?.pointer}`)).toEqual(
    [],
  );
});
