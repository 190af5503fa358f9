import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { insertDetections, type NewDetection } from "../../../src/monitoring/detections/detections-repository.ts";
import { parseSearch, type SearchQuery } from "../../../src/platform/search/query.ts";
import { type Desk, openDesk, type Wire } from "../../support/operations.ts";

type Found = Wire<"searchDetections">["items"][number];

/** Detections at three cameras, each as `class@camera`, with the text that enrichment read. */
interface Seen {
  readonly camera: string;
  readonly objectType: string;
  readonly at: number;
  readonly enrichment?: Record<string, unknown>;
}

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
  await desk.db.query(
    (sql) => sql`
      insert into cameras (camera_id, name, folder_path)
      values ('front', 'Front Door', '/f'), ('garden', 'Garden', '/g'), ('cam_3', 'Höfe-Tor_2', '/h')
    `,
  );
});
afterAll(() => desk.close());

const start = Date.parse("2026-03-01T08:00:00Z");

async function store(seen: readonly Seen[]): Promise<readonly number[]> {
  return await desk.db.transaction(async (sql) => {
    const records = await insertDetections(
      sql,
      seen.map(
        ({ camera, objectType, at }): NewDetection => ({
          cameraId: camera,
          imageId: null,
          batchId: null,
          filePath: "/x.jpg",
          fileType: "image/jpeg",
          videoOffsetSeconds: null,
          detectedAt: new Date(start + at),
          objectType,
          confidence: 0.5 + (at % 50) / 100,
          box: null,
          createdAt: new Date(start + at),
        }),
      ),
    );
    const ids = records.map(({ id }) => id);
    for (const [index, { enrichment }] of seen.entries()) {
      if (!enrichment) continue;
      await sql`update detections set enrichment = ${JSON.stringify({ has_embedding: false, ...enrichment })}::text::jsonb where detection_id = ${ids[index] ?? 0}`;
    }
    return ids;
  });
}

const clear = () => desk.db.query((sql) => sql`delete from detections`);
const search = (q: string, more = "") => desk.ask("searchDetections", { query: `${new URLSearchParams({ q })}${more}` });
const named = (items: readonly Found[]) => items.map((item) => `${item.object_type}@${item.camera_id}`);

