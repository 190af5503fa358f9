import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { insertIncident } from "../../../src/monitoring/incidents/incidents-repository.ts";
import { type TestDatabase, testDatabase } from "../../support/database.ts";
import { emptyTables } from "../../support/empty-tables.ts";
import { filesIn, finds, ownFolder, skips, well } from "./support.ts";

const now = new Date("2026-03-01T12:00:00Z");
const minutesAgo = (minutes: number) => new Date(now.getTime() - minutes * 60_000);
let database: TestDatabase;
let root: string;
const given = (env: Readonly<Record<string, string>> = {}) => ({ db: database.db, now, env: { CAMERA_ROOT: root, ...env } });

beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
  root = filesIn({ "yard/a.jpg": "", "door/a.jpg": "" });
  await database.db.query((sql) => emptyTables(sql, "cameras, event_search"));
});

interface Row {
  readonly folder?: string;
  readonly status?: string;
  readonly seen?: Date | null;
  readonly created?: Date;
  readonly updated?: Date;
  readonly reason?: string;
}

async function camera(
  id: string,
  { folder = join(root, id), status = "online", seen = minutesAgo(1), created = minutesAgo(10_000), updated = created, reason }: Row = {},
): Promise<void> {
  await database.db.query(
    (sql) => sql`
      insert into cameras (camera_id, name, folder_path, status, last_seen_at, created_at, updated_at, status_reason)
      values (${id}, ${id}, ${folder}, ${status}, ${seen}, ${created}, ${updated}, ${reason ?? null})
    `,
  );
}

describe("doctor: folders of days", () => {
  it("warns when the days of a recorder in the camera root became cameras", async () => {
    await camera("2026-11-24");
    await camera("yard");
    expect(await finds("day-cameras", given(), "warning")).toMatch(/2026-11-24.*homesec cameras remove 2026-11-24/);
    await database.db.query((sql) => sql`delete from cameras where camera_id = '2026-11-24'`);
    await camera("recorder", { folder: join(root, "recorder", "2026-11-24") });
    await well("day-cameras", given());
  });
});

describe("doctor: fetched pictures", () => {
  it("names the address that gives no pictures, and the fault", async () => {
    await skips("camera-pulls", given());
    await camera("yard");
    await database.db.query(
      (sql) => sql`
        insert into camera_pulls (camera_id, url, every_ms, threshold_percent, created_at, updated_at)
        values ('yard', 'http://127.0.0.1/snap.jpg', 2000, 0.3, ${now}, ${now})
      `,
    );
    await well("camera-pulls", given());
    await database.db.query((sql) => sql`update camera_pulls set fault = 'connection refused at 127.0.0.1', failing_since = ${now}`);
    expect(await finds("camera-pulls", given(), "error")).toContain("yard: connection refused at 127.0.0.1");
  });
});

describe("doctor: camera roots", () => {
  it("reports a root that is missing, unreadable or not a folder", async () => {
    expect(await well("camera-roots", given())).toBe(root);
    const DATA_DIR = ownFolder();
    expect(await finds("camera-roots", { env: { DATA_DIR, CAMERA_ROOT: join(root, "gone") } }, "error")).toContain(
      `mkdir -p ${join(root, "gone")}`,
    );
    expect(await finds("camera-roots", { env: { CAMERA_ROOT: join(root, "yard", "a.jpg") } })).toContain("is not a folder");
    expect(await skips("camera-roots")).toContain("first start");
  });

  it("warns about extra roots that are missing, or contain the data folder", async () => {
    await well("camera-roots", given());
    await well("camera-roots", given({ CAMERA_EXTRA_ROOTS: root }));
    expect(await finds("camera-roots", given({ CAMERA_EXTRA_ROOTS: "/nonexistent/nas" }), "warning")).toContain(
      "mkdir -p /nonexistent/nas",
    );
    // not "/": that takes in whatever this machine has mounted, and shares of other tests hang
    const wide = ownFolder();
    const env = { CAMERA_EXTRA_ROOTS: wide, DATA_DIR: join(wide, "data") };
    expect(await finds("camera-roots", given(env))).toContain("contains the data folder");
  });
});

