import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { emptyTables } from "../../support/empty-tables.ts";
import { type Desk, openDesk, type Wire } from "../../support/operations.ts";

type Found = Wire<"searchEvents">["items"][number];

interface Text {
  readonly summary?: string;
  readonly reasoning?: string;
  readonly notes?: string;
  readonly camera?: string;
  readonly types?: readonly string[];
}

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
  await desk.db.query(
    (sql) => sql`
      insert into cameras (camera_id, name, folder_path)
      values ('front_door', 'Haustür vorn', '/a'), ('yard', 'Back yard', '/b'), ('cam3', 'Garage', '/c')
    `,
  );
});
afterAll(() => desk.close());

const store = async ({ summary = "", reasoning = "", notes = "", camera = "yard", types = [] }: Text): Promise<number> => {
  const [row] = await desk.db.query(
    (sql) => sql<[{ id: number }]>`
      insert into events (camera_id, started_at, ended_at, summary, reasoning, notes, object_types)
      values (${camera}, now(), now(), ${summary}, ${reasoning}, ${notes}, ${types as string[]}::text[])
      returning event_id as id
    `,
  );
  return row.id;
};
const empty = () => desk.db.query((sql) => emptyTables(sql, "events"));
const search = (q: string, more = "") => desk.ask("searchEvents", { query: `q=${encodeURIComponent(q)}${more}` });
const ids = async (q: string, more = ""): Promise<number[]> => {
  const { items, pagination } = await search(q, more);
  expect(pagination.total).toBe(items.length);
  return items.map(({ id }) => id);
};

describe("words", () => {
  let gate: number;
  let door: number;
  let dog: number;
  beforeAll(async () => {
    await empty();
    gate = await store({ summary: "A person waits at the garden gate.", reasoning: "Late in the evening", types: ["person"] });
    door = await store({ summary: "A person rings at the front-door.", notes: "Émile, the neighbour's son", camera: "front_door" });
    dog = await store({
      summary: "A dog runs along the gate/fence.",
      reasoning: "Ünusual, 3 times in 1.5 minutes",
      camera: "cam3",
      types: ["dog", "traffic light"],
    });
  });

  const expected: [q: string, wanted: () => number[]][] = [
    ["person", () => [gate, door]],
    ["PERSON", () => [gate, door]],
    ["person gate", () => [gate]],
    ["gate person", () => [gate]],
    ["gate", () => [gate, dog]],
    ['"garden gate"', () => [gate]],
    ['"gate garden"', () => []],
    ['"person waits at the garden gate"', () => [gate]],
    ["person OR dog", () => [gate, door, dog]],
    ["person or dog", () => []],
    ["rings OR runs gate", () => [door, dog]],
    ["gate -person", () => [dog]],
    ["gate NOT person", () => [dog]],
    ['gate -"garden gate"', () => [dog]],
    ["-person", () => [dog]],
    ["evening", () => [gate]],
    ["neighbour", () => [door]],
    ["emile", () => [door]],
    ["EMILE", () => [door]],
    ["unusual", () => [dog]],
    ["front door", () => [door]],
    ["front-door", () => [door]],
    ["fence", () => [dog]],
    ["1.5", () => [dog]],
    ['"traffic light"', () => [dog]],
    ["pers*", () => [gate, door]],
    ["pers", () => []],
    ['"garden ga*"', () => [gate]],
    // camera names and ids
    ["haustur", () => [door]],
    ["Haustür person", () => [door]],
    ['"back yard"', () => [gate]],
    ["garage", () => [dog]],
    ["gara*", () => [dog]],
    ["cam3", () => [dog]],
    ["gate -garage", () => [gate]],
    // the end of one field and the beginning of the next are not adjacent words
    ['"gate person"', () => []],
    ['"fence 3"', () => []],
    ["nothing", () => []],
  ];
  it.each(expected)("%s", async (q, wanted) => {
    expect((await ids(q)).sort((a, b) => a - b)).toEqual(wanted());
  });

  it.each(["", " ", '"', "***", "- -", "OR", "NOT", "🙂", '"..."'])("refuses %j, which contains no search words", async (q) => {
    await expect(search(q)).rejects.toMatchObject({ kind: "invalid", items: [expect.objectContaining({ loc: ["query", "q"] })] });
  });

  it("is refused without q", async () => {
    await expect(desk.ask("searchEvents", {})).rejects.toMatchObject({
      items: [expect.objectContaining({ loc: ["query", "q"], type: "missing" })],
    });
  });

  it("whatever is typed, it is answered or refused", async () => {
    const bits = fc.constantFrom(
      "person",
      "OR",
      "NOT",
      "-",
      '"',
      "*",
      ":*",
      "&",
      "|",
      "!",
      "<->",
      "(",
      ")",
      "'",
      "\\",
      "@yard",
      "é",
      "'x':A",
      "%",
      ";--",
      "\u0301",
      "ß",
      "日本",
      " ",
    );
    const anything = fc.oneof(
      fc.array(bits, { maxLength: 12 }).map((all) => all.join(" ")),
      fc.array(bits, { maxLength: 12 }).map((all) => all.join("")),
      fc.string({ unit: "binary", maxLength: 40 }),
    );
    await fc.assert(
      fc.asyncProperty(anything, async (q) => {
        const outcome = await search(q).then(
          () => "answered",
          (error: { kind?: string }) => error.kind ?? String(error),
        );
        expect(["answered", "invalid"]).toContain(outcome);
      }),
      { numRuns: 400 },
    );
  });

  it("narrows by the filters of the list", async () => {
    expect(await ids("gate", "&camera_id=cam3")).toEqual([dog]);
    expect(await ids("gate", "&camera_id=cam3&camera_id=nobody&object_type=dog&reviewed=false&start_date=2020-01-01")).toEqual([dog]);
    expect(await ids("gate", "&object_type=person")).toEqual([gate]);
    expect(await ids("gate", "&reviewed=true")).toEqual([]);
    expect(await ids("gate", "&min_risk_score=0")).toEqual([]);
    expect(await ids("gate", "&end_date=2020-01-01")).toEqual([]);
    await expect(search("gate", "&risk_level=severe")).rejects.toMatchObject({ kind: "invalid" });
  });
});

