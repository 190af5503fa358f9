import { mkdir, open, truncate } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Home, numbered, picture, until, watchedHome } from "./watched-home.ts";

let home: Home;
let path: string;

beforeEach(async () => {
  home = await watchedHome();
  await mkdir(join(home.root, "front"));
  path = join(home.root, "front/latest.jpg");
  await home.watcher.start();
});
afterEach(() => home.close());

/** Writes over the file in place, as `rsync --inplace` does, and waits for the entry of that version. */
async function overwrite(bytes: Buffer, count: number): Promise<void> {
  const file = await open(path, "a+").then(async (made) => {
    await made.close();
    return await open(path, "r+");
  });
  await file.write(bytes, 0, bytes.length, 0);
  await file.close();
  await home.entries(count);
}

/** For each entry, the position of the one that it goes on from. */
async function continued(): Promise<readonly (number | null)[]> {
  const rows = await home.database.db.query(
    (sql) => sql<{ id: number; continues: number | null }[]>`select i.image_id as id, i.continues from images i order by i.image_id`,
  );
  return rows.map(({ continues }) => (continues === null ? null : rows.findIndex(({ id }) => id === continues)));
}

describe("versions of a file", () => {
  it("go on if a picture is written over another one in two steps; the first picture stays", async () => {
    const [old, next] = await Promise.all([picture("0001"), picture("0420")]);
    await overwrite(old, 1);
    await overwrite(next.subarray(0, 20_000), 2);
    await overwrite(next, 3);
    if (next.length < old.length) await truncate(path, next.length);
    const found = await until(async () => {
      const links = await continued();
      return (await home.ledger()).some(({ size_bytes }) => size_bytes === next.length) && links;
    });
    expect(found.slice(0, 2)).toEqual([null, null]);
    expect(new Set(found.slice(2))).toEqual(new Set([1]));
    // only the last version is left for the detector, beside the first picture
    expect((await home.ledger()).filter(({ status }) => status === "pending").map(({ image_id }) => image_id)).toHaveLength(2);
  });

  it("do not go on if a camera writes each picture over the last one", async () => {
    const jpeg = await picture();
    for (let n = 1; n <= 4; n += 1) await overwrite(numbered(jpeg, n), n);
    expect(await continued()).toEqual([null, null, null, null]);
  });
});
