import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { apiStandIn } from "../support/api-stand-in.ts";
import { cli } from "../support/cli.ts";
import { emptyTables } from "../support/empty-tables.ts";
import { type ServedDesk, serveDesk, ways } from "../support/served-desk.ts";

import { event, page } from "./records.ts";

/* Commands that change every record that matches a filter. */

let served: ServedDesk;
beforeAll(async () => {
  served = await serveDesk();
});
afterAll(() => served.close());

const alertId = (at: number): string => `5f0c9d6e-3f6b-4f0e-9a52-${String(at).padStart(12, "0")}`;

beforeEach(async () => {
  served.desk.at("2026-03-01T12:00:00Z");
  await served.desk.db.query(async (sql) => {
    await emptyTables(sql, "alerts, events, detections, jobs, cameras, rules, totals");
    await sql`insert into cameras (camera_id, name, folder_path) values ('front-door', 'Front door', '/a'), ('yard', 'Yard', '/b')`;
    // more events than one bulk request takes; every tenth one is at the front door
    await sql`
      insert into events (event_id, camera_id, started_at, ended_at, risk_score, risk_level, analysis_status, reviewed)
      overriding system value
      select n, case when n % 10 = 0 then 'front-door' else 'yard' end, '2026-03-01T02:00:00Z'::timestamptz - n * interval '1 minute',
        '2026-03-01T02:00:00Z'::timestamptz - n * interval '1 minute', 20, 'low', 'completed', n > 240
      from generate_series(1, 250) n
    `;
    await sql`
      insert into detections (detection_id, camera_id, event_id, file_path, detected_at, object_type, confidence)
      overriding system value
      select n, 'yard', 1, '/b/a.jpg', '2026-03-01T02:00:00Z', case when n <= 4 then 'cat' else 'dog' end, 0.9 from generate_series(1, 6) n
    `;
    for (const [at, status] of ["pending", "delivered", "delivered", "acknowledged"].entries()) {
      await sql`
        insert into alerts (alert_id, event_id, camera_id, rule_name, severity, status, dedup_key, alert_metadata, created_at, updated_at)
        values (${alertId(at)}, 1, ${at === 2 ? "front-door" : "yard"}, 'Person', 'high', ${status}, ${`x${at}`},
                '{"rule_name": "Person", "matched_conditions": [], "channels": [], "reason": null}',
                '2026-03-01T03:00:00Z', '2026-03-01T03:00:00Z')
      `;
    }
    await sql`
      insert into jobs (job_id, queue, subject, status, position, available_at, attempts, last_error) overriding system value
      values (1, 'enrich', '1', 'dead', now(), now(), 1, 'x'), (2, 'enrich', '2', 'dead', now(), now(), 1, 'x'),
             (3, 'analyze', '1', 'dead', now(), now(), 3, 'x')
    `;
  });
});

const count = async (what: string): Promise<number> => {
  const [row] = await served.desk.db.query((sql) => sql.unsafe<{ count: number }[]>(`select count(*) as count from ${what}`));
  return Number(row?.count);
};

