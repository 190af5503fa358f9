import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createApp } from "../../daemon/http/app.ts";
import { type Listening, listen } from "../../daemon/http/listen.ts";
import { operations } from "../../src/all-operations.ts";
import { encodeCursor, type KeyPart } from "../../src/contract/cursor.ts";
import type { Route } from "../../src/contract/route.ts";
import { routes } from "../../src/contract/routes/index.ts";
import { fill } from "../admin/backup/tables.ts";
import { keptLog } from "../daemon/http/support.ts";
import { type Desk, openDesk } from "../support/operations.ts";
import { quietRuntime } from "../support/runtime.ts";
import { mutated } from "./bytes.ts";
import { holds, testTimeoutMs } from "./support.ts";

/*
 * Cursors carry a checksum against accidents, but nothing secret: a client can compute one for any key. So these tests send each list
 * keys that it never issued.
 */

interface List {
  readonly path: string;
  /** The name inside its cursors. */
  readonly name: string;
  /** A key as the list issues it. */
  readonly key: readonly KeyPart[];
}

const time = "2026-01-01T00:00:00.000000Z";
const uuid = "0b8f7c1e-8d0e-4d8a-9a52-6a0c6f0d3b11";
const lists: Readonly<Record<string, List>> = {
  listCameras: { path: "/api/cameras", name: "cameras", key: ["gate"] },
  listDeletedCameras: { path: "/api/cameras/deleted", name: "cameras/deleted", key: [time, "gate"] },
  listImages: { path: "/api/images", name: "images", key: [time, 5] },
  listEvents: { path: "/api/events", name: "events", key: [time, 5] },
  searchEvents: { path: "/api/events/search?q=note", name: "event-search", key: [0, null, 0.5, 5] },
  listDeletedEvents: { path: "/api/events/deleted", name: "deleted-events", key: [time, 5] },
  listDetections: { path: "/api/detections", name: "detections", key: [time, 5] },
  searchDetections: { path: "/api/detections/search?q=person", name: "detections/search", key: [1, time, 5] },
  listRules: { path: "/api/alerts/rules", name: "alerts/rules", key: [time, uuid] },
  listAlerts: { path: "/api/alerts", name: "alerts", key: [time, uuid] },
  listSilences: { path: "/api/silences", name: "silences", key: [time, uuid] },
  listModeSwitches: { path: "/api/mode/history", name: "mode/history", key: [time, 5] },
  listChanges: { path: "/api/changes", name: "changes", key: [time, 5] },
  listEvidencePacks: { path: "/api/evidence/packs", name: "evidence packs", key: [time, uuid] },
  listShares: { path: "/api/shares", name: "shares", key: [time, uuid] },
  listKeys: { path: "/api/keys", name: "keys", key: [time, uuid] },
  listEntities: { path: "/api/entities", name: "entities", key: [time, uuid] },
  listReceivedAlerts: { path: "/api/webhooks/alerts", name: "received-alerts", key: [time, "a", time, "firing"] },
  listSceneChanges: { path: "/api/cameras/gate/scene-changes", name: "scene-changes", key: [time, 5] },
  listDeadLetters: { path: "/api/dlq/detect", name: "dlq detect", key: [5] },
};

let desk: Desk;
let served: Listening;
const log = keptLog();
beforeAll(async () => {
  desk = await openDesk();
  await fill(desk.db, { events: 20 });
  await desk.db.query((sql) => sql`update events set risk_factors = '[]', object_types = '{person}'`);
  const app = createApp({ operations, context: { ...desk.context, runtime: quietRuntime() }, log, allowedHosts: [], strictReplies: true });
  served = await listen({ app, host: "127.0.0.1", port: 0 });
});
afterAll(async () => {
  await served.close();
  await desk.close();
});

async function ask({ path }: List, cursor: string): Promise<number> {
  const url = `http://127.0.0.1:${served.port}${path}${path.includes("?") ? "&" : "?"}limit=2&cursor=${encodeURIComponent(cursor)}`;
  const response = await fetch(url);
  await response.arrayBuffer();
  return response.status;
}

const part: fc.Arbitrary<KeyPart> = fc.oneof(
  fc.constantFrom<KeyPart[]>(
    ...[
      null,
      0,
      -1,
      1.5,
      2 ** 31,
      -(2 ** 31) - 1,
      Number.MAX_SAFE_INTEGER,
      -Number.MAX_SAFE_INTEGER,
      2 ** 63,
      1e308,
      -1e308,
      5e-324,
      1e-40,
    ],
    ...["", "\0", "a\0b", "\ud800", "😀", "x".repeat(3_000), "gate", "'; drop table events --", uuid, uuid.toUpperCase(), "firing", time],
    ...["0000-01-01T00:00:00.000000Z", "2026-02-30T00:00:00.000000Z", "9999-12-31T24:00:00.000000Z", "2026-01-01T23:59:60.000000Z"],
  ),
  fc.string({ unit: "binary", maxLength: 50 }),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);

/** A key of the list with one or all of its parts changed, or any other value. */
const keyOf = ({ key }: List): fc.Arbitrary<readonly KeyPart[]> =>
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc
        .tuple(fc.nat({ max: key.length - 1 }), part)
        .map(([at, other]) => key.map((own, index) => (index === at ? other : own))),
    },
    { weight: 2, arbitrary: fc.tuple(...key.map((own) => fc.oneof(fc.constant(own), part))) },
    { weight: 1, arbitrary: fc.array(part, { maxLength: 6 }) },
  );

test("fuzz cursors: every route with a cursor is tested", () => {
  const withCursor = (Object.entries(routes) as [string, Route][]).filter(
    ([, { query }]) => query !== undefined && "cursor" in query.shape,
  );
  expect(Object.keys(lists).sort()).toEqual(withCursor.map(([id]) => id).sort());
});

test.each(Object.entries(lists))(
  "fuzz cursors: %s accepts its own cursors and rejects all others",
  async (_id, list) => {
    expect(await ask(list, encodeCursor(list.name, list.key))).toBe(200);
    await holds(keyOf(list), { few: 25, many: 2_000 }, async (key) => {
      expect([200, 422]).toContain(await ask(list, encodeCursor(list.name, key)));
    });
    const own = { cursor: Buffer.from(encodeCursor(list.name, list.key)) };
    await holds(mutated(own), { few: 5, many: 500 }, async ({ bytes }) => {
      expect([200, 422]).toContain(await ask(list, bytes.toString("latin1")));
    });
  },
  testTimeoutMs,
);

test("fuzz cursors: no request caused an internal error", () => {
  expect(log.lines.filter(({ level }) => level === "error").map(({ fields }) => fields)).toEqual([]);
});
