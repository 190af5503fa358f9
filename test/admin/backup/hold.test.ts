import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { backUp } from "../../../src/admin/backup/backup.ts";
import { restore } from "../../../src/admin/backup/restore.ts";
import { systemClock } from "../../../src/base/clock/clock.ts";
import { type TestDatabase, testDatabase } from "../../support/database.ts";
import { temporaryFolder } from "../../support/temporary.ts";

let folder: ReturnType<typeof temporaryFolder>;
let from: TestDatabase;
let to: TestDatabase;

beforeEach(async () => {
  folder = temporaryFolder("hold");
  [from, to] = await Promise.all([testDatabase(), testDatabase()]);
  await from.db.transaction(async (sql) => {
    const [hour, soon, later] = [new Date(Date.now() - 3_600_000), new Date(Date.now() - 1_800_000), new Date(Date.now() + 3_600_000)];
    const metadata = { rule_name: "Night", matched_conditions: [], channels: [], reason: null };
    const [waiting, partial, hook, delivery] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
    await sql`insert into cameras (camera_id, name, folder_path) values ('yard', 'Yard', 'yard')`;
    await sql`insert into events (camera_id, started_at, ended_at) values ('yard', ${hour}, ${hour})`;
    for (const [alert, status] of [
      [waiting, "pending"],
      [partial, "delivered"],
    ] as const) {
      await sql`
        insert into alerts (alert_id, event_id, rule_name, camera_id, severity, status, dedup_key, created_at, updated_at, alert_metadata)
        values (${alert}, 1, 'Night', 'yard', 'high', ${status}, 'yard', ${hour}, ${hour}, ${sql.json(metadata)})
      `;
    }
    const notified = [
      { notification_id: waiting, alert_id: waiting, kind: "alert", channel: "email", status: "waiting", unreached: null },
      { notification_id: partial, alert_id: partial, kind: "alert", channel: "email", status: "sent", unreached: ["you@example.org"] },
    ];
    for (const row of notified) await sql`insert into notifications ${sql({ ...row, expires_at: later, created_at: hour })}`;
    await sql`insert into digests (alert_id, due_at, channels) values (${partial}, ${hour}, '{email}')`;
    await sql`
      insert into silences (silence_id, camera_id, reason, created_at, ends_at)
      values (${randomUUID()}, 'yard', 'over', ${hour}, ${soon}), (${randomUUID()}, 'yard', 'lasts', ${hour}, ${later})
    `;
    await sql`
      insert into webhooks (webhook_id, name, url, event_types, integration_type, sealed_secret, max_retries, retry_delay_seconds, created_at, updated_at)
      values (${hook}, 'Chat', 'http://127.0.0.1:9/', '{event_created}', 'generic', '\\x00', 4, 10, ${hour}, ${hour})
    `;
    await sql`
      insert into webhook_deliveries (delivery_id, webhook_id, event_type, event_id, data, emitted_at, status, created_at, message_id)
      values (${delivery}, ${hook}, 'event_created', '1', '{}', ${hour}, 'retrying', ${hour}, ${delivery})
    `;
    for (const subject of [`notification:${waiting}`, `notification:${partial}`, `delivery:${delivery}`]) {
      await sql`insert into jobs (queue, subject, position, available_at) values ('deliver', ${subject}, ${hour}, ${hour})`;
    }
  });
});
afterEach(async () => {
  await Promise.all([from.close(), to.close()]);
  await folder.remove();
});

async function restored(outstanding: "hold" | "send") {
  const path = join(folder.path, "home.backup");
  const common = { path, clock: systemClock };
  await backUp({ ...common, db: from.db, replace: true, host: "home", cameraRoot: "/srv/cameras", version: "1.2.3" });
  const fitting = { roots: ["/srv/cameras"], outstanding };
  const { held } = await restore({ ...common, db: to.db, replace: true, alone: true, fitting });
  const [state] = await to.db.query(
    (sql) => sql`
      select
        (select array_agg(n.status order by n.status) from notifications n) as notifications,
        (select count(*) from notifications n where n.unreached is not null) as unreached,
        (select array_agg(a.status order by a.status) from alerts a) as alerts,
        (select array_agg(j.status order by j.status) from jobs j) as jobs,
        (select d.status from webhook_deliveries d) as delivery,
        (select count(*) from digests d where d.closed_at is null) as digests,
        (select array_agg(s.reason order by s.reason) from silences s where s.told_at is null) as silences
    `,
  );
  const [reason] = await to.db.query((sql) => sql`select a.alert_metadata ->> 'reason' as reason from alerts a where a.status = 'pending'`);
  return { held, ...state, reason: String(reason?.["reason"]) };
}

it("restore: holds back what was outstanding as dead letters, and drops digests and summaries of ended silences", async () => {
  const { reason, ...state } = await restored("hold");
  expect(state).toEqual({
    ...{ held: 2, notifications: ["failed", "sent"], unreached: 0, alerts: ["delivered", "pending"], jobs: ["dead", "dead"] },
    ...{ delivery: "failed", digests: 0, silences: ["lasts"] },
  });
  expect(reason).toMatch(/^email: held back: the database was restored at /);
});

it("restore: sends what was outstanding if it is asked to", async () => {
  expect(await restored("send")).toMatchObject({
    ...{ held: 0, notifications: ["sent", "waiting"], unreached: 1, jobs: ["pending", "pending", "pending"] },
    ...{ delivery: "retrying", digests: 1, silences: ["lasts", "over"] },
  });
});