describe.each(ways)("change all, %s", (way) => {
  const homesec = (line: string, options = {}) => served.homesec(way, line.split(" "), options);
  const onTerminal = (line: string, input: string) => homesec(line, { terminal: 200, input });

  it("events review: --all marks every matching event and says how many", async () => {
    const asked = await onTerminal("events review --all --camera-id front-door", "y\n");
    expect(asked).toMatchObject({ code: 0, out: "" });
    expect(asked.err).toMatch(
      /^Mark 24 events \(front-door; 2026-\S+ \S+ to 2026-\S+ \S+\) as reviewed\? \[y\/N\] (.*\n)?24 events marked as reviewed\n$/s,
    );
    expect(await count("events e where e.reviewed")).toBe(34);
    const others = await homesec("events review --all --yes -o json");
    expect(others).toMatchObject({ code: 0, err: "216 events marked as reviewed\n" });
    const body = JSON.parse(others.out);
    expect(body).toMatchObject({ total: 216, succeeded: 216, failed: 0 });
    expect(body.results.map(({ index }: { readonly index: number }) => index)).toEqual(Array.from({ length: 216 }, (_, at) => at));
    expect(await count("events e where not e.reviewed")).toBe(0);
    expect(await homesec("events review --all --yes")).toEqual({ code: 0, out: "", err: "no events match; nothing was changed\n" });
    expect((await homesec("events review --all --undo --note checked --until 2026-02-28T22:00Z --yes -o id")).out).toBe(
      "240\n241\n242\n243\n244\n245\n246\n247\n248\n249\n250\n",
    );
    expect(await count("events e where not e.reviewed and e.notes = 'checked'")).toBe(11);
  });

  it("events review: --all changes nothing without a yes", async () => {
    const refused = await homesec("events review --all --since 24h");
    expect(refused).toMatchObject({ code: 2, out: "" });
    expect(refused.err).toMatch(/^homesec: Mark 240 events \(front-door, yard; .*\) as reviewed\? Not a terminal; add --yes to confirm\n$/);
    expect(await onTerminal("events review --all", "n\n")).toMatchObject({ code: 2, err: expect.stringContaining("nothing was changed") });
    expect(await count("events e where e.reviewed")).toBe(10);
  });

  it.each([
    ["events review", "no event is named; give its id, or --all with filters"],
    ["events review 1 --all", "--all means every matching event; remove --all or the id 1"],
    ["events review --since yesterday", "--since selects several events; add --all"],
    ["events review 1 --camera-id yard", "--camera-id selects several events; add --all"],
    ["alerts ack --all --status dismissed", "must be one of pending, delivered"],
    ["dlq requeue", "no queue is named"],
    ["dlq purge enrich --all", "--all means every queue"],
    ["dlq purge --all --job 1", "--job selects one job"],
  ])("change all: %s is refused with the fix", async (line, message) => {
    expect(await homesec(line)).toMatchObject({ code: 2, out: "", err: expect.stringContaining(message) });
  });

  it("change all: an unknown camera is named when nothing matches", async () => {
    expect((await homesec("events delete --all --camera-id yrad --yes")).err).toBe(
      "no events match; nothing was changed\ncamera yrad does not exist; did you mean yard?\n",
    );
  });

  it("events review: one event takes one line, and JSON is its record", async () => {
    expect(await homesec("events review 1")).toEqual({ code: 0, out: "", err: "event 1 marked as reviewed\n" });
    expect(await homesec("events restore 1")).toMatchObject({ code: 5 });
    expect(JSON.parse((await homesec("events review 1 -o json")).out)).toMatchObject({
      id: 1,
      reviewed: true,
      detections: expect.any(Array),
    });
    expect(await homesec("events note 1 mine")).toEqual({ code: 0, out: "note  mine\n", err: "note on event 1 saved\n" });
  });

  it("events delete: --all deletes every matching event, which can be restored", async () => {
    expect(await homesec("events delete --all --reviewed --yes")).toMatchObject({
      code: 0,
      out: "",
      err: expect.stringMatching(/^10 events deleted; /),
    });
    expect(await count("events e where e.deleted_at is null")).toBe(240);
    expect((await homesec("events restore 250")).code).toBe(0);
  });

  it("alerts: ack and dismiss --all close the open alerts that match", async () => {
    expect(await homesec("alerts ack --all --camera-id front-door --yes")).toMatchObject({ code: 0, err: "1 alert acknowledged\n" });
    const rest = await homesec("alerts dismiss --all --since 2026-03-01 --yes -o id");
    expect(rest.out.trim().split("\n").toSorted()).toEqual([alertId(0), alertId(1)]);
    expect(await count("alerts a where a.status in ('pending', 'delivered')")).toBe(0);
    expect((await homesec("alerts ack --all --yes")).err).toBe("no alerts match; nothing was changed\n");
  });

  it("alerts: ack --all says how long the rate limit makes it take", async () => {
    await served.desk.db.query(
      (sql) => sql`
        insert into alerts (alert_id, event_id, camera_id, rule_name, severity, status, dedup_key, alert_metadata, created_at, updated_at)
        select gen_random_uuid(), 1, 'yard', 'Person', 'high', 'pending', 'y', a.alert_metadata, a.created_at, a.updated_at
        from alerts a, generate_series(1, 62)
        where a.alert_id = ${alertId(0)}
      `,
    );
    const { err } = await homesec("alerts ack --all");
    const note = "65 alerts take about 2 minutes: the rate limit allows about 60 a minute\n";
    expect(err).toMatch(new RegExp(`^${way === "--direct" ? "" : note}homesec: Acknowledge 65 alerts \\(front-door, yard; `));
  });

  it("detections delete: asks, and deletes one or all matching ones for good", async () => {
    expect(await homesec("detections delete 1")).toMatchObject({
      code: 2,
      err: expect.stringContaining("Delete detection 1 (cat, yard)? This cannot be undone; its picture stays. Not a terminal; add --yes"),
    });
    expect(await homesec("detections delete 1 --yes")).toEqual({ code: 0, out: "", err: "detection 1 deleted\n" });
    expect((await homesec("detections delete 1 --yes")).code).toBe(3);
    expect((await onTerminal("detections delete --all --object-type cat --event-id 1", "y\n")).err).toMatch(
      /^Delete 3 detections \(yard; .*\)\? This cannot be undone; their pictures stay\. \[y\/N\] (.*\n)?3 detections deleted\n$/s,
    );
    expect(await count("detections")).toBe(2);
  });

  it("dlq: purge and requeue show the number, and --all covers every queue", async () => {
    expect((await homesec("dlq purge enrich")).err).toContain("Delete 2 dead letters of enrich? Not a terminal; add --yes to confirm");
    expect((await homesec("dlq purge --all")).err).toContain("Delete 3 dead letters (enrich 2, analyze 1)? Not a terminal");
    const purged = await homesec("dlq purge --all --yes -o json");
    expect(JSON.parse(purged.out)).toEqual({
      queues: [
        { queue: "enrich", purged: 2 },
        { queue: "analyze", purged: 1 },
      ],
    });
    expect(purged.err).toBe("3 deleted\n");
    expect(await homesec("dlq requeue --all --yes")).toEqual({ code: 0, out: "", err: "no dead letters; nothing was changed\n" });
    expect(await homesec("dlq purge enrich")).toMatchObject({ code: 0, err: "0 deleted\n" });
  });
});