describe("search results", () => {
  it("have the best match first, with a score and the words marked, safe for a page", async () => {
    await empty();
    const inReasoning = await store({ reasoning: "Somebody said that a ladder may be near." });
    const inSummary = await store({ summary: "A <b>ladder</b> & a person at the wall" });
    const { items } = await search("ladder");
    expect(items.map(({ id }) => id)).toEqual([inSummary, inReasoning]);
    const [best, other] = items as [Found, Found];
    expect(best.relevance_score).toBeGreaterThan(other.relevance_score);
    expect(best.relevance_score).toBeLessThanOrEqual(1);
    expect(best.highlight).toBe("A &lt;b&gt;<mark>ladder</mark>&lt;/b&gt; &amp; a person at the wall");
    expect(other.highlight).toBe("Somebody said that a <mark>ladder</mark> may be near.");
  });

  it("have the same score with and without excluded words", async () => {
    await empty();
    const often = await store({ summary: "A cat, another cat and one more cat" });
    const once = await store({ summary: "A cat" });
    await store({ summary: "A cat and a bird" });
    const scores = async (q: string) => (await search(q)).items.map(({ id, relevance_score }) => [id, relevance_score]);
    const plain = (await scores("cat")).filter(([id]) => id === often || id === once);
    expect(plain.map(([id]) => id)).toEqual([often, once]);
    expect(await scores("cat -bird")).toEqual(plain);
    expect(await scores("NOT bird cat")).toEqual(plain);
    expect((await scores("-bird")).map(([id]) => id)).toEqual([once, often]);
  });

  it("have the newest first among equal scores", async () => {
    await empty();
    const same = [await store({ summary: "a cat" }), await store({ summary: "a cat" }), await store({ summary: "a cat" })];
    expect(await ids("cat")).toEqual(same.reverse());
  });

  it("do not block other requests while many long texts are searched", async () => {
    await empty();
    const words = Array.from({ length: 24 }, (_, n) => `word${n}`);
    await desk.db.query(
      (sql) => sql`
        insert into events (camera_id, started_at, ended_at, summary, reasoning)
        select 'yard', now(), now(), '', repeat(${`${words.join(" ")} `}, 200)
        from generate_series(1, 100)
      `,
    );
    const pause = { longest: 0, since: performance.now() };
    const tick = (): void => {
      const now = performance.now();
      pause.longest = Math.max(pause.longest, now - pause.since);
      pause.since = now;
    };
    const timer = setInterval(tick, 1);
    const begun = performance.now();
    expect((await search(words.join(" OR "), "&limit=100")).items).toHaveLength(100);
    const whole = performance.now() - begun;
    tick();
    clearInterval(timer);
    expect(pause.longest).toBeLessThan(whole / 4);
  });

  it("include matches whose words are in no text", async () => {
    await empty();
    await store({ summary: "a cat" });
    expect((await search("-dog")).items[0]?.highlight).toBeNull();
  });
});

