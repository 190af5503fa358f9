import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Problem } from "../../../src/contract/problem.ts";
import { type Desk, openDesk } from "../../support/operations.ts";

let desk: Desk;
/** Ids of all events, the newest first: those with long reasoning are older. */
let all: number[];
beforeAll(async () => {
  desk = await openDesk();
  await desk.db.query(async (sql) => {
    await sql`insert into cameras (camera_id, name, folder_path) values ('yard', 'Yard', '/yard')`;
    const rows = await sql<{ id: number }[]>`
      insert into events (camera_id, started_at, ended_at, summary, reasoning)
      select 'yard', now() - n * interval '1 minute', now() - n * interval '1 minute', 'A cat walks by.',
        case when n > 300 then repeat('because ', 5000) else 'It is a cat.' end
      from generate_series(1, 1000) as n
      returning event_id as id, started_at
    `;
    all = rows.map(({ id }) => id).toSorted((a, b) => a - b);
  });
});
afterAll(() => desk.close());

const refusalOf = (asked: Promise<unknown>): Promise<Problem> =>
  asked.then(
    () => Promise.reject(new Error("it was answered")),
    (error: Problem) => error,
  );

describe.each([
  ["listEvents", ""],
  ["searchEvents", "q=cat&"],
] as const)("%s", (operation, search) => {
  const page = (query: string) => desk.ask(operation, { query: `${search}${query}` });

  it("long pages: 700 events with 40,000 characters each are refused with a limit that fits", async () => {
    const { items: errors, kind } = await refusalOf(page("limit=1000"));
    expect(kind).toBe("invalid");
    expect(errors).toMatchObject([{ loc: ["query", "limit"], type: "less_than_equal" }]);
    const limit = Number(/use limit=(\d+)/.exec(errors[0]?.msg ?? "")?.[1]);
    expect(limit).toBeGreaterThan(100);
    expect((await page(`limit=${limit}`)).items).toHaveLength(limit);
  });

  it("long pages: the events of a page are the same as of many short ones", async () => {
    const { items } = await page("limit=450");
    const short: number[] = [];
    let cursor = "";
    while (short.length < 450) {
      const { items: some, pagination } = await page(`limit=45${cursor}`);
      short.push(...some.map(({ id }) => id));
      cursor = `&cursor=${encodeURIComponent(pagination.next_cursor ?? "")}`;
    }
    expect(items.map(({ id }) => id)).toEqual(short);
  });

  it("long pages: `offset` and `total` count all events", async () => {
    const { items, pagination } = await page("limit=120&offset=150");
    expect(pagination).toMatchObject({ total: 1_000, offset: 150, has_more: true });
    expect(items.map(({ id }) => id)).toEqual((await page("limit=270")).items.slice(150).map(({ id }) => id));
  });

  it("long pages: twenty at once are answered", async () => {
    const pages = await Promise.all(Array.from({ length: 20 }, () => page("limit=200")));
    expect(new Set(pages.map(({ items }) => items.length))).toEqual(new Set([200]));
  });
});

it("long pages: a page with all events of a list without long texts holds each once", async () => {
  await desk.db.query((sql) => sql`update events set reasoning = 'short'`);
  const { items, pagination } = await desk.ask("listEvents", { query: "limit=1000" });
  expect(items.map(({ id }) => id).toSorted((a, b) => a - b)).toEqual(all);
  expect(pagination).toMatchObject({ total: 1_000, next_cursor: null, has_more: false });
});
