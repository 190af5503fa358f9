import { afterAll, beforeAll, expect, it } from "vitest";
import { firstAlertHint } from "../../daemon/first-alert.ts";
import { parseConfig } from "../../src/platform/config/parse.ts";
import { type TestDatabase, testDatabase } from "../support/database.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.close());

const mail = { SMTP_HOST: "127.0.0.1", SMTP_FROM_ADDRESS: "a@example.org", DEFAULT_EMAIL_RECIPIENTS: "b@example.org" };
const { DEFAULT_EMAIL_RECIPIENTS: _, ...unfinished } = mail;
const hint = (env: Readonly<Record<string, string>>) =>
  firstAlertHint(parseConfig({ env, isRoot: false, home: "/home/ada", cwd: "/srv" }).config, database.db, "homesec setup");
const webhook = (enabled: boolean, type: string) =>
  database.db.query(
    (sql) => sql`
      insert into webhooks (webhook_id, name, url, event_types, integration_type, enabled, sealed_secret, max_retries, retry_delay_seconds, created_at, updated_at)
      values (gen_random_uuid(), 'chat', 'http://127.0.0.1:1/', ${[type]}::text[], 'generic', ${enabled}, '\\x00', 4, 10, now(), now())
    `,
  );

it("first alert: the hint appears only while neither mail, a phone nor a webhook gets alerts", async () => {
  const line = "No mail, chat or phone gets your alerts yet. To get the first one: homesec setup";
  expect([await hint({}), await hint(unfinished)]).toEqual([line, line]);
  expect(await hint(mail)).toBeUndefined();
  expect(await hint({ DEFAULT_WEBHOOK_URL: "http://127.0.0.1:1/" })).toBeUndefined();
  expect(await hint({ NOTIFICATION_ENABLED: "false" })).toBeUndefined();
  await webhook(false, "alert_fired");
  await webhook(true, "entity_discovered");
  expect(await hint({})).toBe(line);
  await database.db.query(
    (sql) => sql`
      insert into channels (channel_id, name, kind, settings, enabled, created_at, updated_at)
      values (gen_random_uuid(), 'Phone', 'ntfy', '{}', false, now(), now())
    `,
  );
  expect(await hint({})).toBe(line);
  await database.db.query((sql) => sql`update channels set enabled = true`);
  expect(await hint({})).toBeUndefined();
  await database.db.query((sql) => sql`delete from channels`);
  await webhook(true, "alert_fired");
  expect(await hint({})).toBeUndefined();
});