describe("search", () => {
  beforeAll(async () => {
    await clear();
    await store([
      { camera: "front", objectType: "dog", at: 1 },
      { camera: "garden", objectType: "dog", at: 2 },
      {
        camera: "front",
        objectType: "person",
        at: 3,
        enrichment: { attributes: { upper: { colour: "Red" }, height: 180 }, caption: "A man" },
      },
      { camera: "garden", objectType: "person", at: 4, enrichment: { caption: "Somebody walks a dog in the garden" } },
      {
        camera: "cam_3",
        objectType: "car",
        at: 5,
        enrichment: { ocr: [{ text: "B-AB 123", confidence: 0.9 }], attributes: { red: true } },
      },
      { camera: "cam_3", objectType: "bus", at: 6 },
    ]);
  });

  it.each<[q: string, expected: string[]]>([
    ["dog", ["dog@garden", "dog@front", "person@garden"]],
    ["DOG", ["dog@garden", "dog@front", "person@garden"]],
    ["dogs", ["dog@garden", "dog@front"]],
    ["buses", ["bus@cam_3"]],
    ["People", ["person@garden", "person@front"]],
    ["front", ["person@front", "dog@front"]],
    ['"front door"', ["person@front", "dog@front"]],
    ["Front-Door", ["person@front", "dog@front"]],
    ['"door front"', []],
    ["hofe tor", ["bus@cam_3", "car@cam_3"]],
    ["cam_3", ["bus@cam_3", "car@cam_3"]],
    ["dog garden", ["dog@garden", "person@garden"]],
    ["dog -garden", ["dog@front"]],
    ["-dog -person", ["bus@cam_3", "car@cam_3"]],
    ["-red", ["bus@cam_3", "car@cam_3", "person@garden", "dog@garden", "dog@front"]],
    ["red", ["person@front"]],
    ["180", ["person@front"]],
    ['"b ab 123"', ["car@cam_3"]],
    ["B-AB", ["car@cam_3"]],
    ["walk*", ["person@garden"]],
    ["walk", []],
    ["gar*", ["person@garden", "dog@garden"]],
    ["bus OR red", ["bus@cam_3", "person@front"]],
    ["person red OR bus", ["bus@cam_3", "person@front"]],
    ["person NOT man", ["person@garden"]],
    ["person", ["person@garden", "person@front"]],
    ["cat", []],
    ["nothing -dog", []],
    ["🦊fox", []],
    ["it's OR 50% OR a\\b OR 'x' OR <->", []],
  ])("finds %j", async (q, expected) => {
    const { items, pagination } = await search(q);
    expect(named(items)).toEqual(expected);
    expect(pagination).toMatchObject({ total: expected.length, next_cursor: null, has_more: false });
  });

  it("reports how directly each was found, most relevant first", async () => {
    const scores = (await search("dog")).items.map((item) => [item.object_type, item.relevance_score]);
    expect(scores).toEqual([
      ["dog", 1],
      ["dog", 1],
      ["person", 0.6],
    ]);
    const both = (await search("garden dog")).items.map((item) => [item.object_type, item.relevance_score]);
    expect(both).toEqual([
      ["dog", 0.9],
      ["person", 0.7],
    ]);
  });

  it.each<[more: string, expected: string[]]>([
    ["&camera_id=garden", ["dog@garden", "person@garden"]],
    ["&camera_id=front&camera_id=garden&object_type=dog", ["dog@garden", "dog@front"]],
    ["&camera_id=nobody", []],
    ["&object_type=person", ["person@garden"]],
    ["&start_date=2026-03-01&end_date=2026-03-01", ["dog@garden", "dog@front", "person@garden"]],
    ["&start_date=2026-03-02", []],
    ["&end_date=2026-02-28", []],
    ["&start_date=2026-03-01T08:00:00.002Z", ["dog@garden", "person@garden"]],
    ["&end_date=2026-03-01T08:00:00.001Z", ["dog@front"]],
    ["&min_confidence=0.52", ["dog@garden", "person@garden"]],
    ["&event_id=1", []],
  ])("narrows by %s", async (more, expected) => {
    const { items, pagination } = await search("dog", more);
    expect(named(items)).toEqual(expected);
    expect(pagination.total).toBe(expected.length);
  });

  it("skips with offset, across what is found more and less directly", async () => {
    const page = await search("dog", "&offset=1&limit=1");
    expect(named(page.items)).toEqual(["dog@front"]);
    expect(page.deprecation_warning).toBeDefined();
    expect(named((await search("dog", "&offset=2")).items)).toEqual(["person@garden"]);
    expect(named((await search("dog", "&offset=3")).items)).toEqual([]);
  });

  it.each([
    ["q=", "string_too_short"],
    ["q=%20", "value_error"],
    ["q=-", "value_error"],
    [`q=${"x".repeat(501)}`, "string_too_long"],
    ["", "missing"],
    ["q=dog&cursor=x", "value_error"],
    ["q=dog&limit=0", "greater_than_equal"],
  ])("refuses %s", async (query, type) => {
    await expect(desk.ask("searchDetections", { query })).rejects.toMatchObject({
      kind: "invalid",
      items: [expect.objectContaining({ type })],
    });
  });

  it("refuses the cursor of the list", async () => {
    const { pagination } = await desk.ask("listDetections", { query: "limit=1" });
    await expect(search("dog", `&cursor=${pagination.next_cursor}`)).rejects.toMatchObject({ kind: "invalid" });
  });

  it("follows a corrected class, a renamed camera, and what was deleted", async () => {
    const [id] = await store([{ camera: "front", objectType: "cat", at: 7 }]);
    expect((await search("cat")).pagination.total).toBe(1);
    await desk.ask("updateDetections", { body: { detections: [{ id, object_type: "bird" }] } });
    expect((await search("cat")).pagination.total).toBe(0);
    expect((await search("bird")).items.map((item) => item.id)).toEqual([id]);
    await desk.db.query((sql) => sql`update cameras set name = 'Aviary' where camera_id = 'front'`);
    expect((await search("bird aviary")).pagination.total).toBe(1);
    await desk.db.query((sql) => sql`update cameras set name = 'Front Door' where camera_id = 'front'`);
    await desk.ask("deleteDetections", { body: { detection_ids: [id] } });
    expect((await search("bird")).pagination.total).toBe(0);
  });
});

