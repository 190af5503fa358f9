import { afterAll, beforeAll, expect, it } from "vitest";
import { type AlertDesk, openAlertDesk } from "../../alerting/alerts/alert-desk.ts";

let desk: AlertDesk;
let seen: number;
let incident: number;
beforeAll(async () => {
  desk = await openAlertDesk();
  await desk.empty();
  seen = await desk.event({ score: 40 });
  incident = await desk.db.query(async (sql) => {
    const [row] = await sql<[{ id: number }]>`
      insert into events (kind, camera_id, started_at, ended_at, summary, analysis_status)
      values ('camera_health', 'yard', '2026-03-01T11:00:00Z', '2026-03-01T12:00:00Z', 'Camera Yard is silent', 'completed')
      returning event_id as id
    `;
    return row.id;
  });
});
afterAll(() => desk.close());

const listed = async (query: string) => {
  const { items, pagination } = await desk.ask("listEvents", { query });
  return [items.map(({ id }) => id), pagination.total];
};

it("lists what cameras saw unless it is asked for incidents, or for all", async () => {
  expect(await listed("")).toEqual([[seen], 1]);
  expect(await listed("kind=camera_health")).toEqual([[incident], 1]);
  expect(await listed("kind=ALL")).toEqual([[seen, incident], 2]);
  expect(await listed("kind=all&camera_id=yard")).toEqual([[seen, incident], 2]);
  expect(await listed("kind=all&camera_id=gate")).toEqual([[], 0]);
  expect(await listed("kind=camera_health&camera_id=gate")).toEqual([[], 0]);
  await expect(desk.ask("listEvents", { query: "kind=weather" })).rejects.toMatchObject({
    items: [{ loc: ["query", "kind"], type: "enum" }],
  });
});

it("searches and exports the same way", async () => {
  const found = async (query: string) => (await desk.ask("searchEvents", { query: `q=yard${query}` })).items.map(({ id }) => id);
  expect(await found("")).toEqual([seen]);
  expect(await found("&kind=camera_health")).toEqual([incident]);
  const lines = async (query: string) => {
    const { stream } = (await desk.askStream("exportEvents", { query: `format=csv${query}` })).content;
    let text = "";
    for await (const part of stream) text += Buffer.from(part).toString();
    return text.trim().split("\n").length - 1;
  };
  expect([await lines(""), await lines("&kind=all")]).toEqual([1, 2]);
});

it("counts no incident in statistics, timelines and analytics, whatever becomes of it", async () => {
  const march = "start_date=2026-03-01&end_date=2026-03-01";
  const counts = async () => [
    (await desk.ask("getEventStats")).total_events,
    (await desk.ask("getEventStats", { query: "start_date=2026-03-01T10:30:00Z&end_date=2026-03-01T12:30:00Z" })).total_events,
    (await desk.ask("getEventTimeline", { query: `${march}&bucket_size=hour` })).total_events,
    (await desk.ask("getEventTimeline", { query: "start_date=2026-03-01T10:30:00Z&end_date=2026-03-01T12:30:00Z&bucket_size=hour" }))
      .total_events,
  ];
  expect(await counts()).toEqual([1, 1, 1, 1]);
  await desk.ask("deleteEvent", { params: { event_id: String(incident) } });
  expect(await counts()).toEqual([1, 1, 1, 1]);
  await desk.ask("restoreEvent", { params: { event_id: String(incident) } });
  await desk.db.query((sql) => sql`select rebuild_rollups()`);
  expect(await counts()).toEqual([1, 1, 1, 1]);
});

it("requests no analysis of an incident", async () => {
  const asked = desk.ask("reanalyzeEvent", { params: { event_id: String(incident) } });
  await expect(asked).rejects.toMatchObject({ kind: "conflict" });
});
