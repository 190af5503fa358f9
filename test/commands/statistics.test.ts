import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NotificationConfig } from "../../src/contract/routes/notifications.ts";
import { type ServedDesk, serveDesk, ways } from "../support/served-desk.ts";

let served: ServedDesk;

beforeAll(async () => {
  served = await serveDesk();
  const { desk } = served;
  await desk.db.query(
    (sql) => sql`insert into cameras (camera_id, name, folder_path) values ('front-door', 'Front door', '/a'), ('yard', 'Yard', '/b')`,
  );
  const event = (started_at: string, risk_score: number, camera_id = "yard") => ({ camera_id, started_at, risk_score });
  const events = [
    event("2026-02-28T10:00:00Z", 20),
    event("2026-02-28T10:30:00Z", 90, "front-door"),
    event("2026-03-01T08:15:00Z", 70),
    { camera_id: "yard", started_at: "2026-03-01T09:00:00Z" },
  ];
  await desk.ask("createEvents", { body: { events } });
  const detection = (object_type: string, detected_at: string) => {
    return { camera_id: "yard", file_path: "/b/a.jpg", object_type, detected_at, confidence: 0.8 };
  };
  const detections = [
    detection("dog", "2026-02-28T10:00:00Z"),
    detection("person", "2026-03-01T08:15:00Z"),
    detection("person", "2026-03-01T08:16:00Z"),
  ];
  await desk.ask("createDetections", { body: { detections } });
});
afterAll(() => served.close());

const range = ["--start-date", "2026-02-28", "--end-date", "2026-03-01"];

describe.each(ways)("%s", (way) => {
  const homesec = (...args: string[]) => served.homesec(way, args);
  const out = async (...args: string[]): Promise<string> => {
    const { code, out, err } = await homesec(...args);
    expect([code, err]).toEqual([0, expect.not.stringContaining("homesec:")]);
    return out;
  };

  it("analytics: answers all six questions", async () => {
    expect(await out("analytics", "detections", ...range)).toBe(`DAY         DETECTIONS
2026-02-28           1  ${"█".repeat(15)}
2026-03-01           2  ${"█".repeat(30)}
`);
    expect(await out("analytics", "risk", ...range)).toBe(`DAY         LOW  MEDIUM  HIGH  CRITICAL
2026-02-28    1       0     0         1
2026-03-01    0       0     1         0
`);
    expect(await out("analytics", "scores", ...range, "-o", "csv")).toBe("date,avg_score,count\r\n2026-02-28,55,2\r\n2026-03-01,70,1\r\n");
    expect(await out("analytics", "score-distribution", "--bucket-size", "50", ...range, "-o", "ndjson")).toBe(
      '{"min_score":0,"max_score":49,"count":1}\n{"min_score":50,"max_score":100,"count":2}\n',
    );
    expect(await out("analytics", "objects", ...range)).toMatch(/^CLASS .*\nperson +2 +66\.7 % +█+\ndog +1 +33\.3 % +█+\n$/);
    expect(await out("analytics", "uptime", ...range)).toMatch(/front-door +Front door +0 % +0\nyard +Yard +100 % +3\n$/);
  });

  it("analytics: prints the body of the API, for 30 days by default", async () => {
    const body = JSON.parse(await out("analytics", "detections", "-o", "json"));
    expect(body).toMatchObject({ start_date: "2026-01-31", end_date: "2026-03-01", total_detections: 3 });
    expect(body.data_points).toHaveLength(30);
    expect(await homesec("analytics", "risk", "--start-date", "2026-03-01", "--end-date", "2026-02-01")).toMatchObject({ code: 2 });
    expect((await homesec("analytics", "score-distribution", "--bucket-size", "51")).code).toBe(2);
    expect((await homesec("analytics", "risks")).err).toContain("(Did you mean risk?)");
  });

  it("analytics: requests the given days, also when clocks change at midnight", async () => {
    const zone = process.env["TZ"];
    process.env["TZ"] = "Africa/Cairo";
    try {
      const body = JSON.parse(await out("analytics", "risk", "--start-date", "2026-04-24", "--end-date", "2026-04-24", "-o", "json"));
      expect(body).toMatchObject({ start_date: "2026-04-24", end_date: "2026-04-24" });
    } finally {
      if (zone === undefined) delete process.env["TZ"];
      else process.env["TZ"] = zone;
    }
  });

  it("events timeline: counts hours", async () => {
    const at = ["--since", "2026-03-01T08:00:00Z", "--until", "2026-03-01T09:59:00Z", "--timezone", "UTC"];
    const shown = await homesec("events", "timeline", ...at);
    expect(shown.out).toMatch(/^FROM +EVENTS +HIGHEST SCORE\n.* 1 +70 +█+\n.* 1 +- +█+\n$/);
    expect(shown.err).toBe("2 events\n");
    expect(JSON.parse(await out("events", "timeline", ...at, "-o", "json"))).toEqual({
      buckets: [
        { timestamp: "2026-03-01T08:00:00.000Z", event_count: 1, max_risk_score: 70 },
        { timestamp: "2026-03-01T09:00:00.000Z", event_count: 1, max_risk_score: null },
      ],
      total_events: 2,
    });
    expect((await homesec("events", "timeline", "--timezone", "Mars")).code).toBe(2);
  });

  it("events stats and detections stats: count records", async () => {
    expect(await out("events", "stats")).toBe(`events    4
critical  1
high      1
medium    0
low       1
no score  1

CAMERA      NAME        EVENTS
yard        Yard             3
front-door  Front door       1
`);
    expect(JSON.parse(await out("events", "stats", "--camera-id", "front-door", "-o", "json"))).toMatchObject({ total_events: 1 });
    expect(await out("detections", "stats")).toBe(`detections          3
average confidence  80 %

CLASS   DETECTIONS
person           2
dog              1
`);
    expect(await out("detections", "labels", "-o", "id")).toBe("person\ndog\n");
    expect(JSON.parse(await out("detections", "labels", "-o", "json"))).toEqual({
      labels: [
        { label: "person", count: 2 },
        { label: "dog", count: 1 },
      ],
    });
  });

  it("notifications: config names missing settings, and test says that nothing can be sent", async () => {
    expect(await out("notifications", "config")).toMatch(
      /^notifications +on\nusable channels +none\nemail +not configured\nmail server +none: set SMTP_HOST\n/,
    );
    expect(Object.keys(JSON.parse(await out("notifications", "config", "-o", "json")))).toEqual(Object.keys(NotificationConfig.shape));
    const test = await homesec("notifications", "test", "email", "-o", "json");
    expect(test.code).toBe(1);
    expect(JSON.parse(test.out)).toMatchObject({ channel: "email", success: false, error: expect.stringContaining("SMTP_HOST") });
    expect((await homesec("notifications", "test", "pigeon")).code).toBe(2);
    expect((await homesec("notifications", "test", "email", "--email-recipients", "nobody")).code).toBe(2);
  });
});