it("dlq: requeue --all retries the dead letters of every queue", async () => {
  expect(await served.homesec("over HTTP", ["dlq", "requeue", "--all", "--yes"])).toMatchObject({ code: 0, err: "3 requeued\n" });
  expect(await count("jobs j where j.status = 'dead'")).toBe(0);
});

describe("change all: errors", () => {
  const events = Array.from({ length: 150 }, (_, at) => ({ ...event, id: at + 1 }));
  /** Marks 150 events as reviewed; `answer` answers each bulk request. */
  const review = async (answer: (ids: readonly number[]) => { readonly status: number; readonly body: unknown }) => {
    const api = await apiStandIn(({ method, body }) =>
      method === "GET"
        ? { body: { items: events, pagination: page(150) } }
        : answer((body as { readonly events: readonly { readonly id: number }[] }).events.map(({ id }) => id)),
    );
    const ended = await cli(["events", "review", "--all", "--yes", "--url", api.url]);
    await api.close();
    return ended;
  };
  const reply = (ids: readonly number[], failing: readonly number[]) => {
    const results = ids.map((id, index) =>
      failing.includes(id)
        ? { index, status: "failed", id, error: `id: Event ${id} is deleted` }
        : { index, status: "success", id, error: null },
    );
    const failed = results.filter(({ status }) => status === "failed").length;
    return { status: 207, body: { total: ids.length, succeeded: ids.length - failed, failed, results } };
  };

  it("change all: exits with 1 and names what was not changed", async () => {
    expect(await review((ids) => reply(ids, [3, 120]))).toEqual({
      code: 1,
      out: "",
      err: "148 events marked as reviewed\nid: Event 3 is deleted\nid: Event 120 is deleted\n",
    });
  });

  it("change all: says how far it came before an error", async () => {
    const { code, err } = await review((ids) => (ids.length === 100 ? reply(ids, []) : { status: 401, body: { detail: "no key" } }));
    expect([code, err]).toEqual([
      4,
      expect.stringMatching(/^100 events marked as reviewed before the error; run it again for the others\nhomesec: no key\n/),
    ]);
  });
});
