import { chmod, mkdir, rename, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { explainOperations } from "../../../src/admin/explain/operations.ts";
import { storeNote } from "../../../src/monitoring/receivers/notes-repository.ts";
import type { LeftOut } from "../../../src/monitoring/upstream/left-out.ts";
import type { OperationContext } from "../../../src/work/operations/operation.ts";
import { shownInGerman } from "../../support/german.ts";
import { type Desk, openDesk } from "../../support/operations.ts";
import { uniqueJpeg } from "../../support/pictures.ts";
import { quietRuntime } from "../../support/runtime.ts";
import { atSecond, type Stored, storedIn } from "./stored.ts";

/** Words of other programs. */
const quoted: readonly RegExp[] = [/^(The same file again|It kills the process|It is a web page)\.$/, /^tried\.$/];

let desk: Desk;
let stored: Stored;
let yard: string;

beforeEach(async () => {
  desk = await openDesk();
  desk.at(new Date());
  stored = storedIn(desk);
  yard = await stored.camera("yard");
});
afterEach(() => desk.close());

const explain = async (id: number) => shownInGerman(await desk.ask("explainImage", { params: { image_id: String(id) } }), quoted);
const explainPath = async (path: string) =>
  shownInGerman(await desk.ask("explainPath", { query: new URLSearchParams({ path }).toString() }), quoted);

describe("images API", () => {
  test("lists all files, newest first, with filters for camera, status and time", async () => {
    await stored.camera("gate");
    const ids = [
      await stored.image(),
      await stored.image({ status: "skipped", reason: "empty", detail: "It stayed empty." }),
      await stored.image({ cameraId: "gate" }),
      await stored.image({ status: "deferred" }),
    ];
    const list = async (query: string) => {
      const { items, pagination } = await desk.ask("listImages", { query });
      expect(pagination.total).toBe(items.length);
      return items.map(({ id }) => ids.indexOf(id));
    };
    expect(await list("")).toEqual([3, 2, 1, 0]);
    expect(await list("camera_id=yard")).toEqual([3, 1, 0]);
    expect(await list("status=SKIPPED&status=deferred")).toEqual([3, 1]);
    expect(await list(`start_date=${atSecond(2).toISOString()}&end_date=${atSecond(3).toISOString()}`)).toEqual([2, 1]);
    expect(await list("camera_id=nobody")).toEqual([]);
    expect(await desk.ask("getImage", { params: { image_id: String(ids[1]) } })).toMatchObject({
      status: "skipped",
      reason: "empty",
      path: join(yard, "2.jpg"),
      found_by: "watch",
    });
    await expect(desk.ask("getImage", { params: { image_id: "99999" } })).rejects.toMatchObject({ kind: "not_found" });
  });

  test("pages with a cursor show each earlier entry once, while new ones arrive", async () => {
    const ids = new Set<number>();
    for (let n = 0; n < 7; n += 1) ids.add(await stored.image({ takenAt: atSecond(Math.floor(n / 3)) }));
    const seen: number[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const page: { items: { id: number }[]; pagination: { next_cursor: string | null } } = await desk.ask("listImages", {
        query: `limit=2${cursor && `&cursor=${cursor}`}`,
      });
      seen.push(...page.items.map(({ id }) => id));
      cursor = page.pagination.next_cursor;
      await stored.image({ takenAt: atSecond(100 + seen.length) });
    }
    expect(seen.toSorted((a, b) => a - b)).toEqual([...ids]);
  });
});

describe("explain: a recorded picture", () => {
  test("ends at the detector when it found nothing above the threshold", async () => {
    const { outcome, steps } = await explain(await stored.image({ detections: 0 }));
    expect(outcome).toContain("the detector found nothing that reached the confidence threshold");
    expect(steps.at(-1)).toMatchObject({ step: "detection", status: "stopped", details: { detection_count: 0 } });
    expect(steps.at(-1)?.text).toContain("found nothing that reached");
  });

  test("explain: says why a picture without detections has none, by what was left out", async () => {
    const outcomeOf = async (...leftOut: readonly LeftOut[]) => (await explain(await stored.image({ detections: 0, leftOut }))).outcome;
    const weak = { reason: "below_threshold", count: 2, example: "person 43 %" } as const;
    const chair = { reason: "other_class", count: 1, example: "chair" } as const;
    const vehicle = { reason: "unknown_class", count: 1, example: '{"class":"vehicle"}' } as const;
    expect(await outcomeOf(weak)).toBe(
      "The picture led to no event: the detector found nothing that reached the confidence threshold; homesec stores nothing below it. homesec left out detections: 2 below the confidence threshold, such as person 43 %.",
    );
    expect(await outcomeOf(chair)).toMatch(
      /the detector found nothing of a class that homesec counts\. .*: 1 of a class .*, such as chair\.$/,
    );
    const doubted = { reason: "second_opinion", count: 1, example: "cat 55 %" } as const;
    expect(await outcomeOf(doubted, weak)).toMatch(
      /the detector found nothing that the second detector saw too\. .*: 1 that the second detector did not see, such as cat 55 %/,
    );
    expect(await outcomeOf(chair, weak)).toContain(
      "the detector found nothing that homesec can use and that reached the confidence threshold.",
    );
    expect(await outcomeOf(vehicle, weak)).toMatch(
      /the detector found nothing that homesec can use and that reached .*such as \{"class":"vehicle"\}/,
    );
  });

  test("names the most confident of many detections, and says when they were deleted", async () => {
    const [video, picture] = [await stored.image({ detections: 1_200 }), await stored.image()];
    await desk.db.query(
      (sql) => sql`
        insert into detections (camera_id, image_id, file_path, detected_at, object_type, confidence)
        select 'yard', i.image_id, i.path, i.taken_at, case n when 1150 then 'dog' else 'person' end, case n when 1150 then 0.99 else 0.6 end
        from images i
        cross join generate_series(1, 1200) n
        where i.image_id = any (${[video, picture]}::bigint[])
          and n <= i.detection_count
      `,
    );
    const { steps } = await desk.ask("explainMoment", { params: { camera_id: "yard" }, query: `at=${atSecond(1).toISOString()}` });
    expect(JSON.stringify(steps)).not.toContain("of them were deleted");
    const ofVideo = (await explain(video)).steps.find(({ step }) => step === "detection");
    expect(ofVideo?.text).toContain("found 1200 detections: dog 99 %, person 60 %");
    expect(ofVideo?.text).not.toContain("of them were deleted");
    expect(ofVideo?.details).toMatchObject({ detections: expect.arrayContaining([expect.objectContaining({ object_type: "dog" })]) });
  });

  test("quotes what the camera said with the picture, also in the explanation of its event", async () => {
    const [first, second] = [await stored.image(), await stored.image()];
    const subject = `Person at the "gate" ${"and more ".repeat(40)}`;
    await desk.db.query((sql) => storeNote(sql, { cameraId: "yard", paths: [join(yard, "1.jpg")], note: subject }, atSecond(1)));
    const { steps } = await explain(first);
    expect(steps.map(({ step, status }) => `${step} ${status}`).slice(0, 3)).toEqual([
      ...["file_seen done", "file_complete done", "delivery_note note"],
    ]);
    expect(steps[2]?.text).toMatch(/^With the picture, the camera said: "Person at the \\"gate\\" and more /);
    expect(JSON.stringify((await explain(second)).steps)).not.toContain("the camera said");
    const eventId = await stored.event({ images: [first, second], score: 42 });
    const ofEvent = await desk.ask("explainEvent", { params: { event_id: String(eventId) } });
    expect(ofEvent.steps.filter(({ step }) => step === "delivery_note")).toHaveLength(1);
  });

  test("names the first upload of a re-upload, and says why a picture was skipped or waits", async () => {
    const first = await stored.image();
    const again = await explain(
      await stored.image({ status: "skipped", reason: "reupload", detail: "The same file again.", sameContentAs: first }),
    );
    expect(again.steps.map(({ step, status }) => `${step} ${status}`)).toEqual([
      "file_seen done",
      "file_complete done",
      "same_content stopped",
      "detection stopped",
    ]);
    expect(again.steps[2]?.text).toBe(`It has the same content as image ${first}, ${join(yard, "1.jpg")}.`);

    const text = await explain(await stored.image({ status: "skipped", reason: "not_an_image", detail: "It is a web page." }));
    expect(text.outcome).toBe("homesec skipped the picture. It is a web page.");
    expect(text.steps.map(({ step }) => step)).toEqual(["file_seen", "detection"]);

    const waiting = await stored.image({ status: "deferred", reason: "breaker_open", detail: "The detector does not answer" });
    await desk.db.query(
      (sql) => sql`
        insert into jobs (queue, subject, position, available_at, deferrals)
        values ('detect', ${String(waiting)}, now(), ${new Date(desk.context.clock.now().getTime() + 30_000)}, 2)
      `,
    );
    expect((await explain(waiting)).outcome).toBe(
      "The picture has not been processed yet. Its detection is deferred (breaker_open): The detector does not answer. The next attempt is in 30 s; it was deferred 2 times so far.",
    );
  });

  test("is also found by any of its paths, newest entry first", async () => {
    const older = await stored.image({ name: "a.jpg" });
    const newer = await stored.image({ name: "a.jpg", detections: 0 });
    expect(newer).toBeGreaterThan(older);
    await writeFile(join(yard, "a.jpg"), "x");
    await symlink(yard, join(dirname(yard), "other-way"));
    for (const path of [join(yard, "a.jpg"), `${yard}/../yard/./a.jpg`, join(dirname(yard), "other-way", "a.jpg")]) {
      expect(await explainPath(path)).toMatchObject({ subject: { type: "image", id: String(newer) }, found: true });
    }
  });

  test("continues with its open batch, or its event and why that raised no alert", async () => {
    const image = await stored.image();
    const [batch] = await desk.db.query(
      (sql) => sql<[{ id: string }]>`
        insert into batches (camera_id, started_at, last_detection_at, due_at, detection_count, opened_at, joined_at)
        values ('yard', ${atSecond(1)}, ${atSecond(1)}, now() + interval '20 s', 1, ${atSecond(1)}, ${atSecond(1)})
        returning batch_id as id
      `,
    );
    await desk.db.query(
      (sql) => sql`
        insert into detections (camera_id, image_id, batch_id, file_path, detected_at, object_type, confidence)
        values ('yard', ${image}, ${batch.id}, '/x', now(), 'person', 0.9)
      `,
    );
    expect((await explain(image)).outcome).toMatch(
      /are not an event yet. The batch is still open, with 1 detection within 0 ms. It becomes an event in/,
    );
    const other = await stored.image();
    const eventId = await stored.event({ images: [other], score: 42 });
    const { outcome, steps } = await explain(other);
    expect(outcome).toBe(`The picture is part of event ${eventId}. Event ${eventId} raised no alert: there is no alert rule.`);
    expect(steps.map(({ step }) => step)).toEqual(["file_seen", "file_complete", "detection", "batch", "event", "score", "rule"]);
  });
});

describe("explain: a file without a record", () => {
  const answer = async (path: string): Promise<string> => {
    const { found, outcome } = await explainPath(path);
    expect(found).toBe(false);
    return outcome;
  };

  test("says why homesec has no record of it", async () => {
    const put = async (name: string, content: string | Buffer = "x"): Promise<string> => {
      const path = join(desk.cameraRoot, name);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, content);
      return path;
    };
    const jpeg = await uniqueJpeg();
    expect(await answer(await put("yard/a.txt"))).toContain("not that of a picture or a video");
    expect(await answer(await put("yard/a.jpg.part"))).toContain("Its name marks it as unfinished");
    expect(await answer(await put("yard/@eaDir/a.jpg"))).toContain("homesec ignores folders named @eaDir.");
    expect(await answer(await put("a.jpg"))).toContain("It is in the camera root itself.");
    expect(await answer(await put("yard/half.jpg", jpeg.subarray(0, 5_000)))).toContain("It is not complete:");
    expect(await answer(await put("yard/none.jpg", ""))).toContain("It is empty.");
    expect(await answer(await put("new/a.jpg", jpeg))).toContain("Its folder is not a camera yet");
    expect(await answer(join(yard, "gone.jpg"))).toContain("The file does not exist. homesec keeps records of deleted files for 30 days.");
    expect(await answer(await put("yard/whole.jpg", jpeg))).toContain("homesec finds files while `homesec serve` runs");
    await mkdir(join(yard, "folder.jpg"));
    expect(await answer(join(yard, "folder.jpg"))).toContain("It is a folder.");
    await rename(join(yard, "whole.jpg"), join(yard, "kept.jpg"));
    await desk.ask("deleteCamera", { params: { camera_id: "yard" } });
    expect(await answer(join(yard, "kept.jpg"))).toContain("It belongs to the deleted camera yard");
  });

  test("says what a file with an unknown ending is by its content", async () => {
    const put = async (name: string, content: string | Buffer): Promise<string> => {
      await writeFile(join(yard, name), content);
      return join(yard, name);
    };
    expect(await answer(await put("index00.bin", "no picture, ".repeat(20)))).toContain("It is no picture or video");
    expect(await answer(await put("short", "x"))).toContain("its content is too short");
    expect(await answer(await put("snap.jpg.1", await uniqueJpeg()))).toContain("It exists and is complete.");
  });

  test("names the folder that keeps homesec from reading a file, and how to open it", async () => {
    const closed = join(desk.cameraRoot, "closed");
    await mkdir(join(closed, "deep"), { recursive: true });
    await writeFile(join(closed, "deep", "a.jpg"), await uniqueJpeg());
    for (const folder of [dirname(desk.cameraRoot), dirname(dirname(desk.cameraRoot))]) await chmod(folder, 0o755);
    await chmod(closed, 0o000);
    const isRoot = process.geteuid?.() === 0;
    // root can read everything, so another user runs this
    if (isRoot) process.seteuid?.(65_534);
    try {
      for (const path of [join(closed, "deep", "a.jpg"), join(closed, "b.jpg")]) {
        const text = await answer(path);
        expect(text).toContain(`the right to read the folder ${closed}. homesec then finds the file within 20 seconds.`);
        expect(text).not.toContain("not a camera yet");
      }
      expect(await answer(closed)).toContain(`The folder ${closed} cannot be read; give the user that runs homesec the right to read it.`);
    } finally {
      if (isRoot) process.seteuid?.(0);
      await chmod(closed, 0o755);
    }
  });

  test("names a camera in error, a stuck file, and a watcher that is not running", async () => {
    const path = join(yard, "half.jpg");
    await writeFile(path, (await uniqueJpeg()).subarray(0, 5_000));
    const with_ = (running: boolean): OperationContext => ({
      ...desk.context,
      runtime: quietRuntime({
        watcher: () => ({
          ...{ running, cameraRoot: desk.cameraRoot, watchMode: "notify", pending: 1 },
          stuck: [{ path, reason: "the end is missing", since: new Date(desk.context.clock.now().getTime() - 300_000) }],
        }),
      }),
    });
    const ask = (path: string, running = true) => explainOperations.explainPath({ query: { path } }, with_(running));
    expect(await ask(path)).toMatchObject({ found: false, outcome: expect.stringContaining("It has been stuck for 5 min.") });
    const whole = join(yard, "whole.jpg");
    await writeFile(whole, await uniqueJpeg());
    expect(await ask(whole, false)).toMatchObject({ outcome: expect.stringContaining("The file watcher is not running") });
    await desk.db.query((sql) => sql`update cameras set status = 'error', status_reason = 'the disk is not mounted'`);
    expect(await ask(whole)).toMatchObject({ outcome: expect.stringContaining("Camera yard is in error: The disk is not mounted.") });
  });

  test("reveals nothing about files outside of the roots", async () => {
    const secret = join(desk.outside, "secret.jpg");
    await writeFile(secret, await uniqueJpeg());
    await chmod(secret, 0o600);
    await symlink(secret, join(yard, "link.jpg"));
    const [there, not, link] = [await answer(secret), await answer(join(desk.outside, "none.jpg")), await answer(join(yard, "link.jpg"))];
    expect(there).toContain("homesec reads only below CAMERA_ROOT and CAMERA_EXTRA_ROOTS");
    expect([not, link]).toEqual([there, there]);
    await expect(explainPath("relative.jpg")).rejects.toMatchObject({ kind: "invalid" });
    expect(await answer(`/${"x/".repeat(1_900)}a.jpg`)).toBe(there);
  });
});
