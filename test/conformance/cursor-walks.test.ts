// Over 400 lines: one walk for each list, with how its rows are made.
import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Route } from "../../src/contract/route.ts";
import { type OperationId, routes } from "../../src/contract/routes/index.ts";
import type { Sql } from "../../src/platform/database/database.ts";
import { emptyTables } from "../support/empty-tables.ts";
import { type Asked, type Desk, openDesk } from "../support/operations.ts";

/*
 * Walking a cursor to its end shows each initial row exactly once, whatever is added or removed meanwhile, and the total is the current
 * one. This file walks every list that has a cursor: the last test fails until a new list has an entry here.
 */

/** The values that distinguish a row: its position, which many rows share, and its flavour, which filters and searches use. */
interface Kind {
  readonly place: number;
  readonly flavour: number;
}

interface Walk {
  readonly params?: Asked["params"];
  readonly query?: string;
  /** Adds a row that the list shows, and returns its id in the list. */
  readonly insert: (kind: Kind) => Promise<unknown>;
  readonly remove: (id: unknown) => Promise<unknown>;
  /** The name of the id's field in an item. */
  readonly id: string;
}

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
});
afterAll(() => desk.close());
beforeEach(async () => {
  await desk.db.query(async (sql) => {
    await emptyTables(sql, "cameras, jobs, entities");
    await sql`
      insert into cameras (camera_id, name, folder_path, status)
      values ('yard', 'Back yard', '/yard', 'online'), ('gate', 'Where a person enters', '/gate', 'online'), ('roof', 'Person', '/roof', 'online')
    `;
  });
});

const cameras = ["yard", "gate", "roof"] as const;
const cameraOf = ({ flavour }: Kind): string => cameras[flavour % cameras.length] ?? "yard";
const one = async (statement: (sql: Sql) => PromiseLike<readonly { id: unknown }[]>): Promise<unknown> =>
  (await desk.db.query(async (sql) => await statement(sql)))[0]?.id;
const at = (sql: Sql, { place }: Kind) => sql`timestamptz '2026-03-01 11:00:00Z' + ${place}::integer * interval '1 microsecond'`;

const insertEvent = (kind: Kind): Promise<unknown> =>
  one(
    (sql) => sql<{ id: number }[]>`
      insert into events (camera_id, started_at, ended_at, summary)
      values (${cameraOf(kind)}, ${at(sql, kind)}, now(), ${"a person at the gate ".repeat(1 + kind.flavour)})
      returning event_id as id
    `,
  );
const deleteEvent = (id: unknown) => desk.ask("deleteEvent", { params: { event_id: String(id) } });
const insertAlert = async (kind: Kind): Promise<unknown> => {
  const eventId = await insertEvent(kind);
  const metadata = { rule_name: "A rule", matched_conditions: [], channels: [], reason: null };
  return await one(
    (sql) => sql<{ id: string }[]>`
      insert into alerts (alert_id, event_id, rule_name, camera_id, severity, dedup_key, alert_metadata, created_at, updated_at)
      values (gen_random_uuid(), ${eventId as number}, 'A rule', ${cameraOf(kind)}, 'high', 'a key', ${sql.json(metadata)}, ${at(sql, kind)}, now())
      returning alert_id as id
    `,
  );
};
const removeAlert = (id: unknown) => desk.db.query((sql) => sql`delete from alerts a where a.alert_id = ${id as string}`);
const insertDetection = (kind: Kind): Promise<unknown> =>
  one(
    (sql) => sql<{ id: number }[]>`
      insert into detections (camera_id, file_path, detected_at, object_type, confidence, enrichment)
      values (${cameraOf(kind)}, '/x.jpg', ${at(sql, kind)}, 'person', 0.5, ${kind.place === 0 ? sql.json({ caption: "a person", has_embedding: false }) : null})
      returning detection_id as id
    `,
  );
const removeDetection = (id: unknown) => desk.ask("deleteDetections", { body: { detection_ids: [id] } });
const insertEntity = (kind: Kind): Promise<unknown> =>
  one(
    (sql) => sql<{ id: string }[]>`
      insert into entities (object_type, first_seen_at, last_seen_at, detection_count, representative_detection_id, representative_confidence, created_at)
      values ('person', now(), now(), 1, 1, 0.5, ${at(sql, kind)})
      returning entity_id as id
    `,
  );
