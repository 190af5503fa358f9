import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { systemClock } from "../../../src/base/clock/clock.ts";
import { silentLog } from "../../../src/base/log/log.ts";
import { deferWaitingImages, imagesForJobs, markProcessed, unknownVersions } from "../../../src/monitoring/images/images-repository.ts";
import { type FoundFile, type Registered, registerFiles } from "../../../src/monitoring/images/register.ts";
import { keptLog } from "../../daemon/http/support.ts";
import { type TestDatabase, testDatabase } from "../../support/database.ts";

let database: TestDatabase;
let next = 0;

beforeAll(async () => {
  database = await testDatabase({ fresh: true });
  await database.db.query(
    (sql) =>
      sql`insert into cameras (camera_id, name, folder_path) values ('front', 'Front', '/nowhere/front'), ('back', 'Back', '/nowhere/back')`,
  );
});
afterAll(() => database.close());

function file(changes: Partial<FoundFile> = {}): FoundFile {
  next += 1;
  return {
    ...{
      path: `/nowhere/front/${next}.jpg`,
      sizeBytes: 1_000,
      modifiedNs: 1_767_225_600_123_456_789n + BigInt(next),
      foundBy: "watch",
      live: true,
      capturedAt: null,
    },
    ...{ takenAt: new Date("2026-01-01T00:00:00Z"), mediaType: "image/jpeg", width: 768, height: 576, refusal: null },
    sha256: createHash("sha256").update(`content ${next}`).digest(),
    ...changes,
  };
}

const register = (files: readonly FoundFile[], camera = "front"): Promise<Registered> =>
  registerFiles({ db: database.db, clock: systemClock, log: silentLog }, camera, files);

it("shared folder: a file that two cameras register at the same moment is taken by one", async () => {
  const files = Array.from({ length: 30 }, () => file({ path: `/nowhere/front/shared-${next}.jpg` }));
  await Promise.all(
    files.flatMap((each) => [
      register([{ ...each, sharedWith: ["back"] }], "front"),
      register([{ ...each, sharedWith: ["front"] }], "back"),
    ]),
  );
  const rows = await database.db.query(
    (sql) => sql<{ path: string }[]>`select i.path from images i where i.path like '/nowhere/front/shared-%' order by i.path`,
  );
  expect(rows.map(({ path }) => path)).toEqual(files.map(({ path }) => path).toSorted());
});

interface Row {
  readonly image_id: number;
  readonly status: string;
  readonly reason: string | null;
  readonly same_content_as: number | null;
  readonly priority: number | null;
}

const rowsOf = (path: string, camera = "front"): Promise<readonly Row[]> =>
  database.db.query(
    (sql) => sql<Row[]>`
      select i.image_id, i.status, i.reason, i.same_content_as, j.priority
      from images i
      left join jobs j on j.queue = 'detect' and j.subject = i.image_id::text
      where i.path = ${path}
        and i.camera_id = ${camera}
      order by i.image_id
    `,
  );

const finish = async (imageId: number): Promise<void> => {
  const at = new Date();
  await database.db.query((sql) =>
    markProcessed(sql, [
      { imageId, detectionCount: 0, detector: "test", inferenceMs: 1, leftOut: [], detail: null, startedAt: at, finishedAt: at },
    ]),
  );
};

