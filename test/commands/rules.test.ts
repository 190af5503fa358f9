import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseExpectations } from "../../commands/rules/expectations.ts";
import { cli } from "../support/cli.ts";
import { type TestDaemon, testDaemon } from "../support/daemon.ts";
import { type TestDatabase, testDatabase } from "../support/database.ts";
import { detectorStandIn, languageModelStandIn, type StandIn } from "../support/upstream.ts";

let database: TestDatabase;
let services: readonly StandIn[];
let daemon: TestDaemon;
let id: string;
const ids: number[] = [];

beforeAll(async () => {
  database = await testDatabase();
  const [detector, model] = await Promise.all([detectorStandIn(), languageModelStandIn()]);
  services = [detector, model];
  await database.db.query(async (sql) => {
    await sql`insert into cameras (camera_id, name, folder_path) values ('yard', 'Yard', '/nowhere/yard')`;
    // the days before today: scores 10, 60 and 90, the last two within one cooldown
    for (const [score, ago] of [
      [10, "50 hours"],
      [60, "26 hours"],
      [90, "1559 minutes"],
      [95, "40 days"],
    ] as const) {
      const [event] = await sql<[{ id: number }]>`
        insert into events (camera_id, started_at, ended_at, created_at, risk_score, risk_level, analysis_status)
        values ('yard', now() - ${ago}::text::interval, now() - ${ago}::text::interval, now() - ${ago}::text::interval, ${score}, 'low', 'completed')
        returning event_id as id
      `;
      ids.push(event.id);
    }
  });
  daemon = await testDaemon({ env: { DATABASE_URL: database.url, DETECTOR_URL: detector.url, LANGUAGE_MODEL_URL: model.url } });
  const ask = async (method: string, path: string, body: object) => {
    const response = await fetch(`${daemon.url}/api/alerts/rules${path}`, {
      method,
      body: JSON.stringify(body),
      headers: { "content-type": "application/json" },
    });
    return (await response.json()) as { id: string };
  };
  id = (await ask("POST", "", { name: "Somebody", risk_threshold: 80 })).id;
  await ask("PUT", `/${id}`, { risk_threshold: 50, cooldown_seconds: 300 });
  for (const severity of ["low", "high"]) await ask("POST", "", { name: "Twice", severity });
});
afterAll(async () => {
  await daemon.stop();
  await Promise.all(services.map((service) => service.close()));
  await database.close();
});

const homesec = (...args: string[]) =>
  cli(args, { env: { HOMESEC_URL: daemon.url, DATABASE_URL: database.url, DATA_DIR: daemon.dataDir }, cwd: daemon.dataDir });

describe("rules list and rules show", () => {
  it("rules list and show: print a rule's conditions", async () => {
    expect((await homesec("rules", "list", "--severity", "medium")).out).toMatch(/Somebody +medium +on +risk score >= 50 +none/);
    expect((await homesec("rules", "list", "--no-enabled")).err).toBe("no rules\n");
    expect((await homesec("rules", "show", "Somebody", "--direct")).out).toMatch(/cooldown +300 s for \{camera_id\}:\{rule_id\}/);
    expect(await homesec("rules", "show", "Twice")).toMatchObject({
      code: 5,
      err: expect.stringContaining("use one of these ids instead"),
    });
    expect(await homesec("rules", "show", "Nobody")).toMatchObject({ code: 3, err: expect.stringContaining("Nobody") });
  });
});