const removeEntity = (id: unknown) => desk.db.query((sql) => sql`delete from entities n where n.entity_id = ${id as string}`);
const insertSilence = (kind: Kind): Promise<unknown> =>
  one(
    (sql) => sql<{ id: string }[]>`
      insert into silences (silence_id, camera_id, reason, created_at, ends_at)
      values (gen_random_uuid(), ${cameraOf(kind)}, 'x', ${at(sql, kind)}, timestamptz '2100-01-01')
      returning silence_id as id
    `,
  );
const removeSilence = (id: unknown) => desk.db.query((sql) => sql`delete from silences s where s.silence_id = ${id as string}`);
const insertSwitch = (kind: Kind): Promise<unknown> =>
  one(
    (sql) => sql<{ id: number }[]>`
      insert into mode_switches (mode, previous_mode, requested_at, switched_at)
      values ('away', 'home', ${at(sql, kind)}, ${at(sql, kind)})
      returning switch_id as id
    `,
  );
const removeSwitch = (id: unknown) => desk.db.query((sql) => sql`delete from mode_switches s where s.switch_id = ${id as number}`);
let keyCount = 0;
const insertKey = (kind: Kind): Promise<unknown> => {
  keyCount += 1;
  const secret = Buffer.alloc(32);
  secret.writeUInt32BE(keyCount);
  return one(
    (sql) => sql<{ id: string }[]>`
      insert into keys (key_id, kind, name, role, secret_sha256, created_at)
      values (gen_random_uuid(), 'key', 'anna', 'resident', ${secret}, ${at(sql, kind)})
      returning key_id as id
    `,
  );
};
const removeKey = (id: unknown) => desk.db.query((sql) => sql`delete from keys k where k.key_id = ${id as string}`);
const insertChange = (kind: Kind): Promise<unknown> =>
  one(
    (sql) => sql<{ id: string }[]>`
      insert into changes (changed_at, changed_by, role, operation, subjects, fields)
      values (${at(sql, kind)}, 'anna', 'resident', 'updateEvent', array['events/1'], array['notes'])
      returning change_id as id
    `,
  );
const removeChange = (id: unknown) => desk.db.query((sql) => sql`delete from changes c where c.change_id = ${id as number}`);
let shareCount = 0;
const insertShare = (kind: Kind): Promise<unknown> => {
  shareCount += 1;
  const secret = Buffer.alloc(32);
  secret.writeUInt32BE(shareCount);
  return one(
    (sql) => sql<{ id: string }[]>`
      insert into shares (share_id, secret_sha256, created_at, expires_at)
      values (gen_random_uuid(), ${secret}, ${at(sql, kind)}, ${at(sql, kind)} + interval '100 years')
      returning share_id as id
    `,
  );
};
const removeShare = (id: unknown) => desk.db.query((sql) => sql`delete from shares s where s.share_id = ${id as string}`);
const insertPack = (kind: Kind): Promise<unknown> =>
  one(
    (sql) => sql<{ id: string }[]>`
      insert into evidence_packs (pack_id, event_id, camera_id, created_at)
      values (gen_random_uuid(), 1, 'yard', ${at(sql, kind)})
      returning pack_id as id
    `,
  );
const removePack = (id: unknown) => desk.db.query((sql) => sql`delete from evidence_packs p where p.pack_id = ${id as string}`);
let cameraCount = 0;
const insertCamera = (deletedAt: (sql: Sql, kind: Kind) => ReturnType<typeof at>) => (kind: Kind) => {
  cameraCount += 1;
  const id = `${"zmab"[kind.place % 4]}${cameraCount}`;
  return one(
    (sql) => sql<{ id: string }[]>`
      insert into cameras (camera_id, name, folder_path, deleted_at)
      values (${id}, ${id}, ${id}, ${deletedAt(sql, kind)})
      returning camera_id as id
    `,
  );
};