describe("registerFiles", () => {
  it("reports a camera that comes online, and not one that already is", async () => {
    await database.db.query((sql) => sql`insert into cameras (camera_id, name, folder_path) values ('side', 'Side', '/nowhere/side')`);
    expect(await register([file({ path: "/nowhere/side/1.jpg" })], "side")).toEqual({ added: 1, pending: 1, announced: true });
    expect(await register([file({ path: "/nowhere/side/2.jpg" })], "side")).toEqual({ added: 1, pending: 1, announced: false });
  });

  it("writes each version once, with one job, however often and by how many it is called", async () => {
    const files = [file(), file({ live: false, foundBy: "scan" }), file({ refusal: { reason: "empty", detail: "empty" }, sha256: null })];
    const answers = await Promise.all([register(files), register(files), register(files)]);
    expect(answers.reduce((sum, answer) => sum + answer.added, 0)).toBe(3);
    expect(answers.reduce((sum, answer) => sum + answer.pending, 0)).toBe(2);
    expect(
      await Promise.all(
        files.map(async ({ path }) => (await rowsOf(path)).map(({ status, reason, priority }) => [status, reason, priority])),
      ),
    ).toEqual([[["pending", null, 0]], [["pending", null, 10]], [["skipped", "empty", null]]]);
  });

  it("keeps the modification time exact to the nanosecond, and shows the camera as seen", async () => {
    const found = file();
    await register([found]);
    const [row] = await rowsOf(found.path);
    const [image] = await database.db.query((sql) => imagesForJobs(sql, [row?.image_id ?? 0]));
    expect(image).toMatchObject({
      cameraId: "front",
      path: found.path,
      sizeBytes: 1_000,
      modifiedNs: found.modifiedNs,
      mediaType: "image/jpeg",
    });
    const [camera] = await database.db.query(
      (sql) => sql<[{ status: string }]>`select c.status from cameras c where c.camera_id = 'front'`,
    );
    expect(camera.status).toBe("online");
  });

  it("treats a processed file at the same path as a re-upload, in one call or two", async () => {
    const first = file();
    const again = { ...first, modifiedNs: first.modifiedNs + 1n };
    expect(await register([first, again])).toMatchObject({ added: 2, pending: 2 });
    for (const row of await rowsOf(first.path)) await finish(row.image_id);
    expect(await register([{ ...first, modifiedNs: first.modifiedNs + 2n }])).toMatchObject({ added: 1, pending: 0 });
    expect(await register([{ ...first, modifiedNs: first.modifiedNs + 3n }])).toMatchObject({ added: 1, pending: 0 });
    expect((await rowsOf(first.path)).map((row) => row.reason)).toEqual([null, null, "reupload", "reupload"]);
    // the same file of another camera is a separate entry
    expect(await register([{ ...first, modifiedNs: first.modifiedNs + 2n }], "back")).toMatchObject({ added: 1, pending: 1 });
  });

  it("links copies to the first of them, within one call too", async () => {
    const original = file();
    const { sha256 } = original;
    const copies = [file({ sha256 }), file({ sha256 })];
    await register([original, ...copies]);
    const later = file({ sha256 });
    await register([later]);
    const [first] = await rowsOf(original.path);
    for (const { path } of [...copies, later]) {
      expect(await rowsOf(path)).toEqual([expect.objectContaining({ status: "pending", same_content_as: first?.image_id })]);
    }
    expect(first?.same_content_as).toBeNull();
  });

  it("treats a file as moved only if it was processed under its deleted name", async () => {
    const { path: _, ...facts } = file();
    const names = ["a", "b", "c", "d"].map((name) => `/nowhere/front/moved-${name}.jpg`) as [string, string, string, string];
    await register([{ ...facts, path: names[0] }]);
    // the file of the old name turns out to be missing, so homesec must process this one
    await register([{ ...facts, path: names[1] }]);
    expect((await rowsOf(names[1]))[0]?.status).toBe("pending");
    await finish((await rowsOf(names[1]))[0]?.image_id ?? 0);
    for (const name of names.slice(2)) {
      await register([{ ...facts, path: name }]);
      expect((await rowsOf(name))[0]).toMatchObject({ status: "skipped", reason: "moved", priority: null });
    }
  });

  it("resets unreadable files to pending, and only those", async () => {
    const unreadable = file({ refusal: { reason: "unreadable", detail: "no right" }, sha256: null });
    const empty = file({ refusal: { reason: "empty", detail: "empty" }, sha256: null });
    await register([unreadable, empty]);
    const unknown = await database.db.query((sql) => unknownVersions(sql, ["front"], [unreadable, empty, file()]));
    expect(unknown).toEqual([0, 2]);
    expect(await register([unreadable, empty])).toMatchObject({ added: 0, pending: 0 });
    const sha256 = createHash("sha256").update("now readable").digest();
    expect(
      await register([
        { ...unreadable, refusal: null, sha256 },
        { ...empty, refusal: null },
      ]),
    ).toMatchObject({ added: 1, pending: 1 });
    expect(await rowsOf(unreadable.path)).toEqual([expect.objectContaining({ status: "pending", reason: null, priority: 0 })]);
  });

  it("logs each skipped picture with path and reason, and no other", async () => {
    const log = keptLog();
    const looked = file();
    const empty = file({ refusal: { reason: "empty", detail: "It stayed empty." }, sha256: null });
    const tell = (files: readonly FoundFile[]) => registerFiles({ db: database.db, clock: systemClock, log }, "front", files);
    await tell([looked, empty]);
    await finish((await rowsOf(looked.path))[0]?.image_id ?? 0);
    await tell([{ ...looked, modifiedNs: looked.modifiedNs + 1n }, { ...looked, path: "/nowhere/front/renamed.jpg" }, empty]);
    const announced = log.lines.filter(({ level }) => level !== "debug");
    expect(announced.map(({ level, fields }) => [level, fields["path"], fields["reason"]])).toEqual([
      ["info", empty.path, "empty"],
      ["info", looked.path, "reupload"],
      ["info", "/nowhere/front/renamed.jpg", "moved"],
    ]);
  });

  it("defers what waits, a number at a time", async () => {
    await register([file(), file(), file()]);
    expect(await database.db.query((sql) => deferWaitingImages(sql, { reason: "breaker_open", detail: "closed for now" }, 2))).toBe(2);
  });

  it("stays as fast when the ledger fills up within one session", async () => {
    const batch = (): FoundFile[] => Array.from({ length: 500 }, () => file({ live: false }));
    const timed = async (): Promise<number> => {
      const startedAt = performance.now();
      for (let n = 0; n < 4; n += 1) await register(batch());
      return performance.now() - startedAt;
    };
    await timed();
    const early = await timed();
    for (let n = 0; n < 4; n += 1) await timed();
    // a query plan cached in the first minute would take ten times as long by now
    expect(Math.min(await timed(), await timed())).toBeLessThan(early * 4);
  });
});