describe("doctor: cameras", () => {
  it("warns without cameras, and reports folders that cannot be read", async () => {
    expect(await finds("cameras", given(), "warning")).toContain("homesec cameras add");
    expect(await skips("camera-folders", given())).toBe("there is no camera yet");
    await camera("yard");
    expect(await well("cameras", given())).toBe("1 camera");
    expect(await well("camera-folders", given())).toBe("1 folder");
    await camera("attic");
    await camera("far", { folder: "/etc" });
    const text = await finds("camera-folders", given(), "error");
    expect(text).toContain(`attic (${join(root, "attic")}): The folder does not exist`);
    expect(text).toContain("far (/etc): The folder is outside of CAMERA_ROOT");
    expect(text).toContain("homesec cameras update attic --folder-path");
    await database.db.query((sql) => sql`delete from cameras c where c.camera_id = 'attic'`);
    expect(await finds("camera-folders", given(), "error")).toContain("Add /etc to CAMERA_EXTRA_ROOTS");
  });

  it("reports a stored camera whose folder is CAMERA_ROOT itself", async () => {
    await camera("yard");
    await camera("all", { folder: root });
    expect(await finds("camera-folders", given(), "error")).toMatch(
      /all .* is CAMERA_ROOT itself.*homesec cameras update all --folder-path/,
    );
  });

  it("reports folders into which cameras cannot upload", async () => {
    await camera("yard");
    await well("camera-folders", given());
    chmodSync(join(root, "yard"), 0o555);
    expect(await finds("camera-folders", given(), "error")).toMatch(/no camera can upload.*chmod u\+w/);
    expect(await finds("camera-folders", given({ DELETE_IMAGES: "true" }))).toContain("cannot delete old pictures");
    chmodSync(join(root, "yard"), 0o755);
    await well("camera-folders", given({ DELETE_IMAGES: "true" }));
  });

  it("reports cameras that send nothing or are in error", async () => {
    await camera("yard");
    await camera("new", { status: "unknown", seen: null, created: minutesAgo(60) });
    await camera("restored", { status: "unknown", seen: minutesAgo(5_000), updated: minutesAgo(30) });
    expect(await well("cameras", given())).toBe("3 cameras");
    await camera("attic", { status: "unknown", seen: null });
    await camera("door", { status: "offline", seen: minutesAgo(30) });
    await camera("late", { seen: minutesAgo(180) });
    await camera("bad", { status: "error", reason: "The folder does not exist; create it" });
    const text = await finds("cameras", given({ CAMERA_OFFLINE_AFTER_SECONDS: "3600" }), "error");
    expect(text).toContain(
      "attic has never sent a picture; bad is in error: The folder does not exist; door has sent nothing for 30 min; late has sent nothing for 3 h",
    );
    expect(text).not.toContain("new ");
    expect(await finds("cameras", given(), "error")).not.toContain("late has sent nothing");
  });

  it("warns about file times that differ from the arrival", async () => {
    await camera("yard");
    expect(await skips("camera-clocks", given())).toContain("too few");
    const add = (id: string, hours: number) =>
      database.db.query(
        (sql) => sql`
          insert into images (camera_id, path, size_bytes, modified_ns, found_by, found_at, taken_at, status)
          select ${id}, n || '.jpg', 1, ((extract(epoch from ${minutesAgo(60)}::timestamptz) + n + 3600 * ${hours}::integer) * 1000000000)::bigint, 'watch',
            ${minutesAgo(60)}::timestamptz + n * interval '1 second', ${minutesAgo(60)}::timestamptz + n * interval '1 second', 'processed'
          from generate_series(1, 10) n
        `,
      );
    await add("yard", 0);
    expect(await well("camera-clocks", given())).toBe("1 camera");
    await camera("door");
    await add("door", -8);
    expect(await finds("camera-clocks", given(), "warning")).toMatch(/the files of door are dated 8 h before their arrival.*NTP/);
  });

  it("reports cameras whose pictures are mostly unreadable", async () => {
    await camera("yard");
    await camera("door");
    expect(await skips("camera-pictures", given())).toContain("too few");
    const add = (id: string, from: number, to: number, reason: string | null, status = reason === null ? "processed" : "skipped") =>
      database.db.query(
        (sql) => sql`
          insert into images (camera_id, path, size_bytes, modified_ns, found_by, found_at, taken_at, status, reason)
          select ${id}, ${root}::text || n || '.jpg', 1, n, 'watch', taken_at, taken_at, ${status}, ${reason}
          from generate_series(${from}::integer, ${to}) n
          cross join lateral (select ${minutesAgo(60)}::timestamptz + n * interval '1 second') t (taken_at)
        `,
      );
    await add("yard", 1, 10, null);
    await add("yard", 11, 17, "incomplete");
    await add("door", 1, 10, "reupload");
    expect(await well("camera-pictures", given())).toBe("2 cameras");
    await add("yard", 18, 24, "unsupported");
    // a picture that waits for the detector has no outcome yet
    await add("yard", 25, 44, "detector_unavailable", "deferred");
    const text = await finds("camera-pictures", given(), "error");
    expect(text).toMatch(
      /^homesec could not process 14 of the last 20 pictures of yard. The newest: homesec does not support the format of this picture or video -> See why, and what helps: homesec explain image \d+/,
    );
    await database.db.query((sql) => sql`update images set taken_at = ${minutesAgo(3_000)} where camera_id = 'yard'`);
    await well("camera-pictures", given());
  });

  it("warns about pictures in the folder of a deleted camera", async () => {
    const put = (name: string) => {
      mkdirSync(dirname(join(root, name)), { recursive: true });
      writeFileSync(join(root, name), "");
    };
    const remove = async (id: string) => {
      // file times follow the clock of the machine
      const later = new Date(Date.now() + 20);
      await database.db.query((sql) => sql`update cameras set deleted_at = ${later} where camera_id = ${id}`);
      await vi.waitUntil(() => Date.now() > later.getTime() + 20);
    };
    await camera("yard");
    expect(await well("deleted-cameras", given())).toBe("no camera is deleted");
    await remove("yard");
    await well("deleted-cameras", given());
    // files that the watcher ignores, and pictures of another camera, do not count
    for (const name of ["yard/notes.txt", "yard/.b.jpg", "yard/@eaDir/b.jpg", "yard/attic/b.jpg"]) put(name);
    await camera("attic", { folder: join(root, "yard", "attic") });
    await well("deleted-cameras", given());
    put("yard/2026/03/b.jpg");
    expect(await finds("deleted-cameras", given(), "warning")).toContain(
      `homesec ignores them: yard (such as ${join(root, "yard/2026/03/b.jpg")}) -> homesec cameras restore yard`,
    );
    // older files do not count, even after a chmod; overwritten ones do
    await remove("yard");
    chmodSync(join(root, "yard/a.jpg"), 0o600);
    await well("deleted-cameras", given());
    put("yard/a.jpg");
    expect(await finds("deleted-cameras", given())).toContain(`yard (such as ${join(root, "yard/a.jpg")})`);
  });

  it("warns when the camera root is the folder of a deleted camera, so that new folders add no camera", async () => {
    await camera("all", { folder: root });
    await database.db.query((sql) => sql`update cameras set deleted_at = ${new Date(Date.now() - 60_000)} where camera_id = 'all'`);
    await camera("door");
    mkdirSync(join(root, "gate"));
    writeFileSync(join(root, "gate", "a.jpg"), "");
    expect(await finds("deleted-cameras", given())).toMatch(/: all \(such as .*(gate|yard)\/a\.jpg\)/);
    await database.db.query((sql) => sql`update cameras set folder_path = '/etc' where camera_id = 'all'`);
    await well("deleted-cameras", given());
  });

  it("warns about open incidents", async () => {
    await camera("yard");
    await well("incidents", given());
    const trouble = { cameraId: "yard", cause: "black", reason: "The last 5 pictures are black", beganAt: minutesAgo(90) } as const;
    await database.db.query((sql) => insertIncident(sql, trouble, now));
    expect(await finds("incidents", given(), "warning")).toMatch(
      /yard: The last 5 pictures are black, for 1 h 30 min.*homesec cameras snapshot yard/,
    );
  });
});
