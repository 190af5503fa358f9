import { afterAll, beforeAll, expect, it } from "vitest";
import { copyIn } from "../../../src/platform/database/copy.ts";
import { type TestDatabase, testDatabase } from "../../support/database.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase({ max: 1 });
});
afterAll(() => database.close());

async function* rows(text: string) {
  yield Buffer.from(text);
}

it.each([
  ["a row that is refused after the last one was sent", "events (event_id)", "x\n", /invalid input syntax/],
  ["a row with too few columns", "events (event_id, camera_id)", "1\n", /missing data/],
  ["a column that is there twice", "events (event_id, event_id)", "1\t1\n", /more than once/],
  ["a table that is not there", "nothing (a)", "1\n", /does not exist/],
])("copy in: ends with the server's error for %s, and the connection remains usable", async (_what, target, text, words) => {
  const copied = database.db.transaction((sql) => copyIn(sql.unsafe(`copy ${target} from stdin`) as never, rows(text)));
  await expect(copied).rejects.toThrow(words);
  expect(await database.db.query((sql) => sql`select count(*) as count from events`)).toEqual([{ count: 0 }]);
});
