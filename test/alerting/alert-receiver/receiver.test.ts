import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createApp } from "../../../daemon/http/app.ts";
import { type Listening, listen } from "../../../daemon/http/listen.ts";
import { cleanUp } from "../../../src/admin/retention/cleanup.ts";
import { operations } from "../../../src/all-operations.ts";
import { keptLog } from "../../daemon/http/support.ts";
import { type Desk, openDesk } from "../../support/operations.ts";

type Body = Record<string, unknown> & { alerts: (Record<string, unknown> & { labels: Record<string, string> })[] };

let desk: Desk;
let log: ReturnType<typeof keptLog>;
let served: Listening;

beforeEach(async () => {
  desk = await openDesk();
  log = keptLog();
  // Without a runtime there is no publisher and no hub to broadcast.
  const context = { ...desk.context, log };
  served = await listen({
    app: createApp({ operations, context, log, allowedHosts: [], strictReplies: true }),
    host: "127.0.0.1",
    port: 0,
  });
});
afterEach(async () => {
  await served.close();
  await desk.close();
});

async function body(name: "firing-critical" | "firing-two-alerts" | "resolved"): Promise<Body> {
  return JSON.parse(await readFile(join(import.meta.dirname, `../../fixtures/alertmanager/${name}.json`), "utf8")) as Body;
}