/** Keyed by operation, so that each key must exist. */
const walks: Partial<Record<OperationId, readonly Walk[]>> = {
  listEvents: [
    { insert: insertEvent, remove: deleteEvent, id: "id" },
    {
      query: "camera_id=yard&camera_id=gate",
      insert: (kind) => insertEvent({ ...kind, flavour: kind.flavour % 2 }),
      remove: deleteEvent,
      id: "id",
    },
    {
      query: "risk_level=low&reviewed=false",
      insert: async (kind) => await leveled(await insertEvent(kind)),
      remove: deleteEvent,
      id: "id",
    },
  ],
  listDeletedEvents: [
    {
      insert: async (kind) => {
        const id = await insertEvent(kind);
        desk.at(new Date(Date.UTC(2026, 2, 1, 12, 0, kind.place)));
        await deleteEvent(id);
        return id;
      },
      remove: (id) => desk.ask("restoreEvent", { params: { event_id: String(id) } }),
      id: "id",
    },
  ],
  searchEvents: [
    { query: "q=person", insert: insertEvent, remove: deleteEvent, id: "id" },
    { query: "q=person+OR+yard", insert: insertEvent, remove: deleteEvent, id: "id" },
  ],
  listDetections: [
    { insert: insertDetection, remove: removeDetection, id: "id" },
    { query: "object_type=person&min_confidence=0.4", insert: insertDetection, remove: removeDetection, id: "id" },
  ],
  searchDetections: [{ query: "q=person", insert: insertDetection, remove: removeDetection, id: "id" }],
  listCameras: [
    {
      query: "status=unknown",
      insert: insertCamera((sql) => sql`null`),
      remove: (id) => desk.ask("deleteCamera", { params: { camera_id: String(id) } }),
      id: "camera_id",
    },
  ],
  listDeletedCameras: [
    {
      insert: insertCamera(at),
      remove: (id) => desk.ask("restoreCamera", { params: { camera_id: String(id) } }),
      id: "camera_id",
    },
  ],
  listSceneChanges: [
    {
      params: { camera_id: "yard" },
      insert: (kind) =>
        one(
          (sql) => sql<{ id: number }[]>`
            insert into scene_changes (camera_id, detected_at, change_type, similarity_score)
            values ('yard', ${at(sql, kind)}, 'view_moved', 0.2)
            returning scene_change_id as id
          `,
        ),
      remove: (id) => desk.db.query((sql) => sql`delete from scene_changes s where s.scene_change_id = ${id as number}`),
      id: "id",
    },
  ],
  listEntities: [
    { insert: insertEntity, remove: removeEntity, id: "id" },
    { query: "object_type=person&start_date=2026-01-01", insert: insertEntity, remove: removeEntity, id: "id" },
  ],
  listAlerts: [
    { insert: insertAlert, remove: removeAlert, id: "id" },
    { query: "status=pending&severity=high", insert: insertAlert, remove: removeAlert, id: "id" },
  ],
  listKeys: [
    { insert: insertKey, remove: removeKey, id: "id" },
    { query: "status=active", insert: insertKey, remove: removeKey, id: "id" },
  ],
  listChanges: [
    { insert: insertChange, remove: removeChange, id: "id" },
    { query: "subject=events/1", insert: insertChange, remove: removeChange, id: "id" },
  ],
  listModeSwitches: [{ insert: insertSwitch, remove: removeSwitch, id: "id" }],
  listEvidencePacks: [{ insert: insertPack, remove: removePack, id: "id" }],
  listShares: [{ insert: insertShare, remove: removeShare, id: "id" }],
  listSilences: [
    { insert: insertSilence, remove: removeSilence, id: "id" },
    { query: "status=active", insert: insertSilence, remove: removeSilence, id: "id" },
  ],
  listRules: [
    {
      query: "severity=high",
      insert: (kind) =>
        one(
          (sql) => sql<{ id: string }[]>`
            insert into rules (name, severity, dedup_key_template, cooldown_seconds, created_at)
            values ('Rule', 'high', 'key', 0, ${at(sql, kind)})
            returning rule_id as id
          `,
        ),
      remove: (id) => desk.ask("deleteRule", { params: { id: String(id) } }),
      id: "id",
    },
  ],
  listImages: [
    {
      query: "status=skipped",
      insert: (kind) =>
        one(
          (sql) => sql<{ id: number }[]>`
            insert into images (camera_id, path, size_bytes, modified_ns, found_by, found_at, taken_at, status, reason)
            values (${cameraOf(kind)}, gen_random_uuid()::text, 1, 1, 'scan', ${at(sql, kind)}, ${at(sql, kind)}, 'skipped', 'unreadable')
            returning image_id as id
          `,
        ),
      remove: (id) => desk.db.query((sql) => sql`delete from images i where i.image_id = ${id as number}`),
      id: "id",
    },
  ],
  listReceivedAlerts: [
    {
      query: "status=firing",
      insert: (kind) =>
        one(
          (sql) => sql<{ id: string }[]>`
            insert into received_alerts (fingerprint, starts_at, status, severity, component, labels, annotations, receiver, group_key,
              external_url, first_received_at, last_received_at)
            values (gen_random_uuid()::text, ${at(sql, kind)}, 'firing', 'info', 'detector', '{}', '{}', '', '', '', ${at(sql, kind)}, now())
            returning fingerprint as id
          `,
        ),
      remove: (id) => desk.db.query((sql) => sql`delete from received_alerts r where r.fingerprint = ${id as string}`),
      id: "fingerprint",
    },
  ],
  listDeadLetters: [
    {
      params: { queue: "detect" },
      insert: ({ place }) =>
        one(
          (sql) => sql<{ id: number }[]>`
            insert into jobs (queue, subject, position, available_at, status)
            select 'detect', coalesce(max(j.subject::integer), 0) + 1 + ${place}::integer, now(), now(), 'dead' from jobs j
            returning job_id as id
          `,
        ),
      remove: (id) => desk.ask("purgeDeadLetters", { params: { queue: "detect" }, query: `job_id=${id}` }),
      id: "job_id",
    },
  ],
};

