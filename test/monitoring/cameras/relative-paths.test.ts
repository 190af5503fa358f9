import fc from "fast-check";
import { afterEach, beforeEach, expect, it } from "vitest";
import { silentLog } from "../../../src/base/log/log.ts";
import { allCameras } from "../../../src/monitoring/cameras/cameras-repository.ts";
import { settleCameraRoot } from "../../../src/monitoring/cameras/relative-paths.ts";
import { findImages } from "../../../src/monitoring/images/ledger-repository.ts";
import { entriesElsewhere } from "../../../src/monitoring/images/same-file-repository.ts";
import type { Database } from "../../../src/platform/database/database.ts";
import { openPool } from "../../../src/platform/database/pool.ts";
import { fullPath, storedPath } from "../../../src/platform/database/stored-paths.ts";
import { type TestDatabase, testDatabase } from "../../support/database.ts";

let database: TestDatabase;
const opened: Database[] = [];
beforeEach(async () => {
  database = await testDatabase();
});
afterEach(async () => {
  for (const db of opened.splice(0)) await db.close();
  await database.close();
});

/** The database as a program with this CAMERA_ROOT sees it. */
function withRoot(cameraRoot: string): Database {
  const db = openPool({ url: database.url }, { max: 1, log: silentLog });
  db.setCameraRoot(cameraRoot);
  opened.push(db);
  return db;
}

const pictureAt = (db: Database, path: string) =>
  db.query(
    (sql) => sql`
      insert into images (camera_id, path, size_bytes, modified_ns, found_by, found_at, taken_at, status)
      values ('yard', ${path}, 1, 1, 'scan', now(), now(), 'processed')
    `,
  );
const addCamera = (db: Database, id: string, folder: string) =>
  db.query((sql) => sql`insert into cameras (camera_id, name, folder_path) values (${id}, ${id}, ${storedPath(sql, folder)})`);
const folders = async (db: Database) =>
  Object.fromEntries((await db.query(allCameras)).map((camera) => [camera.camera_id, camera.folder_path]));

it("camera folders: below CAMERA_ROOT they follow it to another place, and elsewhere they stay", async () => {
  const home = withRoot("/srv/Kameras Größe");
  await addCamera(home, "yard", "/srv/Kameras Größe/yard");
  await addCamera(home, "roof", "/mnt/roof");
  await addCamera(home, "beside", "/srv/Kameras Größe 2/beside");
  await addCamera(home, "all", "/srv/Kameras Größe");
  expect(await folders(home)).toMatchObject({ yard: "/srv/Kameras Größe/yard", roof: "/mnt/roof", all: "/srv/Kameras Größe" });
  expect(await folders(withRoot("/data/cameras"))).toEqual({
    ...{ yard: "/data/cameras/yard", roof: "/mnt/roof", beside: "/srv/Kameras Größe 2/beside", all: "/data/cameras" },
  });
});

it("stored paths: any path is read as it was stored", async () => {
  const part = fc.string({ unit: "grapheme", minLength: 1, maxLength: 6 }).filter((text) => !text.includes("\0"));
  const paths = fc
    .array(fc.oneof(fc.constantFrom("", ".", "..", "./", "/", "a"), part), { minLength: 1, maxLength: 5 })
    .map((parts) => parts.join("/"));
  for (const root of ["/srv/cameras", "/", "/srv/Größe_%"]) {
    const db = withRoot(root);
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.oneof(
            paths,
            paths.map((path) => `${root}/${path}`),
          ),
          { minLength: 1, maxLength: 50 },
        ),
        async (given) => {
          const [row] = await db.query(
            (sql) => sql<[{ paths: string[] }]>`
            select array_agg(${fullPath(sql, sql`p.path`)} order by p.at) as paths
            from unnest(${given.map((path) => storedPath(sql, path))}::text[]) with ordinality as p (path, at)
          `,
          );
          expect(row.paths).toEqual(given);
        },
      ),
      { numRuns: 40 },
    );
  }
});

it("stored paths: those of an older version are shortened once, with all that the cameras have", async () => {
  await addCamera(database.db, "yard", "/srv/cameras/yard");
  await addCamera(database.db, "roof", "/mnt/roof");
  await pictureAt(database.db, "/srv/cameras/yard/1.jpg");
  await pictureAt(database.db, "/mnt/roof/1.jpg");
  await database.db.query(
    (sql) => sql`
      with seen as (
        insert into detections (camera_id, file_path, detected_at, object_type, confidence)
        values ('yard', '/srv/cameras/yard/1.jpg', now(), 'person', 0.9)
      )
      insert into scene_changes (camera_id, detected_at, change_type, similarity_score, file_path)
      values ('yard', now(), 'view_moved', 0.4, '/srv/cameras/yard/1.jpg')
    `,
  );
  const home = withRoot("/srv/cameras");
  await settleCameraRoot(home, { roots: ["/srv/cameras"], moves: false, log: silentLog });
  await settleCameraRoot(home, { roots: ["/srv/cameras"], moves: false, log: silentLog });
  const stored = await database.db.query(
    (sql) => sql`
      select c.folder_path as path from cameras c union all select i.path from images i
      union all select d.file_path from detections d union all select s.file_path from scene_changes s
    `,
  );
  expect(stored.map(({ path }) => path).toSorted()).toEqual([
    "/mnt/roof",
    "/mnt/roof/1.jpg",
    "yard",
    "yard/1.jpg",
    "yard/1.jpg",
    "yard/1.jpg",
  ]);
  const images = await withRoot("/data").query((sql) => findImages(sql, [1, 2]));
  expect(images.map(({ path }) => path)).toEqual(["/data/yard/1.jpg", "/mnt/roof/1.jpg"]);
});

