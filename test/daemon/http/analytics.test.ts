import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createAppOf } from "../../../daemon/http/app.ts";
import { type Listening, listen } from "../../../daemon/http/listen.ts";
import { operations } from "../../../src/all-operations.ts";
import { analyticsRoutes } from "../../../src/contract/routes/analytics.ts";
import { statisticsRoutes } from "../../../src/contract/routes/statistics.ts";
import { type Desk, openDesk } from "../../support/operations.ts";
import { fillHistory } from "../../support/recorded.ts";
import { keptLog } from "./support.ts";

let desk: Desk;
let listening: Listening;
beforeAll(async () => {
  desk = await openDesk();
  await fillHistory(desk.db, { cameras: 2, events: 100, detectionsPerEvent: 2 });
});
afterAll(async () => {
  await listening?.close();
  await desk.close();
});
beforeEach(async () => {
  if (listening) return;
  const app = createAppOf({ ...analyticsRoutes, ...statisticsRoutes }, operations, {
    context: desk.context,
    log: keptLog(),
    allowedHosts: [],
    strictReplies: true,
  });
  listening = await listen({ app, host: "127.0.0.1", port: 0 });
});

const get = (path: string, init?: RequestInit) => fetch(`http://127.0.0.1:${listening.port}${path}`, init);
const march = "start_date=2026-02-25&end_date=2026-03-01";

describe.each([
  ["detection-trends", ["data_points", "total_detections", "start_date", "end_date"]],
  ["risk-history", ["data_points", "start_date", "end_date"]],
  ["camera-uptime", ["cameras", "start_date", "end_date"]],
  ["object-distribution", ["object_types", "total_detections", "start_date", "end_date"]],
  ["risk-score-distribution", ["buckets", "total_events", "start_date", "end_date", "bucket_size"]],
  ["risk-score-trends", ["data_points", "start_date", "end_date"]],
])("analytics: /api/analytics/%s", (name, keys) => {
  const path = `/api/analytics/${name}?${march}`;

  it("analytics: answers may be cached for five minutes and are revalidated by their tag", async () => {
    const answer = await get(path);
    expect(answer.status).toBe(200);
    expect(Object.keys((await answer.json()) as object).toSorted()).toEqual(keys.toSorted());
    expect(answer.headers.get("cache-control")).toBe("max-age=300, private");
    const tag = answer.headers.get("etag") ?? "";
    expect(tag).toMatch(/^"[\w-]{20,}"$/);
    for (const known of [tag, `"other", W/${tag}`, "*"]) {
      const again = await get(path, { headers: { "If-None-Match": known } });
      expect([again.status, again.headers.get("cache-control"), again.headers.get("etag")]).toEqual([304, "max-age=300, private", tag]);
      expect(await again.text()).toBe("");
    }
    expect((await get(path, { headers: { "If-None-Match": '"other"' } })).status).toBe(200);
    const head = await get(path, { method: "HEAD" });
    expect([head.status, head.headers.get("etag")]).toEqual([200, tag]);
  });

  it("analytics: refusals are not cached", async () => {
    const backwards = await get(`/api/analytics/${name}?start_date=2026-03-02&end_date=2026-03-01`);
    expect(backwards.status).toBe(400);
    expect(await backwards.json()).toEqual({ detail: expect.stringContaining("2026-03-02 lies after") });
    const unreadable = await get(`/api/analytics/${name}?start_date=soon`);
    expect(unreadable.status).toBe(422);
    expect(await unreadable.json()).toMatchObject({
      detail: [
        { loc: ["query", "start_date"], type: "date_parsing" },
        { loc: ["query", "end_date"], type: "missing" },
      ],
    });
    for (const refusal of [backwards, unreadable]) {
      expect(refusal.headers.get("cache-control")).toBe("no-store");
      expect(refusal.headers.get("etag")).toBe(null);
    }
  });

  it("analytics: the tag changes with the data, and the parameter camera_id is ignored", async () => {
    const answer = await get(`${path}&camera_id=cam1`);
    expect(answer.headers.get("x-ignored-parameters")).toBe("camera_id");
    const tag = answer.headers.get("etag") ?? "";
    await desk.db.query(
      (sql) => sql`
        insert into detections (camera_id, file_path, detected_at, object_type, confidence)
        values ('cam0', '/x.jpg', '2026-02-26T10:00:00Z', 'bird', 0.5)
      `,
    );
    await desk.db.query(
      (sql) => sql`
        insert into events (camera_id, started_at, ended_at, risk_score, risk_level)
        values ('cam0', '2026-02-26T10:00:00Z', '2026-02-26T10:00:00Z', 1, 'low')
      `,
    );
    const changed = await get(path, { headers: { "If-None-Match": tag } });
    expect(changed.status).toBe(200);
    expect(changed.headers.get("etag")).not.toBe(tag);
  });
});

it.each([
  ["/api/events/stats", ["total_events", "events_by_risk_level", "risk_distribution", "events_by_camera", "unscored_events"]],
  [`/api/events/timeline-summary?${march}&bucket_size=day`, ["buckets", "total_events"]],
  ["/api/detections/stats", ["total_detections", "detections_by_class", "object_class_distribution", "average_confidence", "trends"]],
  ["/api/detections/labels", ["labels"]],
])("analytics: %s answers with its fields and is not cached", async (path, keys) => {
  const answer = await get(path);
  expect(answer.status).toBe(200);
  expect(answer.headers.get("cache-control")).toBe("no-store");
  expect(Object.keys((await answer.json()) as object).toSorted()).toEqual(keys.toSorted());
});