describe("the search index follows", () => {
  it("every change of an event, and the names of cameras", async () => {
    await empty();
    const id = await store({ summary: "a cat", types: ["cat"] });
    const event = { params: { event_id: String(id) } };
    await desk.ask("updateEvent", { ...event, body: { notes: "called Mimi", reviewed: true } });
    expect(await ids("mimi", "&reviewed=true")).toEqual([id]);
    await desk.db.query((sql) => sql`update events set summary = 'a fox', risk_score = 80, risk_level = 'critical' where event_id = ${id}`);
    expect(await ids("fox", "&risk_level=critical&min_risk_score=80")).toEqual([id]);
    expect(await ids('"a cat"')).toEqual([]);
    await desk.ask("updateCamera", { params: { camera_id: "yard" }, body: { name: "Hühnerhof" } });
    expect(await ids("huhnerhof")).toEqual([id]);
    expect(await ids('"back yard"')).toEqual([]);
    await desk.ask("deleteEvent", event);
    expect(await ids("fox")).toEqual([]);
    await desk.ask("restoreEvent", event);
    expect(await ids("fox")).toEqual([id]);
    await desk.db.query((sql) => sql`delete from events where event_id = ${id}`);
    expect(await ids("fox")).toEqual([]);
  });

  it("any sequence of inserts, updates, deletions and removals", async () => {
    const words = fc.constantFrom("cat", "dog", "fox");
    const step = fc.record({
      kind: fc.constantFrom("insert", "change", "delete", "restore", "remove", "review"),
      word: words,
      of: fc.integer({ min: 2, max: 4 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 10 }), async (steps) => {
        await empty();
        for (const { kind, word, of } of steps) {
          await desk.db.query(async (sql) => {
            if (kind === "insert")
              await sql`insert into events (camera_id, started_at, ended_at, summary) select 'yard', now(), now(), ${word} from generate_series(1, ${of}::integer)`;
            if (kind === "change") await sql`update events set summary = ${word} where event_id % ${of} = 0`;
            if (kind === "delete") await sql`update events set deleted_at = now() where event_id % ${of} = 0`;
            if (kind === "restore") await sql`update events set deleted_at = null where event_id % ${of} = 1`;
            if (kind === "remove") await sql`delete from events where event_id % ${of} = 0`;
            if (kind === "review") await sql`update events set reviewed = not reviewed where event_id % ${of} = 0`;
          });
        }
        const differences = await desk.db.query(
          (sql) => sql`
          select * from (
            (select s.* from event_search s except select r.* from event_search_rows r)
            union all
            (select r.* from event_search_rows r except select s.* from event_search s)
          ) d
        `,
        );
        expect(differences).toHaveLength(0);
      }),
      { numRuns: 30 },
    );
  });
});

describe("paging through search results", () => {
  it("shows each event that was there at the start exactly once, while others come and go", async () => {
    const text = fc.constantFrom("cat", "cat cat", "a black cat sleeps", "dog");
    await fc.assert(
      fc.asyncProperty(
        fc.array(text, { minLength: 1, maxLength: 12 }),
        fc.array(fc.oneof(text, fc.constant("")), { maxLength: 12 }),
        fc.integer({ min: 1, max: 4 }),
        async (there, coming, limit) => {
          await empty();
          for (const summary of there) await store({ summary });
          const start = (await search("cat", "&limit=1000")).items.map(({ id }) => id);
          const gone = new Set<number>();
          const seen: number[] = [];
          let cursor: string | null = "";
          while (cursor !== null) {
            const page: Wire<"searchEvents"> = await search("cat", `&limit=${limit}${cursor && `&cursor=${cursor}`}`);
            seen.push(...page.items.map(({ id }) => id));
            cursor = page.pagination.next_cursor;
            const next = coming.shift();
            if (next) await store({ summary: next });
            // an empty text means: delete the last event of the start
            const last = start.findLast((id) => !gone.has(id) && !seen.includes(id));
            if (next === "" && last !== undefined) {
              gone.add(last);
              await desk.ask("deleteEvent", { params: { event_id: String(last) } });
            }
          }
          expect(new Set(seen).size).toBe(seen.length);
          expect(seen.filter((id) => start.includes(id))).toEqual(start.filter((id) => !gone.has(id)));
        },
      ),
      { numRuns: 30 },
    );
  });

  it("goes on from window to window of a word that is everywhere, with an exact total", async () => {
    await empty();
    await desk.db.query(
      (sql) => sql`
        insert into events (camera_id, started_at, ended_at, summary)
        select 'yard', now(), now(), case when n % 3 = 0 then 'cat' else 'one cat and another cat' end
        from generate_series(1, 21000) n
      `,
    );
    const [newest] = await desk.db.query((sql) => sql<[{ id: number }]>`select max(event_id) as id from events`);
    const deep = await search("cat", "&limit=10&offset=15000");
    expect(deep.deprecation_warning).toBeDefined();
    const seen: number[] = [];
    let cursor: string | null = "";
    for (let pages = 0; cursor !== null; pages += 1) {
      const page: Wire<"searchEvents"> = await search("cat", `&limit=1000${cursor && `&cursor=${cursor}`}`);
      expect(page.pagination.total).toBe(21_000 + pages);
      seen.push(...page.items.map(({ id }) => id));
      cursor = page.pagination.next_cursor;
      await store({ summary: "dull, dull cat" });
    }
    expect(new Set(seen).size).toBe(seen.length);
    const there = seen.filter((id) => id <= newest.id);
    expect(there).toHaveLength(21_000);
    expect(there.slice(15_000, 15_010)).toEqual(deep.items.map(({ id }) => id));
  });

  it("refuses a cursor of another list", async () => {
    await store({ summary: "cat" });
    await store({ summary: "cat" });
    const { pagination } = await desk.ask("listEvents", { query: "limit=1" });
    await expect(search("cat", `&cursor=${pagination.next_cursor}`)).rejects.toMatchObject({ kind: "invalid" });
  });
});