async function post(sent: unknown): Promise<{ readonly status: number; readonly body: Record<string, unknown> }> {
  const response = await fetch(`http://127.0.0.1:${served.port}/api/webhooks/alerts`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: typeof sent === "string" ? sent : JSON.stringify(sent),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

const stored = async () => (await desk.ask("listReceivedAlerts")).items;
const told = () => log.lines.filter(({ message }) => message.startsWith("infrastructure alert"));

describe("messages that Alertmanager really sends", () => {
  test("alert receiver: logs, stores and broadcasts exactly the documented fields, even without clients", async () => {
    expect(await post(await body("firing-critical"))).toEqual({
      status: 200,
      body: { status: "ok", received: 1, processed: 1, message: "1 of 1 alerts processed" },
    });
    expect(await desk.journal("infrastructure_alert")).toEqual([
      {
        alertname: "DetectorDown",
        status: "firing",
        severity: "critical",
        component: "detector",
        summary: "Detector is down",
        description: "No answer from the detector for 5 minutes",
        started_at: "2026-11-21T05:00:13.790Z",
        fingerprint: "a362b9d52b5559b6",
        receiver: "homesec",
      },
    ]);
    expect(told()).toMatchObject([{ level: "error", message: "infrastructure alert firing: DetectorDown: Detector is down" }]);
    expect(await stored()).toMatchObject([
      {
        fingerprint: "a362b9d52b5559b6",
        status: "firing",
        ended_at: null,
        received_count: 1,
        generator_url: "http://prometheus.example:9090/graph",
      },
    ]);
  });

  test("alert receiver: stores a repeated alert once and counts and broadcasts each repeat; its end is another entry", async () => {
    const two = await body("firing-two-alerts");
    for (let round = 0; round < 3; round += 1) expect((await post(two)).body).toMatchObject({ received: 2, processed: 2 });
    const twice = { ...two, alerts: [two.alerts[0], two.alerts[0], two.alerts[1]] };
    expect((await post(twice)).body).toMatchObject({ received: 3, processed: 3 });
    expect((await stored()).map(({ camera_id, received_count }) => [camera_id, received_count]).toSorted()).toEqual([
      ["driveway", 5],
      ["front_door", 4],
    ]);
    expect(await desk.journal("infrastructure_alert")).toHaveLength(9);

    await post(await body("firing-critical"));
    await post(await body("resolved"));
    expect(
      (await stored()).filter(({ alertname }) => alertname === "DetectorDown").map(({ status, ended_at }) => [status, ended_at]),
    ).toEqual(
      expect.arrayContaining([
        ["firing", null],
        ["resolved", "2026-11-21T05:00:18.000Z"],
      ]),
    );
    expect((await desk.ask("listReceivedAlerts", { query: "status=RESOLVED" })).pagination.total).toBe(1);
  });
});

test.each([
  ["firing", "critical", "error"],
  ["firing", "warning", "warn"],
  ["firing", "high", "warn"],
  ["firing", "Critical", "error"],
  ["firing", "page", "info"],
  ["firing", undefined, "info"],
  ["resolved", "critical", "info"],
  ["resolved", undefined, "info"],
])("alert receiver: a %s alert of severity %s is logged as %s", async (status, severity, level) => {
  const sent = await body("firing-critical");
  const [alert] = sent.alerts;
  const labels = severity === undefined ? {} : { severity };
  expect((await post({ ...sent, alerts: [{ ...alert, status, labels }] })).status).toBe(200);
  expect(told().map((line) => line.level)).toEqual([level]);
  expect(await desk.journal("infrastructure_alert")).toMatchObject([
    { alertname: "unknown", component: "unknown", severity: severity ?? "info" },
  ]);
});

describe("required fields", () => {
  test.each(["version", "groupKey", "status", "receiver", "groupLabels", "commonLabels", "commonAnnotations", "externalURL", "alerts"])(
    "alert receiver: refuses a message without %s",
    async (field) => {
      const { [field]: _, ...rest } = await body("firing-critical");
      const answer = await post(rest);
      expect(answer.status).toBe(422);
      expect(answer.body["detail"]).toMatchObject([{ loc: ["body", field], type: "missing" }]);
    },
  );

  test.each(["status", "labels", "annotations", "startsAt", "fingerprint"])(
    "alert receiver: refuses a message whose second alert has no %s",
    async (field) => {
      const sent = await body("firing-two-alerts");
      const { [field]: _, ...rest } = sent.alerts[1] as Record<string, unknown>;
      const answer = await post({ ...sent, alerts: [sent.alerts[0], rest] });
      expect(answer.status).toBe(422);
      expect(answer.body["detail"]).toMatchObject([{ loc: ["body", "alerts", 1, field], type: "missing" }]);
      expect(await stored()).toEqual([]);
    },
  );

  test("alert receiver: ignores unknown fields and has defaults for fields that other versions leave out", async () => {
    const { truncatedAlerts: _, ...sent } = await body("firing-critical");
    const { endsAt: __, generatorURL: ___, ...alert } = sent.alerts[0] as Record<string, unknown>;
    const extended = { ...sent, version: "5", notificationReason: "new", alerts: [{ ...alert, endsAt: null, mutedBy: [] }] };
    expect((await post(extended)).body).toMatchObject({ status: "ok", processed: 1 });
  });

  test("alert receiver: names the place of invalid JSON, times and states", async () => {
    const sent = await body("firing-critical");
    const [alert] = sent.alerts;
    const detail = async (wrong: unknown) => (await post(wrong)).body["detail"] as { loc: unknown; type: string }[];
    expect(await detail("{")).toMatchObject([{ loc: ["body"], type: "json_invalid" }]);
    expect(await detail({ ...sent, alerts: [{ ...alert, startsAt: "soon" }] })).toMatchObject([
      { loc: ["body", "alerts", 0, "startsAt"], type: "datetime_parsing" },
    ]);
    expect(await detail({ ...sent, status: "unsure" })).toMatchObject([{ loc: ["body", "status"], type: "enum" }]);
    expect(await detail({ ...sent, receiver: "a\0b" })).toMatchObject([{ loc: ["body", "receiver"], type: "value_error" }]);
  });
});

/** Three-byte characters in an order that does not compress. */
function manyBytes(count: number): string {
  let state = 7;
  return Array.from({ length: count }, () => {
    state = (state * 48_271) % 2_147_483_647;
    return String.fromCharCode(0x4e00 + (state % 20_000));
  }).join("");
}

test.each([
  ["a NUL character", { annotations: { summary: "a\0b" } }],
  ["half of a surrogate pair", { labels: { alertname: "\ud800" } }],
  ["a year that no database knows", { startsAt: "0000-01-01T00:00:00Z" }],
  ["a fingerprint that no index holds", { fingerprint: "f".repeat(5_000) }],
  ["a fingerprint of few signs and many bytes", { fingerprint: manyBytes(999) }],
])("alert receiver: %s in one alert costs that alert, not the others", async (_, change) => {
  const sent = await body("firing-two-alerts");
  const answer = await post({ ...sent, alerts: [{ ...sent.alerts[0], ...change }, sent.alerts[1]] });
  expect(answer).toMatchObject({ status: 200, body: { status: "partial", received: 2, processed: 1 } });
  expect(answer.body["message"]).toContain("could not be stored");
  expect((await stored()).map(({ camera_id }) => camera_id)).toEqual(["front_door"]);
  expect(told()).toHaveLength(2);
});

test("alert receiver: accepts a message of more than a mebibyte in parts", async () => {
  const sent = await body("firing-critical");
  const [alert] = sent.alerts;
  const alerts = Array.from({ length: 1_200 }, (_, n) => ({ ...alert, fingerprint: `f${n}`, annotations: { summary: "x".repeat(1_000) } }));
  expect((await post({ ...sent, alerts, truncatedAlerts: 7 })).body).toMatchObject({
    received: 1_200,
    processed: 1_200,
    message: "1200 of 1200 alerts processed; the alert manager left out 7 more",
  });
  const seen = new Set<string>();
  for (let cursor: string | null = ""; cursor !== null; ) {
    const page: Awaited<ReturnType<typeof listPage>> = await listPage(cursor);
    for (const { fingerprint } of page.items) seen.add(fingerprint);
    cursor = page.pagination.next_cursor;
  }
  expect(seen.size).toBe(1_200);
});

const listPage = (cursor: string) => desk.ask("listReceivedAlerts", { query: `limit=500${cursor && `&cursor=${cursor}`}` });

test("alert receiver: cuts long texts in broadcasts and repeated entries, and keeps them whole in labels", async () => {
  const sent = await body("firing-two-alerts");
  for (const alert of sent.alerts) {
    alert.labels["alertname"] = "n".repeat(5_000);
    alert["annotations"] = { summary: "\u{1f600}".repeat(50_000) };
  }
  expect((await post({ ...sent, receiver: "r".repeat(100_000) })).status).toBe(200);
  for (const line of told()) expect(JSON.stringify(line).length).toBeLessThan(22_000);
  const [first] = await stored();
  expect(first?.receiver).toBe(`${"r".repeat(199)}…`);
  expect(first?.alertname).toHaveLength(200);
  expect(first?.summary).toHaveLength(100_000);
  for (const { summary } of await desk.journal("infrastructure_alert")) {
    expect(summary).toMatch(/^(\u{1f600}){4999}…$/u);
  }
});

test("alert receiver: the cleanup deletes alerts that were last received before the retention period", async () => {
  desk.at("2026-01-01T00:00:00Z");
  await post(await body("firing-two-alerts"));
  desk.at("2026-02-10T00:00:00Z");
  const sent = await body("firing-two-alerts");
  await post({ ...sent, alerts: [sent.alerts[0]] });
  await cleanUp(desk.context, { dryRun: false });
  expect((await stored()).map(({ camera_id }) => camera_id)).toEqual(["driveway"]);
});

describe("a flood of alerts", () => {
  const flood = async (count: number, change: (n: number) => object = () => ({})): Promise<Body> => {
    const sent = await body("firing-critical");
    const [alert] = sent.alerts;
    const alerts = Array.from({ length: count }, (_, n) => ({ ...alert, fingerprint: `f${n}`, ...change(n) }));
    return { ...sent, alerts } as unknown as Body;
  };

  test("alert receiver: stores the first 2,000 alerts of a message and says so, with the setting of Alertmanager", async () => {
    const answer = await post(await flood(2_500));
    expect(answer.body).toEqual({
      status: "partial",
      received: 2_500,
      processed: 2_000,
      message: "2000 of 2500 alerts processed; the limit is 2000 a message; set max_alerts of the receiver in Alertmanager",
    });
    expect((await desk.ask("listReceivedAlerts")).pagination.total).toBe(2_000);
    expect(log.lines.filter(({ level }) => level === "warn")).toMatchObject([{ fields: { received: 2_500, processed: 2_000 } }]);
  });

  test("alert receiver: writes one log line for more than ten alerts, at the highest of their levels", async () => {
    const severities = ["info", "warning", "critical"];
    await post(await flood(90, (n) => ({ labels: { alertname: `Name${n % 30}`, severity: severities[n % 3] } })));
    expect(told()).toHaveLength(1);
    expect(told()[0]).toMatchObject({
      level: "error",
      message: "infrastructure alerts: 90 in one message, 30 names",
      fields: { by_level: { error: 30, warn: 30, info: 30 }, receiver: "homesec" },
    });
    expect(JSON.stringify(log.lines).length).toBeLessThan(2_000);
    log.lines.length = 0;
    await post(await flood(11, () => ({ status: "resolved" })));
    expect(told().map(({ level }) => level)).toEqual(["info"]);
  });

  test("alert receiver: the log has the beginning of a long summary", async () => {
    await post(await flood(1, () => ({ annotations: { summary: "s".repeat(9_000) } })));
    expect(told()[0]?.message).toMatch(/^infrastructure alert firing: DetectorDown: s{499}…$/);
  });

  test("alert receiver: all summaries of a message together take a megabyte in the journal", async () => {
    await post(await flood(1_000, () => ({ annotations: { summary: "s".repeat(4_000), description: "d".repeat(3_000) } })));
    const sent = await desk.journal("infrastructure_alert");
    expect(sent).toHaveLength(1_000);
    expect(JSON.stringify(sent.map(({ summary, description }) => [summary, description])).length).toBeLessThan(1.1 * 1024 * 1024);
    expect(sent[999]?.["summary"]).toMatch(/^s{500,}…$/);
  });

  test("alert receiver: beyond 10,000 alerts an hour live clients and the log get no single ones; they return with the flow", async () => {
    for (let round = 0; round < 6; round += 1) expect((await post(await flood(2_000))).body).toMatchObject({ processed: 2_000 });
    expect(await desk.journal("infrastructure_alert")).toHaveLength(10_000);
    log.lines.length = 0;
    await post(await flood(1));
    expect(told()).toMatchObject([{ fields: { broadcast: false }, message: expect.stringContaining("1 in one message") }]);
    expect((await stored())[0]).toMatchObject({ fingerprint: expect.stringMatching(/^f/) });
    desk.at("2026-03-01T13:00:00Z");
    await post(await flood(5));
    expect(await desk.journal("infrastructure_alert")).toHaveLength(10_005);
  });

  test("alert receiver: keeps the newest 10,000 alerts, whatever the retention", async () => {
    for (let round = 0; round < 6; round += 1) {
      desk.at(`2026-03-01T1${round}:00:00Z`);
      expect((await post(await flood(2_000, (n) => ({ fingerprint: `round-${round}-${n}` })))).status).toBe(200);
    }
    const { items, pagination } = await desk.ask("listReceivedAlerts", { query: "limit=1" });
    expect(pagination.total).toBe(10_000);
    expect(items[0]?.fingerprint).toMatch(/^round-5-/);
    const [oldest] = await desk.db.query((sql) => sql<{ first: Date }[]>`select min(first_received_at) as first from received_alerts`);
    expect(oldest?.first).toEqual(new Date("2026-03-01T11:00:00Z"));
  });

  test("alert receiver: keeps 64 MiB of labels and annotations, the newest ones", async () => {
    for (let round = 0; round < 12; round += 1) {
      desk.at(`2026-03-01T${10 + round}:00:00Z`);
      // texts that do not compress
      const summary = manyBytes(2_300_000);
      await post(await flood(1, () => ({ fingerprint: `round-${round}`, annotations: { summary } })));
    }
    const rows = await desk.db.query(
      (sql) => sql<{ fingerprint: string }[]>`select fingerprint from received_alerts order by last_received_at`,
    );
    expect(rows.length).toBeGreaterThan(4);
    expect(rows.length).toBeLessThan(12);
    expect(rows.at(-1)?.fingerprint).toBe("round-11");
  });
});
