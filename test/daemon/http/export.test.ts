import { once } from "node:events";
import { get as httpGet, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import { constants, inflateRawSync } from "node:zlib";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { routes } from "../../../src/contract/routes/index.ts";
import { eventBulkOperations } from "../../../src/monitoring/bulk/events.ts";
import { eventOperations } from "../../../src/monitoring/events/operations.ts";
import { DatabaseUnavailable } from "../../../src/platform/database/pg-errors.ts";
import type { OperationContext } from "../../../src/work/operations/operation.ts";
import { eventually } from "../../support/eventually.ts";
import { type Desk, openDesk } from "../../support/operations.ts";
import { type Served, serve } from "./support.ts";

let desk: Desk;
let served: Served;
beforeAll(async () => {
  desk = await openDesk();
  await desk.db.query(
    (sql) => sql`insert into cameras (camera_id, name, folder_path) values ('yard', 'Back yard', '/a'), ('gate', '=Gate', '/b')`,
  );
  const { exportEvents, createEvents } = routes;
  served = await serve(
    { exportEvents, createEvents },
    {
      exportEvents: (request: Parameters<typeof eventOperations.exportEvents>[0], { caller }: OperationContext) =>
        eventOperations.exportEvents(request, { ...desk.context, caller }),
      createEvents: (request: Parameters<typeof eventBulkOperations.createEvents>[0]) =>
        eventBulkOperations.createEvents(request, desk.context),
    },
  );
});
afterAll(async () => {
  await served.close();
  await desk.close();
});

const path = "/api/events/export";
const get = (query = "", init?: RequestInit) => fetch(`${served.url}${path}${query}`, init);
const linesOf = async (query = "") => (await (await get(query)).text()).trimEnd().split("\r\n");
const xlsxType = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

/** Adds events of about 1.5 KB, a second apart. The newest has the highest id. */
const fill = (count: number) =>
  desk.db.query(async (sql) => {
    await sql`truncate events restart identity cascade`;
    await sql`alter table events disable trigger user`;
    await sql`
      insert into events (camera_id, started_at, ended_at, risk_score, risk_level, summary, reasoning, object_types, reviewed)
      select case when n % 2 = 0 then 'yard' else 'gate' end, timestamptz '2026-03-01Z' + n * interval '1 second', '2026-03-02Z', n % 101, 'low',
        'event ' || n, repeat(md5(n::text), 45), '{person,dog}', n % 10 = 0
      from generate_series(1, ${count}::integer) n
    `;
    await sql`alter table events enable trigger user`;
  });

/** Other database sessions with an open transaction. */
const busySessions = async () =>
  (
    await desk.db.query(
      (sql) => sql`select from pg_stat_activity a where a.datname = current_database() and a.state <> 'idle' and a.pid <> pg_backend_pid()`,
    )
  ).length;

/** Ends the database sessions of running exports. */
async function endSessions(): Promise<void> {
  await eventually(async () => (await busySessions()) > 0);
  await desk.db.query(
    (sql) => sql`
      select pg_terminate_backend(a.pid)
      from pg_stat_activity a
      where a.datname = current_database() and a.pid <> pg_backend_pid() and a.query like '%object_types%'
    `,
  );
}

describe("an export", () => {
  beforeEach(() => fill(1203));

  it("export: is a CSV attachment with a line for each event, newest first", async () => {
    const response = await get();
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("text/csv; charset=utf-8");
    expect(response.headers.get("content-disposition")).toBe('attachment; filename="homesec-events-2026-03-01T12-00-00Z.csv"');
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(response.headers.get("etag")).toBeNull();
    const [titles, ...lines] = (await response.text()).trimEnd().split("\r\n");
    expect(titles).toBe(
      "id,camera_id,camera_name,started_at,ended_at,risk_score,risk_level,summary,reasoning,object_types,detection_count,reviewed,notes,analysis_status,analyzed_by,batch_id,created_at,zones,pinned_at,pinned_by",
    );
    expect(lines).toHaveLength(1203);
    expect(lines.map((line) => Number(line.split(",")[0]))).toEqual(Array.from({ length: 1203 }, (_, at) => 1203 - at));
    expect(lines[0]).toMatch(
      /^1203,gate,'=Gate,2026-03-01T00:20:03\.000Z,2026-03-02T00:00:00\.000Z,92,low,event 1203,[0-9a-f]{1440},"person, dog",0,false,,pending,,,2/,
    );
  });

  it("export: for Excel it has a byte order mark, the separator and local times, and the titles name the zone", async () => {
    const response = await get("?excel=true&separator=;&timezone=Europe/Berlin");
    const bytes = Buffer.from(await response.arrayBuffer());
    expect(bytes.subarray(0, 3)).toEqual(Buffer.from([0xef, 0xbb, 0xbf]));
    const [titles, first] = bytes.subarray(3).toString().split("\r\n");
    expect(titles).toContain("id;camera_id;camera_name;started_at (Europe/Berlin);ended_at (Europe/Berlin);risk_score;");
    expect(first).toMatch(/^1203;gate;'=Gate;2026-03-01 01:20:03;2026-03-02 01:00:00;92;low;event 1203;/);
    expect((await get("?excel=true&timezone=Berlin")).status).toBe(422);
    expect((await get("?excel=true&separator=:")).status).toBe(422);
  });

  it("export: the titles of a workbook name the zone of its times", async () => {
    const bytes = Buffer.from(await (await get("?format=xlsx&camera_id=nobody")).arrayBuffer());
    // The sheet is the first entry, compressed, right after its header
    const begin = 30 + bytes.readUInt16LE(26) + bytes.readUInt16LE(28);
    const sheet = inflateRawSync(bytes.subarray(begin), { finishFlush: constants.Z_SYNC_FLUSH }).toString();
    for (const title of ["started_at (UTC)", "ended_at (UTC)", "created_at (UTC)", "summary"]) expect(sheet).toContain(`>${title}<`);
  });

  it("export: contains the events that match the filters of the list", async () => {
    expect(await linesOf("?camera_id=yard")).toHaveLength(1 + 601);
    expect(await linesOf("?reviewed=true&camera_id=yard&camera_id=gate")).toHaveLength(1 + 120);
    expect(await linesOf("?start_date=2026-03-01T00:20:00Z")).toHaveLength(1 + 4);
    expect(await linesOf("?camera_id=nobody")).toHaveLength(1);
    expect((await get("?risk_level=severe")).status).toBe(422);
    expect((await get("?format=pdf")).status).toBe(422);
    expect((await get("?limit=5")).headers.get("x-ignored-parameters")).toBe("limit");
    await desk.db.query((sql) => sql`update events set deleted_at = now() where event_id > 3`);
    expect(await linesOf()).toHaveLength(1 + 3);
  });

  it.each([
    ["?format=xlsx", "text/csv", xlsxType],
    ["?format=XLSX", "*/*", xlsxType],
    ["?format=csv", xlsxType, "text/csv; charset=utf-8"],
    ["", xlsxType, xlsxType],
    ["", `text/csv;q=0.5, ${xlsxType}`, xlsxType],
    ["", `${xlsxType};q=0.5, text/csv`, "text/csv; charset=utf-8"],
    ["", `${xlsxType};q=0`, "text/csv; charset=utf-8"],
    ["", "text/html, */*;q=0.8", "text/csv; charset=utf-8"],
    ["", "nonsense;;q=,", "text/csv; charset=utf-8"],
  ])("export: %s with Accept: %s is %s", async (query, accept, type) => {
    const response = await get(query, { headers: { accept } });
    expect(response.headers.get("content-type")).toBe(type);
    const bytes = Buffer.from(await response.arrayBuffer());
    expect(bytes.subarray(0, 2).toString()).toBe(type === xlsxType ? "PK" : "id");
    expect(response.headers.get("content-disposition")).toMatch(type === xlsxType ? /\.xlsx"$/ : /\.csv"$/);
  });

  it("export: text from cameras and people cannot run as a formula", async () => {
    await desk.db.query(
      (sql) => sql`update events set summary = '=cmd|'' /C calc''!A0', notes = '-2+3', reasoning = '' where event_id = 1`,
    );
    expect((await linesOf()).at(-1)).toContain(",'=cmd|' /C calc'!A0,,");
    expect((await linesOf()).at(-1)).toContain(",'-2+3,");
  });

  it("export: HEAD gets only the headers and reads nothing", async () => {
    const response = await get("", { method: "HEAD" });
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/csv; charset=utf-8"]);
    expect(await response.text()).toBe("");
    expect(await busySessions()).toBe(0);
  });

  it("export: gets a regular error when the database is unavailable", async () => {
    const { db } = desk.context;
    const away: typeof db.iterate = async function* () {
      yield* [];
      throw new DatabaseUnavailable("it was unplugged");
    };
    Object.assign(desk.context, { db: { iterate: away } });
    try {
      for (const format of ["csv", "xlsx"]) {
        const response = await get(`?format=${format}`);
        expect(response.status).toBe(503);
        expect(response.headers.get("content-disposition")).toBeNull();
        expect(await response.json()).toEqual({ detail: expect.stringContaining("unplugged") });
      }
    } finally {
      Object.assign(desk.context, { db });
    }
  });
});

describe("an export of 50,000 events", () => {
  beforeAll(() => fill(50_000));

  it.each(["csv", "xlsx"])("export: 50,000 events as %s need little memory", async (format) => {
    await get(`?format=${format}&camera_id=nobody`).then((response) => response.arrayBuffer());
    const before = process.memoryUsage().rss;
    let most = before;
    let bytes = 0;
    const response = await get(`?format=${format}`);
    for await (const part of response.body ?? []) {
      bytes += part.length;
      most = Math.max(most, process.memoryUsage().rss);
    }
    expect(bytes).toBeGreaterThan(format === "csv" ? 75_000_000 : 2_000_000);
    expect((most - before) / 1e6).toBeLessThan(64);
  });

  it("export: waits for a slow client and ends when the client disconnects", async () => {
    const response = await new Promise<IncomingMessage>((resolve) => httpGet(`${served.url}${path}`, resolve));
    response.once("readable", () => response.read(1));
    await eventually(async () => (await busySessions()) === 1);
    response.destroy();
    await eventually(async () => (await busySessions()) === 0);
    expect(desk.db.pool).toMatchObject({ checkedout: 0, waiting: 0 });
    expect(served.log.lines.filter(({ level }) => level === "error" || level === "warn")).toEqual([]);
  });

  it("export: uses at most a third of the connections, and further exports wait", async () => {
    // The test's pool has five connections.
    const first = await new Promise<IncomingMessage>((resolve) => httpGet(`${served.url}${path}`, resolve));
    let second: Response | undefined;
    const waiting = get().then((response) => {
      second = response;
      return response.text();
    });
    const gone = new AbortController();
    const leaving = get("", { signal: gone.signal });
    expect((await get("?risk_level=severe")).status).toBe(422);
    expect(await busySessions()).toBe(1);
    expect(second).toBeUndefined();

    gone.abort();
    await expect(leaving).rejects.toThrow();
    first.destroy();
    expect((await waiting).trimEnd().split("\r\n")).toHaveLength(50_001);
    expect(second?.status).toBe(200);
    await eventually(async () => (await busySessions()) === 0);
    expect(desk.db.pool).toMatchObject({ checkedout: 0, waiting: 0 });
    expect(served.log.lines.filter(({ level }) => level === "error" || level === "warn")).toEqual([]);
  });

  it("export: is visibly cut off when the database goes away in the middle", async () => {
    const response = await get();
    const reading = response.arrayBuffer();
    await endSessions();
    await expect(reading).rejects.toThrow();
    await eventually(() => served.log.lines.some(({ message }) => message === "an answer was aborted"));
  });

  it("export: resets HTTP/1.0 connections, where a regular close would mark a complete answer", async () => {
    const { hostname, port } = new URL(served.url);
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    socket.write(`GET ${path} HTTP/1.0\r\nHost: ${hostname}:${port}\r\n\r\n`);
    await once(socket, "data");
    socket.pause();
    await endSessions();
    const end = once(socket, "end");
    socket.resume();
    // Node may report a reset as an end; a write shows the difference, because after a regular close the first one succeeds.
    const isClosed = await end.then(
      () => new Promise<boolean>((resolve) => socket.once("error", () => {}).write("x", (error) => resolve(!error))),
      () => false,
    );
    socket.destroy();
    expect(isClosed).toBe(false);
  });
});

it("bulk requests: may have up to 8 MiB", async () => {
  const event = { camera_id: "yard", started_at: "2026-03-01T10:00:00Z", reasoning: "x".repeat(40_000) };
  const post = (count: number) =>
    fetch(`${served.url}/api/events/bulk`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ events: Array.from({ length: count }, () => event) }),
    });
  const response = await post(100);
  expect(response.status).toBe(207);
  expect(await response.json()).toMatchObject({ total: 100, succeeded: 100 });
  expect((await post(250)).status).toBe(413);
});