describe("any search", () => {
  const cameras = { front: "front door front", garden: "garden garden", cam_3: "hofe tor 2 cam 3" };
  const words = ["dog", "person", "front", "garden", "red", "blue"];
  const seen = fc.record({
    camera: fc.constantFrom("front", "garden"),
    objectType: fc.constantFrom("dog", "person"),
    at: fc.integer({ min: 0, max: 4 }),
    read: fc.option(fc.array(fc.constantFrom(...words), { maxLength: 3 }), { nil: undefined }),
  });
  type SeenWords = typeof seen extends fc.Arbitrary<infer T> ? T : never;
  const asSeen = ({ camera, objectType, at, read }: SeenWords): Seen => ({
    camera,
    objectType,
    at,
    ...(read && { enrichment: { caption: read.join(" ") } }),
  });
  const term = fc.tuple(fc.constantFrom("", "-"), fc.constantFrom(...words)).map(([minus, word]) => minus + word);
  const query = fc
    .array(fc.array(term, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 3 })
    .map((groups) => groups.map((group) => group.join(" ")).join(" OR "));

  /** The reference: searches all texts of a detection for the query. */
  function matches(asked: SearchQuery, { camera, objectType, read }: SeenWords): boolean {
    if (asked.kind === "phrase") return [objectType, ...cameras[camera].split(" "), ...(read ?? [])].includes(asked.text);
    if (asked.kind === "not") return !matches(asked.part, { camera, objectType, at: 0, read });
    const parts = asked.parts.map((part) => matches(part, { camera, objectType, at: 0, read }));
    return asked.kind === "and" ? parts.every(Boolean) : parts.some(Boolean);
  }

  it("finds exactly what it means, each once, page by page, while others come and go", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(seen, { minLength: 1, maxLength: 12 }),
        fc.array(seen, { maxLength: 8 }),
        query,
        fc.integer({ min: 1, max: 4 }),
        fc.constantFrom("", "&start_date=2026-03-01", "&min_confidence=0.51", "&camera_id=front"),
        async (there, coming, q, limit, filter) => {
          await clear();
          const ids = await store(there.map(asSeen));
          const passes = (one: SeenWords) =>
            (filter !== "&min_confidence=0.51" || one.at >= 1) && (filter !== "&camera_id=front" || one.camera === "front");
          const expected = ids.filter((_, index) => {
            const one = there[index];
            return one && passes(one) && matches(parseSearch(q), one);
          });
          const first = await search(q, filter);
          expect(first.items.map((item) => item.id).toSorted((a, b) => a - b)).toEqual(expected);
          expect(first.pagination.total).toBe(expected.length);
          const order = first.items.map((item) => [-item.relevance_score, -Date.parse(item.detected_at), -item.id] as const);
          expect(order).toEqual(order.toSorted(([a, b, c], [d, e, f]) => a - d || b - e || c - f));

          const walked: number[] = [];
          let cursor: string | null = "";
          while (cursor !== null) {
            const page: Wire<"searchDetections"> = await search(q, `${filter}&limit=${limit}${cursor && `&cursor=${cursor}`}`);
            walked.push(...page.items.map((item) => item.id));
            cursor = page.pagination.next_cursor;
            const next = coming.pop();
            if (next) await store([asSeen(next)]);
          }
          expect(new Set(walked).size).toBe(walked.length);
          expect(walked.filter((id) => ids.includes(id))).toEqual(first.items.map((item) => item.id));
        },
      ),
      { numRuns: 60 },
    );
  });
});