describe("rules test", () => {
  it.each([["with the daemon"], ["without it", "--direct"]])(
    "rules test: counts matches and alerts by day and compares versions, %s",
    async (_how, ...flags) => {
      const { code, out } = await homesec("rules", "test", "Somebody", "--against", "1", ...flags);
      expect(code).toBe(0);
      expect(out).toMatch(/events +3\n/);
      expect(out).toMatch(/version 2 +2 match \(66.7 %\), 1 alert after the cooldown\n/);
      expect(out).toMatch(/version 1 +1 match \(33.3 %\), 1 alert after/);
      expect(out).toMatch(new RegExp(`only version 2 +1: ${ids[1]}\\nonly version 1 +1: ${ids[2]}\\nboth alert +0\\n`));
      expect(out).toMatch(/\n\d{4}-\d\d-\d\d {2}1 alert of \d match(es)?, [01] by version 1\n/);
      expect(out).toMatch(new RegExp(`event ${ids[2]} at yard, suppressed by the cooldown`));
    },
  );

  it("rules test: covers the requested time span", async () => {
    const tested = async (...args: string[]) =>
      (JSON.parse((await homesec("rules", "test", id, ...args, "-o", "json")).out) as { events_tested: number }).events_tested;
    expect(await tested()).toBe(3);
    expect(await tested("--since", "50d")).toBe(4);
    expect(await tested("--since", "50d", "--until", "-30d")).toBe(1);
    expect((await homesec("rules", "test", id, "--since", "soon")).code).toBe(2);
    expect((await homesec("rules", "test", id, "--against", "7")).code).toBe(3);
  });

  it("rules test: ends with 8 and prints the differences when an expectation fails", async () => {
    const expecting = async (content: string, ...flags: string[]) => {
      await writeFile(join(daemon.dataDir, "expected.json"), content);
      return await homesec("rules", "test", "Somebody", "--expect", "expected.json", ...flags);
    };
    expect(await expecting(JSON.stringify({ match: [ids[1], ids[3]], no_match: [ids[0]] }))).toMatchObject({
      code: 0,
      out: expect.stringContaining("all 3 events match as expected"),
    });
    const wrong = await expecting(`${ids[0]}\n{"event_id": ${ids[1]}, "matches": false}\n999\n${ids[2]}\n`);
    expect(wrong.code).toBe(8);
    expect(wrong.out).toContain("3 of 4 events do not match as expected");
    expect(wrong.out).toContain(`event ${ids[0]} should match, but does not match: the risk score is 10, and the rule needs 50 or more`);
    expect(wrong.out).toContain(`event ${ids[1]} should not match, but matches`);
    expect(wrong.out).toContain("event 999 should match, but does not exist");
    const asJson = await expecting(`[${ids[0]}]`, "-o", "json", "--direct");
    expect(asJson.code).toBe(8);
    expect(JSON.parse(asJson.out)).toMatchObject({
      expectations: { checked: 1, unmet: [{ event_id: ids[0], expected: true, matches: false }] },
    });
    for (const content of ["", "[]", "not json", '{"event_id": "x"}', "[1.5]", `{"match": [1], "no_match": [1]}`]) {
      expect([content, (await expecting(content)).code]).toEqual([content, 2]);
    }
    expect(await homesec("rules", "test", id, "--expect", "nowhere.json")).toMatchObject({
      code: 2,
      err: expect.stringContaining("it does not exist"),
    });
  });
});

describe("rules add --dry-run", () => {
  it.each([["with the daemon"], ["without it", "--direct"]])(
    "rules add --dry-run: shows the alerts, near misses and faults of a rule and saves nothing, %s",
    async (_how, ...flags) => {
      const draft = ["rules", "add", "--name", "Draft", "--risk-threshold", "80", "--channels", "webhook", "--dry-run"];
      const { code, out } = await homesec(...draft, ...flags);
      expect(code).toBe(0);
      expect(out).toMatch(/events +3\nalerts +1 alert of 1 match\nnear misses +2: 2 fail only risk_threshold\n/);
      expect(out).toMatch(/channels +Webhook cannot be used: it needs DEFAULT_WEBHOOK_URL/);
      expect(out).toContain(`event ${ids[2]} at yard`);
      const asJson = await homesec(...draft, "-o", "json", ...flags);
      expect(JSON.parse(asJson.out)).toMatchObject({ name: "Draft", complete: true, tested: { alerts_after_cooldown: 1 } });
      expect((await homesec("rules", "list")).out).not.toContain("Draft");
    },
  );
});

describe("expectations file", () => {
  it.each([
    ["[1, 2]", [1, true, 2, true]],
    ["1\n2\n\n", [1, true, 2, true]],
    ['{"match": [1], "no_match": [2]}', [1, true, 2, false]],
    ['[{"event_id": 1}, {"event_id": 2, "matches": false, "matched_conditions": []}]', [1, true, 2, false]],
    ['{"rule_id": "r", "results": [{"event_id": 1, "matches": true}, {"event_id": 2, "matches": false}]}', [1, true, 2, false]],
    ['{"event_id": 1}\n[2]\n', [1, true, 2, true]],
  ])("expectations file: %j is read", (text, expected) => {
    expect([...parseExpectations(text, "f")].flat()).toEqual(expected);
  });
});
