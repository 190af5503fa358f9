import postgres from "postgres";
import { afterAll, expect, test } from "vitest";
import { attachEmbeddedPostgres } from "../../src/platform/database/embedded-postgres.ts";
import { eventually } from "../support/eventually.ts";
import { serveHomesec } from "../support/homesec-process.ts";
import { receiver } from "../support/receiver.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { allDone, judge } from "./invariants/invariants.ts";
import { flappingReceiver } from "./support/flapping.ts";
import { report } from "./support/report.ts";
import { isLong, patienceMs, scale } from "./support/scale.ts";
import { chanceOf } from "./support/seed.ts";
import { post } from "./support/send.ts";

const kills = scale("CHAOS_DELIVERY_KILLS", { short: 1, long: 100 });
const chance = chanceOf("deliveries");
const folder = temporaryFolder("deliveries");
afterAll(() => folder.remove());

test.skipIf(!isLong)(
  `chaos: ${kills} kill -9 under load with flapping receivers: no delivery is lost, and repeats carry the same webhook-id`,
  async () => {
    const flapping = await flappingReceiver();
    const gone = await receiver(() => ({ status: 404 }));
    const env = { DATA_DIR: folder.path, WEBHOOK_TIMEOUT_SECONDS: "5" };
    let daemon = await serveHomesec(env);
    await post(`${daemon.url}/api/cameras`, { name: "yard" });
    for (const [url, max_retries] of [
      [flapping.url, 10],
      [flapping.url, 10],
      [gone.url, 1],
    ] as const) {
      const created = await post(`${daemon.url}/api/outbound-webhooks`, {
        name: "hook",
        url,
        event_types: ["event_created"],
        max_retries,
        retry_delay_seconds: 1,
      });
      expect(created.status).toBe(201);
    }

    const stored = new Set<number>();
    let n = 0;
    const load = async (): Promise<void> => {
      const events = Array.from({ length: 10 }, () => ({
        camera_id: "yard",
        started_at: new Date(1_767_225_600_000 + 1000 * n++).toISOString(),
      }));
      const answer = await post(`${daemon.url}/api/events/bulk`, { events }).catch(() => undefined);
      for (const { id } of (answer?.body as { results?: { id: number | null }[] } | undefined)?.results ?? [])
        if (id !== null) stored.add(id);
    };
    for (let round = 0; round < kills; round += 1) {
      const until = performance.now() + chance.between(200, 700);
      for (let batch = 0; batch < 5 && performance.now() < until; batch += 1) await load();
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, until - performance.now())));
      daemon.kill("SIGKILL");
      await daemon.exit;
      daemon = await serveHomesec(env);
    }

    // Deliveries with the longest wait need not fail again.
    flapping.answerWith(() => ({ status: 200 }));
    const address = await attachEmbeddedPostgres(folder.path);
    if (!address) throw new Error("the embedded server does not run");
    const sql = postgres({ host: address.socketDir, port: address.port, database: address.database, username: address.user, max: 1 });
    try {
      await eventually(
        async () => {
          const [left] = await sql<
            { n: number }[]
          >`select count(*)::int as n from webhook_deliveries d where d.status in ('pending', 'retrying')`;
          return left?.n === 0;
        },
        { timeoutMs: patienceMs, what: "the end of the last delivery" },
      );
      const rows = await sql<
        { event_id: string; url: string; status: string; message_id: string; error_message: string | null; dead: boolean }[]
      >`
      select d.event_id, w.url, d.status, d.message_id, d.error_message,
        exists (select 1 from jobs j where j.subject = 'delivery:' || d.delivery_id and j.status = 'dead') as dead
      from webhook_deliveries d
      join webhooks w using (webhook_id)
    `;
      for (const id of stored) expect(rows.filter(({ event_id }) => event_id === String(id)).length, `event ${id}`).toBe(3);
      // Failed with a reason and as a dead letter, or received under its message id.
      const received = new Set([...flapping.received, ...gone.received].map(({ headers }) => String(headers["webhook-id"])));
      for (const row of rows) {
        if (row.status === "failed") expect([row.dead, (row.error_message ?? "").length > 0]).toEqual([true, true]);
        else expect([row.status, received.has(row.message_id)]).toEqual(["success", true]);
        if (row.url === gone.url) expect(row.status).toBe("failed");
      }
      const known = new Map(rows.map(({ message_id, event_id }) => [message_id, event_id]));
      for (const { headers, body } of flapping.received) {
        expect(known.get(String(headers["webhook-id"]))).toBe(String((JSON.parse(body) as { data: { id: number } }).data.id));
      }
      const [counted] = await sql<{ wrong: number }[]>`
      select count(*)::int as wrong
      from webhooks w
      where w.total_deliveries <> (select count(*) from webhook_deliveries d where d.webhook_id = w.webhook_id)
        or w.successful_deliveries <> (select count(*) from webhook_deliveries d where d.webhook_id = w.webhook_id and d.status = 'success')
    `;
      expect(counted?.wrong).toBe(0);
    } finally {
      await sql.end({ timeout: 1 });
    }
    const rows = { dataDir: folder.path };
    await allDone(rows);
    const arrived = [...flapping.received, ...gone.received].map(({ headers }) => String(headers["webhook-id"]));
    const { violations, figures } = await judge(rows, { acknowledged: stored, arrived });
    expect(violations).toEqual([]);
    report("kill -9, receivers flapping", { kills, acknowledged: stored.size, ...figures });
    daemon.kill("SIGTERM");
    expect((await daemon.exit).code).toBe(0);
    await Promise.all([flapping.close(), gone.close()]);
  },
  3_600_000,
);
