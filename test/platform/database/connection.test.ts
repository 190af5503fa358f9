import { expect, inject, test } from "vitest";
import { silentLog } from "../../../src/base/log/log.ts";
import { connect } from "../../../src/platform/database/connection.ts";
import { urlTarget } from "../../../src/platform/database/connection-target.ts";
import { testDatabase } from "../../support/database.ts";
import { isForgotten } from "../../support/garbage.ts";

test("connection: an ended session is freed from memory with all its statements", async () => {
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

test("connection: times have one format, whatever the database sets", async () => {
  const database = await testDatabase({ fresh: true });
  const name = new URL(database.url).pathname.slice(1);
  const open = () => connect(urlTarget(database.url), { log: silentLog, timeoutMs: 5_000 });
  const first = await open();
  for (const setting of ["datestyle to 'SQL, DMY'", "timezone to 'Europe/Berlin'", "intervalstyle to 'iso_8601'"]) {
    await first.sql.unsafe(`alter database "${name}" set ${setting}`);
  }
  await first.end();
  const { sql, end } = await open();
  try {
    const [row] = await sql`
      select timestamptz '2026-11-12T10:00:00Z' as time, timestamptz '1800-01-01T00:00:00Z' as old,
        timestamptz '0001-01-01T00:00:00.001Z' as oldest, timestamptz '9999-12-31T23:59:59.999999Z' as newest, (timestamptz '2026-11-12T10:00:00Z')::text as text,
        interval '90 seconds' as span
    `;
    expect(row).toMatchObject({
      time: new Date("2026-11-12T10:00:00Z"),
      old: new Date("1800-01-01T00:00:00Z"),
      oldest: new Date("0001-01-01T00:00:00.001Z"),
      newest: new Date("9999-12-31T23:59:59.999Z"),
      text: "2026-11-12 10:00:00+00",
      span: "00:01:30",
    });
  } finally {
    await end();
    await database.close();
  }
});
