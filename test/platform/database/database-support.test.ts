import { afterAll, beforeAll, expect, test } from "vitest";
import { type TestDatabase, testDatabase } from "../../support/database.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.close());

test("database support: a test database has the schema", async () => {
  const rows = await database.db.query((sql) => sql`select h.last_sequence from journal_head h`);
  expect(rows).toEqual([{ last_sequence: 0 }]);
});
