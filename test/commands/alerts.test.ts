import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { alertView } from "../../commands/alerts/view.ts";
import { Alert } from "../../src/contract/routes/alerts.ts";
import { emptyTables } from "../support/empty-tables.ts";
import { type ServedDesk, serveDesk, ways } from "../support/served-desk.ts";

let served: ServedDesk;
const alert = "5f0c9d6e-3f6b-4f0e-9a52-0c6f1f0e7a11";
const other = "5f0c9d6e-3f6b-4f0e-9a52-0c6f1f0e7a12";

beforeAll(async () => {
  served = await serveDesk();
});
afterAll(() => served.close());

beforeEach(async () => {
  await served.desk.db.query(async (sql) => {
    await emptyTables(sql, "alerts, events, cameras, rules");
    await sql`insert into cameras (camera_id, name, folder_path) values ('front-door', 'Front door', '/a')`;
    await sql`
      insert into events (event_id, camera_id, started_at, ended_at, risk_score, risk_level, analysis_status)
      overriding system value values (42, 'front-door', '2026-03-01T11:50:00Z', '2026-03-01T11:51:00Z', 90, 'critical', 'completed')
    `;
    for (const [id, severity, status] of [
      [alert, "critical", "delivered"],
      [other, "low", "pending"],
    ] as const) {
      await sql`
        insert into alerts (alert_id, event_id, rule_id, camera_id, rule_name, severity, status, dedup_key, alert_metadata, created_at, updated_at, delivered_at)
        values (${id}, 42, null, 'front-door', 'Person at night', ${severity}, ${status}, 'front-door:x', '{"rule_name": "Person at night", "matched_conditions": ["risk_score >= 80"], "channels": [], "reason": null}',
                '2026-03-01T11:57:00Z', '2026-03-01T11:57:00Z', ${status === "delivered" ? "2026-03-01T11:57:02Z" : null})
      `;
    }
  });
});

describe.each(ways)("alerts, %s", (way) => {
  const homesec = (...args: string[]) => served.homesec(way, args);

  it("alerts: list shows all alerts, and only the matching ones with filters", async () => {
    const { code, out } = await homesec("alerts", "list", "--severity", "critical");
    expect(code).toBe(0);
    expect(out).toBe(`ID                                    WHEN       SEVERITY  STATUS     CAMERA      EVENT  RULE
${alert}  3 min ago  critical  delivered  front-door     42  Person at night
`);
    expect((await homesec("alerts", "list", "--status", "pending", "-o", "id")).out).toBe(`${other}\n`);
    expect((await homesec("alerts", "list", "--camera-id", "yard")).err).toBe(
      "no alerts\ncamera yard does not exist; `homesec cameras list` lists all cameras\n",
    );
    const { items } = JSON.parse((await homesec("alerts", "list", "--event-id", "42", "-o", "json")).out);
    expect(items).toHaveLength(2);
    expect(items[0]).toHaveProperty("alert_metadata.rule_name", "Person at night");
    expect((await homesec("alerts", "list", "--status", "loud")).code).toBe(2);
    // it may be a name, and no rule has it
    expect(await homesec("alerts", "list", "--rule-id", "x")).toMatchObject({
      code: 3,
      err: expect.stringContaining("homesec rules list"),
    });
  });

  it("alerts: show explains why the alert was raised", async () => {
    const { out } = await homesec("alerts", "show", alert);
    expect(out).toMatch(/^alert +5f0c9d6e.*\nrule +Person at night \(deleted\)\nseverity +critical\nstatus +delivered\n/);
    expect(out).toMatch(/because +the risk score is 80 or more\n/);
    const channels = [
      { channel: "email", status: "sent", reason: null, attempts: 3, late: true },
      { channel: "webhook", status: "waiting", reason: "hooks.test: nothing listens there (ECONNREFUSED)", attempts: 1, late: true },
    ];
    await served.desk.db.query(
      (sql) => sql`update alerts set alert_metadata = alert_metadata || ${sql.json({ channels })} where alert_id = ${alert}`,
    );
    expect((await homesec("alerts", "show", alert)).out).toMatch(
      /\n\nemail: sent late, 3 attempts\nwebhook: waiting {2}hooks\.test: nothing listens there \(ECONNREFUSED\)\n$/,
    );
    const missing = await homesec("alerts", "show", "nothing");
    expect([missing.code, missing.err]).toEqual([3, expect.stringContaining("`homesec alerts list` lists them.")]);
  });

  it("alerts: ack and dismiss end an alert once", async () => {
    const acknowledged = await homesec("alerts", "ack", alert, "-o", "json");
    expect(acknowledged).toMatchObject({ code: 0, err: `alert ${alert} acknowledged\n` });
    expect(JSON.parse(acknowledged.out)).toMatchObject({ id: alert, status: "acknowledged" });
    expect(await homesec("alerts", "dismiss", alert)).toMatchObject({ code: 5, err: expect.stringContaining("acknowledged") });
    expect((await homesec("alerts", "dismiss", other)).out).toMatch(/status +dismissed\n/);
    expect((await homesec("alerts", "ack", "nothing")).code).toBe(3);
  });
});

it("alerts: CSV has every field of the contract", async () => {
  expect(await alertView.fields()).toEqual(Object.keys(Alert.shape));
});
