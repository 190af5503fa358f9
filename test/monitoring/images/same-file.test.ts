import { afterAll, beforeAll, expect, test } from "vitest";
import { earlierEntries } from "../../../src/monitoring/images/same-file-repository.ts";
import { type TestDatabase, testDatabase } from "../../support/database.ts";
import { planIn } from "../../support/plans.ts";

let database: TestDatabase;
const sha256 = Buffer.alloc(32, 7);
beforeAll(async () => {
  database = await testDatabase({ fresh: true });
  await database.db.query(async (sql) => {
    await sql`insert into cameras (camera_id, name, folder_path) values ('yard', 'Yard', '/yard')`;
    // one picture copied under thousands of names with different times, all pending; the table has no statistics
    await sql`
      insert into images (camera_id, path, size_bytes, modified_ns, sha256, media_type, found_by, found_at, taken_at, status)
      select 'yard', '/yard/' || n || '.jpg', 1000, n, ${sha256}, 'image/jpeg', 'scan', now(), now(), 'pending'
      from generate_series(1, 20000) n
    `;
    await sql`
      insert into jobs (queue, subject, priority, position, available_at)
      select 'detect', i.image_id::text, 1, now(), now() from images i
    `;
    await sql`update images set status = 'processed' where path = '/yard/1.jpg'`;
    await sql`update jobs set status = 'running' where subject in (select image_id::text from images where path in ('/yard/2.jpg', '/yard/3.jpg'))`;
    await sql`insert into jobs (queue, subject, priority, position, available_at, status) values ('deliver', 'delivery:x', 1, now(), now(), 'running')`;
  });
});
afterAll(() => database.close());

const idOf = (path: string): Promise<number> =>
  database.db.query(async (sql) => {
    const [row] = await sql<[{ id: number }]>`select image_id as id from images where path = ${path}`;
    return row.id;
  });

test("earlier entries of a file are found among thousands with the same content, without scanning them", async () => {
  const last = await idOf("/yard/20000.jpg");
  expect(await database.db.query((sql) => earlierEntries(sql, last))).toEqual({ isReupload: false, seenAt: [], atDetector: [] });
  await database.db.query((sql) => sql`update images set modified_ns = 20000 where path in ('/yard/1.jpg', '/yard/2.jpg')`);
  expect(await database.db.query((sql) => earlierEntries(sql, last))).toEqual({
    isReupload: false,
    seenAt: ["/yard/1.jpg"],
    atDetector: ["/yard/2.jpg"],
  });
  const { wholeTables, blocks } = await planIn(database.db, (sql) => earlierEntries(sql, last), 150);
  expect(wholeTables).toEqual([]);
  expect(blocks).toBeLessThan(150);
});