it("stored paths: a version of a file that is known under both paths keeps both", async () => {
  await addCamera(database.db, "yard", "/srv/cameras/yard");
  await pictureAt(database.db, "/srv/cameras/yard/1.jpg");
  await pictureAt(database.db, "yard/1.jpg");
  const home = withRoot("/srv/cameras");
  await settleCameraRoot(home, { roots: ["/srv/cameras"], moves: false, log: silentLog });
  const images = await home.query((sql) => findImages(sql, [1, 2]));
  expect(images.map(({ path }) => path)).toEqual(["/srv/cameras/yard/1.jpg", "/srv/cameras/yard/1.jpg"]);
  expect(await folders(home)).toEqual({ yard: "/srv/cameras/yard" });
});

it("stored paths: the file of another camera is found whatever form the folders of both have", async () => {
  const home = withRoot("/srv/cameras");
  // The folder of "old" stays long, since "new" has the short form; CAMERA_ROOT itself is the folder of "all".
  await addCamera(database.db, "old", "/srv/cameras/yard");
  await addCamera(home, "new", "/srv/cameras/yard");
  await addCamera(home, "garden", "/srv/cameras/garden");
  await addCamera(home, "all", "/srv/cameras");
  await addCamera(home, "roof", "/mnt/roof");
  await settleCameraRoot(home, { roots: ["/srv/cameras"], moves: false, log: silentLog });
  const picture = async (camera: string, path: string, status: string): Promise<number> => {
    const [row] = await home.query(
      (sql) => sql<[{ id: number }]>`
        insert into images (camera_id, path, size_bytes, modified_ns, sha256, found_by, found_at, taken_at, status)
        values (${camera}, ${storedPath(sql, path)}, 1, 1, ${Buffer.alloc(32, 7)}, 'scan', now(), now(), ${status})
        returning image_id as id
      `,
    );
    return row.id;
  };
  const elsewhere = async (imageId: number) => {
    const found = await home.query((sql) => entriesElsewhere(sql, [imageId], new Date()));
    return found.map(({ cameraId, path, folder, isSamePath }) => [cameraId, path, folder, isSamePath]);
  };
  const folder = "/srv/cameras/yard";
  await picture("old", `${folder}/1.jpg`, "processed");
  const ofOld = ["old", `${folder}/1.jpg`, folder];
  expect(await elsewhere(await picture("new", `${folder}/1.jpg`, "pending"))).toEqual([[...ofOld, true]]);
  expect(await elsewhere(await picture("garden", "/srv/cameras/garden/1.jpg", "pending"))).toEqual([[...ofOld, false]]);
  expect(await elsewhere(await picture("all", "/srv/cameras/1.jpg", "pending"))).toEqual([[...ofOld, false]]);
  expect(await elsewhere(await picture("all", "/mnt/1.jpg", "pending"))).toEqual([]);
  await picture("new", `${folder}/2.jpg`, "processed");
  await picture("all", "/srv/cameras/3.jpg", "processed");
  expect(await elsewhere(await picture("old", `${folder}/2.jpg`, "pending"))).toEqual([["new", `${folder}/2.jpg`, folder, true]]);
  expect(await elsewhere(await picture("old", `${folder}/3.jpg`, "pending"))).toEqual([
    ["all", "/srv/cameras/3.jpg", "/srv/cameras", false],
  ]);
  expect(await elsewhere(await picture("roof", "/mnt/roof/3.jpg", "pending"))).toEqual([
    ["all", "/srv/cameras/3.jpg", "/srv/cameras", false],
  ]);
});

it("camera folders: follow CAMERA_ROOT only if no other daemon uses the database and the former one is not used any more", async () => {
  const settled = async (moves: boolean, ...roots: string[]) => {
    const db = openPool({ url: database.url }, { max: 2, log: silentLog });
    opened.push(db);
    await settleCameraRoot(db, { roots, moves, log: silentLog });
    return (await folders(db))["yard"];
  };
  await addCamera(database.db, "yard", "/srv/cameras/yard");
  expect(await settled(true, "/srv/cameras")).toBe("/srv/cameras/yard");
  // The second daemon has another CAMERA_ROOT
  expect(await settled(false, "/mnt/b")).toBe("/srv/cameras/yard");
  expect(await settled(true, "/mnt/b", "/srv")).toBe("/srv/cameras/yard");
  expect(await settled(true, "/mnt/b")).toBe("/mnt/b/yard");
});