async function leveled(id: unknown): Promise<unknown> {
  await desk.db.query((sql) => sql`update events set risk_score = 5, risk_level = 'low' where event_id = ${id as number}`);
  return id;
}

interface Page {
  readonly items: readonly Readonly<Record<string, unknown>>[];
  readonly total: number;
  readonly next: string | null;
  readonly more: boolean;
}

/** The field names of each kind of page. */
async function pageOf(list: OperationId, asked: Asked): Promise<Page> {
  const answer = (await desk.ask(list, asked)) as unknown as Record<string, unknown>;
  const pagination = (answer["pagination"] ?? { ...answer, total: answer["total_changes"] }) as Record<string, unknown>;
  const items = Object.values(answer).find(Array.isArray);
  return { items, total: pagination["total"], next: pagination["next_cursor"], more: pagination["has_more"] } as Page;
}

const kindOfRow = fc.record({ place: fc.integer({ min: 0, max: 3 }), flavour: fc.integer({ min: 0, max: 2 }) });
const change = fc.oneof(
  fc.record({ insert: kindOfRow, meanwhile: fc.boolean() }),
  fc.record({ removeOne: fc.nat({ max: 30 }), meanwhile: fc.boolean() }),
);
type Change = { readonly meanwhile: boolean } & ({ readonly insert: Kind } | { readonly removeOne: number });

/** Walks a list to its end, with a change between two pages or during one. */
async function walked(list: OperationId, walk: Walk, start: readonly Kind[], changes: readonly Change[], limit: number): Promise<void> {
  const living: unknown[] = [];
  for (const kind of start) living.push(await walk.insert(kind));
  const atStart = [...living];
  const removed = new Set<unknown>();
  const apply = async (next: Change | undefined): Promise<void> => {
    if (!next) return;
    if ("insert" in next) {
      living.push(await walk.insert(next.insert));
    } else if (living.length > 0) {
      const [id] = living.splice(next.removeOne % living.length, 1);
      removed.add(id);
      await walk.remove(id);
    }
  };
  const seen: unknown[] = [];
  const coming = [...changes];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const next = coming.shift();
    if (!next?.meanwhile) await apply(next);
    const before = living.length;
    const query = [`limit=${limit}`, walk.query, cursor && `cursor=${cursor}`].filter(Boolean).join("&");
    const asking = pageOf(list, { ...(walk.params && { params: walk.params }), query });
    if (next?.meanwhile) await apply(next);
    const page: Page = await asking;
    expect([before, living.length]).toContain(page.total);
    expect(page.items.length).toBeLessThanOrEqual(limit);
    expect(page.more).toBe(page.next !== null);
    seen.push(...page.items.map((item) => item[walk.id]));
    cursor = page.next;
  }
  expect(new Set(seen).size, "a row was shown twice").toBe(seen.length);
  expect(
    atStart.filter((id) => !removed.has(id) && !seen.includes(id)),
    "rows of the start were not shown",
  ).toEqual([]);
  for (const id of living) await walk.remove(id);
}

describe.each(
  Object.entries(walks).flatMap(([list, some]) =>
    some.map((walk): [OperationId, string, Walk] => [list as OperationId, walk.query ?? "", walk]),
  ),
)("%s %s", (list, _query, walk) => {
  test("cursor walk: shows each initial row exactly once while others come and go, with the current total", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(kindOfRow, { minLength: 1, maxLength: 8 }),
        fc.array(change, { maxLength: 8 }),
        fc.integer({ min: 1, max: 3 }),
        async (start, changes, limit) => await walked(list, walk, start, changes, limit),
      ),
      // an aborted run would leave its rows to the next one
      { numRuns: 15, endOnFailure: true },
    );
  });
});

test("cursor walk: every list with a cursor is tested", () => {
  const lists = (Object.entries(routes) as [OperationId, Route][]).filter(([, { query }]) => query && "cursor" in query.shape);
  expect(lists.map(([id]) => id).toSorted()).toEqual(Object.keys(walks).toSorted());
});
