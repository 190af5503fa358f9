import { expect, inject, test } from "vitest";
import { connect } from "../../src/engines/connection.ts";
import { urlTarget } from "../../src/engines/connection-target.ts";
import { silentLog } from "../../src/log/log.ts";
import { isForgotten } from "../support/forgotten.ts";

test("a session that has ended is forgotten, with all statements that it knew", async () => {
  const ended = await (async (): Promise<WeakRef<object>> => {
    const connection = await connect(urlTarget(inject("testServerUrl")), { log: silentLog, timeoutMs: 5_000 });
    const { sql } = connection;
    expect(await sql`select 1 as one ${sql`where true`}`).toMatchObject([{ one: 1 }]);
    await expect(sql`select nothing`).rejects.toThrow(/nothing/);
    await connection.end();
    return new WeakRef(Object.getPrototypeOf(sql) as object);
  })();
  expect(await isForgotten(ended)).toBe(true);
});
