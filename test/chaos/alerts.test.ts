import { afterAll, expect, test } from "vitest";
import type { RuleDefinition } from "../../src/alerting/rules/rule.ts";
import { insertRule } from "../../src/alerting/rules/rules-repository.ts";
import { definitionWith } from "../alerting/rules/rule-values.ts";
import { testDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { type HomesecProcess, serveHomesec } from "../support/homesec-process.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { detectorStandIn, languageModelStandIn } from "../support/upstream.ts";
import { allDone, judge } from "./invariants/invariants.ts";
import { report } from "./support/report.ts";
import { patienceMs, scale } from "./support/scale.ts";
import { chanceOf } from "./support/seed.ts";

const kills = scale("CHAOS_ALERT_KILLS", { short: 1, long: 100 });
const chance = chanceOf("alerts");
const eventsAtOnce = 10;
const folder = temporaryFolder("alerts");
afterAll(() => folder.remove());

const rule = definitionWith({ name: "each", cooldown_seconds: 0 });
const rules: readonly RuleDefinition[] = [
  { ...rule, name: "each", immediate: true },
  { ...rule, name: "scored", risk_threshold: 40 },
  { ...rule, name: "once a camera", cooldown_seconds: 3_600 },
  { ...rule, name: "never", object_types: ["bear"] },
  // An unusable channel: its alerts and digests are queued without a recipient.
  { ...rule, name: "often", risk_threshold: 0, cooldown_seconds: 1, digest: true, channels: ["push"] },
];

test(`chaos: ${kills} kill -9 while events arrive: each rule has one verdict per event, and no alert is lost or doubled`, async () => {
  const [database, detector, model] = await Promise.all([testDatabase(), detectorStandIn(), languageModelStandIn({ delayMs: 5 })]);
  const { db } = database;
  const env = { DATA_DIR: folder.path, DATABASE_URL: database.url, DETECTOR_URL: detector.url, LANGUAGE_MODEL_URL: model.url };
  await db.query(async (sql) => {
    await sql`insert into cameras (camera_id, name, folder_path) values ('yard', 'Yard', '/yard'), ('gate', 'Gate', '/gate')`;
    for (const definition of rules) await insertRule(sql, definition, new Date());
  });

  let daemon: HomesecProcess & { readonly url: string } = await serveHomesec(env);
  let coming = true;
  let sent = 0;
  const events = (async () => {
    while (coming) {
      const batch = Array.from({ length: eventsAtOnce }, (_, n) => ({
        batch_id: `batch ${sent + n}`,
        camera_id: n % 2 === 0 ? "yard" : "gate",
        started_at: new Date().toISOString(),
        // The language model scores half of them.
        ...(n % 4 < 2 && { risk_score: (sent * 7 + n * 13) % 101 }),
      }));
      const store = async () => {
        const response = await fetch(`${daemon.url}/api/events/bulk`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ events: batch }),
        });
        const { results } = (await response.json()) as { results: { status: string; error: string | null }[] };
        // A killed daemon may have stored them without replying.
        return results.every(({ status, error }) => status === "success" || error?.includes("has its event already"));
      };
      await eventually(store, { timeoutMs: patienceMs, what: "an answer to a bulk request" });
      sent += eventsAtOnce;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  })();
  for (let round = 0; round < kills; round += 1) {
    await new Promise((resolve) => setTimeout(resolve, chance.between(200, 1_000)));
    daemon.kill("SIGKILL");
    await daemon.exit;
    daemon = await serveHomesec(env);
  }
  coming = false;
  await events;

  const counted = async (what: Promise<readonly { readonly n: number }[]>) => (await what)[0]?.n;
  const unfinished = () =>
    db.query((sql) =>
      counted(sql<{ n: number }[]>`
        select (select count(*) from jobs j where j.queue in ('analyze', 'alert')) + (select count(*) from digests d where d.closed_at is null) as n
      `),
    );
  await eventually(async () => (await unfinished()) === 0, { timeoutMs: patienceMs, what: "the last verdict" });
  const total = sent * rules.length;
  const perRule = await db.query(
    (sql) => sql<{ name: string; verdicts: number; raised: number; alerts: number }[]>`
      select v.rule_name as name, count(*) as verdicts, count(*) filter (where v.outcome = 'raised') as raised, count(a.alert_id) as alerts
      from rule_verdicts v
      -- that a camera fell silent is an event of another kind
      join events e on e.event_id = v.event_id and e.kind = 'event'
      left join alerts a on a.alert_id = v.alert_id and a.event_id = v.event_id and a.rule_id = v.rule_id
      group by v.rule_name
    `,
  );
  const raised = new Map(perRule.map((row) => [row.name, row.raised]));
  expect(perRule.map(({ verdicts }) => verdicts)).toEqual(rules.map(() => sent));
  for (const row of perRule) expect(row.alerts).toBe(row.raised);
  const [facts] = await db.query(
    (sql) => sql<Record<string, number>[]>`
      select (select count(*) from events e where e.kind = 'event') as events,
        (select count(*) from events e where e.risk_score >= 40) as judged_40,
        (select count(*) from alerts) as alerts,
        (select count(*) from rule_verdicts v join events e on e.event_id = v.event_id and e.kind = 'event') as verdicts,
        (select count(*) from journal j where j.type = 'alert_created') as told,
        (select count(distinct j.data ->> 'id') from journal j where j.type = 'alert_created') as told_of,
        (select count(*) from journal j where j.type = 'alert_delivered') as delivered,
        (select count(*) from alerts a where a.status = 'delivered') as delivered_alerts,
        -- held back by nothing
        (
          select count(*)
          from rule_verdicts v
          left join alerts a on a.alert_id = v.suppressed_by
          where v.outcome = 'suppressed'
            and (a.rule_id = v.rule_id and v.evaluated_at >= a.created_at and v.evaluated_at < v.suppressed_until) is not true
        ) as unexplained,
        (select count(distinct v.suppressed_by) from rule_verdicts v where v.rule_name = 'often') as held_back_something,
        (select count(*) from notifications n where n.kind = 'digest') as digests
    `,
  );
  expect(facts).toMatchObject({ events: sent, verdicts: total, unexplained: 0 });
  const tooEarly = await db.query(
    (sql) => sql`
      select r.name, a.created_at as first, b.created_at as second, b.event_id, d.due_at, d.closed_at
      from alerts a
      join alerts b on b.dedup_key = a.dedup_key and b.alert_id <> a.alert_id
      join rules r on r.rule_id = a.rule_id
      left join digests d on d.alert_id = a.alert_id
      where r.name in ('often', 'once a camera')
        and b.created_at >= a.created_at
        and b.created_at < a.created_at + r.cooldown_seconds * interval '1 second'
        -- a digest ends its cooldown; whoever had looked at the clock a moment before, and comes after it, raises
        and (d.closed_at is not null and b.created_at >= d.due_at - interval '200 ms') is not true
    `,
  );
  expect([...tooEarly], "raised although an earlier one held it back").toEqual([]);
  expect([facts?.["told"], facts?.["told_of"]]).toEqual([facts?.["alerts"], facts?.["alerts"]]);
  expect(facts?.["delivered"]).toBe(facts?.["delivered_alerts"]);
  expect(Object.fromEntries(raised)).toMatchObject({ each: sent, scored: facts?.["judged_40"], "once a camera": 2, never: 0 });
  expect(facts?.["digests"]).toBe(facts?.["held_back_something"]);
  expect(facts?.["digests"]).toBeGreaterThan(0);

  const rows = { url: database.url };
  await allDone(rows);
  const { violations, figures } = await judge(rows);
  expect(violations).toEqual([]);
  report("kill -9 while rules judge", { kills, ...figures });
  daemon.kill("SIGTERM");
  expect((await daemon.exit).code).toBe(0);
  await Promise.all([detector.close(), model.close()]);
  await database.close();
}, 3_600_000);
