import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createCameraWatcher } from "../../../daemon/workers/camera-watcher.ts";
import { silentLog } from "../../../src/base/log/log.ts";
import { openIncident } from "../../../src/monitoring/incidents/incidents.ts";
import { type Frame, frameOf } from "../../../src/monitoring/scenes/frame.ts";
import { checkHealth, freshMemory } from "../../../src/monitoring/scenes/health.ts";
import { clockJump, type LedgerPicture, sameContent } from "../../../src/monitoring/scenes/signs.ts";
import { type AlertDesk, openAlertDesk } from "../../alerting/alerts/alert-desk.ts";
import { eventually } from "../../support/eventually.ts";

let desk: AlertDesk;
beforeAll(async () => {
  desk = await openAlertDesk();
});
afterAll(() => desk.close());
beforeEach(() => desk.empty());

const at = (seconds: number) => new Date(Date.UTC(2026, 2, 1, 12) + seconds * 1000);
const summaries = async () =>
  (await desk.ask("listEvents", { query: "kind=camera_health" })).items.map(({ summary }) => summary).toReversed();

describe("the ledger shows", () => {
  const pictures = (count: number, of: (index: number) => Partial<LedgerPicture>): LedgerPicture[] =>
    Array.from({ length: count }, (_, index) => ({ sha256: String(index), takenAt: at(1000 - 15 * index), lagMs: 2_000, ...of(index) }));

  it("the same content six times over a minute, and no upload that was repeated", () => {
    expect(sameContent(pictures(6, () => ({ sha256: "aa" })))).toMatchObject({ since: at(925) });
    expect(sameContent(pictures(5, () => ({ sha256: "aa" })))).toBeUndefined();
    expect(sameContent(pictures(20, (index) => ({ sha256: "aa", takenAt: at(1000 - index) })))).toBeUndefined();
    expect(sameContent(pictures(20, (index) => ({ sha256: index === 3 ? "bb" : "aa" })))).toBeUndefined();
    expect(sameContent(pictures(20, () => ({ sha256: null })))).toBeUndefined();
    expect(sameContent([])).toBeUndefined();
  });

  it("a clock that jumped, and neither one that is wrong all the time nor a single late upload", () => {
    expect(clockJump(pictures(40, (index) => ({ lagMs: index < 5 ? 3_600_000 : 2_000 })))?.reason).toContain("back by 1 h against");
    expect(clockJump(pictures(40, (index) => ({ lagMs: index < 5 ? -600_000 : 2_000 })))?.reason).toContain("forward by 10 min");
    expect(clockJump(pictures(40, () => ({ lagMs: 3_600_000 })))).toBeUndefined();
    expect(clockJump(pictures(40, (index) => ({ lagMs: index < 2 ? 3_600_000 : 2_000 })))).toBeUndefined();
    expect(clockJump(pictures(20, (index) => ({ lagMs: index < 5 ? 3_600_000 : 2_000 })))).toBeUndefined();
    expect(clockJump(pictures(40, () => ({ lagMs: null })))).toBeUndefined();
  });

  it("no clock jump when old pictures are copied into the folder, or a camera sends pictures from its time offline", () => {
    expect(clockJump(pictures(40, (index) => ({ lagMs: index < 12 ? 86_400_000 + index * 600_000 : 2_000 })))).toBeUndefined();
    expect(clockJump(pictures(40, (index) => ({ lagMs: index < 5 ? 180_000 + index * 60_000 : 2_000 })))).toBeUndefined();
    // uploads that take longer or shorter are not a clock jump
    expect(clockJump(pictures(40, (index) => ({ lagMs: index < 5 ? 3_600_000 + index * 20_000 : 2_000 })))).toBeDefined();
  });
});

describe("pictures show", () => {
  const memory = freshMemory();
  let looks = 0;
  const look = async (frame: Frame) => {
    looks += 1;
    return await desk.db.transaction((sql) =>
      checkHealth(sql, { cameraId: "yard", takenAt: at(looks * 10), frame }, memory, at(looks * 10)),
    );
  };
  const made = (pixel: (at: number) => number): Frame =>
    frameOf(
      Uint8Array.from({ length: 320 * 180 }, (_, index) => pixel(index)),
      { width: 320, height: 180, channels: 1 },
    );
  const live = (seed: number) => made((index) => 100 + ((index * 7 + seed * 13) % 29));

  it("that a camera is black from the third one on, and when it is over", async () => {
    for (let index = 0; index < 3; index += 1) await look(live(index));
    for (let index = 0; index < 4; index += 1) await look(made((pixel) => pixel % 5));
    expect(await summaries()).toEqual(["Camera Yard sends black pictures: no picture shows anything."]);
    expect((await desk.journal("camera_status")).map(({ reason }) => reason)).toEqual(await summaries());
    await look(live(9));
    expect((await summaries())[0]).toMatch(/^Camera Yard sent black pictures for \d+ s: /);
  });

  it("that a camera is frozen, though the clock in its picture runs on", async () => {
    for (let index = 0; index < 25; index += 1) await look(live(index));
    const frozen = live(77);
    const ticking = (tick: number): Frame => ({
      ...frozen,
      pixels: frozen.pixels.map((value, pixel) => (pixel < 600 ? (value + tick) % 256 : value)),
    });
    for (let tick = 0; tick < 6; tick += 1) await look(ticking(tick));
    expect(await summaries()).toEqual([]);
    for (let tick = 6; tick < 9; tick += 1) await look(ticking(tick));
    expect(await summaries()).toEqual([
      expect.stringContaining("Camera Yard sends the same picture again and again: the pictures are identical except"),
    ]);
    // a restart does not end it either, although homesec then remembers no picture
    Object.assign(memory, freshMemory());
    for (let tick = 9; tick < 12; tick += 1) await look(ticking(tick));
    expect((await summaries())[0]).toContain("sends the same picture again and again");
    await look(live(5));
    expect((await summaries())[0]).toContain("sent the same picture again and again for");
  });
});

describe.each([
  ["a picture every 15 s", 15],
  ["one a second", 1],
  ["five a second", 0.2],
])("a camera that uploads %s", (_, gap) => {
  it("is frozen when all of its pictures of a minute have the same content, and not before", async () => {
    let [count, uploaded] = [0, Number.NEGATIVE_INFINITY];
    const uploadUntil = async (seconds: number, from: number, content: (index: number) => string) => {
      const pictures: { readonly time: string; readonly content: string }[] = [];
      for (uploaded = Math.max(uploaded + gap, from); uploaded <= seconds; uploaded += gap) {
        count += 1;
        pictures.push({ time: at(uploaded).toISOString(), content: content(count) });
      }
      uploaded -= gap;
      await desk.db.query(
        (sql) => sql`
          insert into images (camera_id, path, size_bytes, modified_ns, media_type, sha256, found_by, found_at, taken_at, status)
          select 'yard', p.time, 1, (extract(epoch from p.time::timestamptz) * 1e9)::bigint, 'image/jpeg', sha256(p.content::bytea), 'watch', p.time::timestamptz, p.time::timestamptz, 'processed'
          from unnest(${pictures.map(({ time }) => time)}::text[], ${pictures.map((picture) => picture.content)}::text[]) p (time, content)
        `,
      );
      const frame = frameOf(
        Uint8Array.from({ length: 320 * 180 }, () => 100),
        { width: 320, height: 180, channels: 1 },
      );
      const takenAt = at(uploaded);
      await desk.db.transaction((sql) => checkHealth(sql, { cameraId: "yard", takenAt, frame }, freshMemory(), takenAt));
      return await summaries();
    };
    await uploadUntil(300, 0, (index) => `live ${index}`);
    expect(await uploadUntil(355, 300, () => "frozen")).toEqual([]);
    const [frozen, ...others] = await uploadUntil(395, 355, () => "frozen");
    expect(frozen).toMatch(
      /^Camera Yard sends the same picture again and again: the last \d+ pictures have the same content, byte for byte\.$/,
    );
    expect(others).toEqual([]);
    expect(await uploadUntil(415, 395, (index) => `live ${index}`)).toEqual([
      expect.stringContaining("sent the same picture again and again for"),
    ]);
  });
});

it("six pictures of one content show it whatever a clock that was set back has left in the future", async () => {
  const takenAt = [
    ...Array.from({ length: 6 }, (_, index) => at(15 * index)),
    ...Array.from({ length: 60 }, (_, index) => at(3_600 + index)),
  ];
  await desk.db.query(
    (sql) => sql`
      insert into images (camera_id, path, size_bytes, modified_ns, media_type, sha256, found_by, found_at, taken_at, status)
      select 'yard', t.time, 1, 0, 'image/jpeg', sha256((case when t.index <= 6 then 'same' else t.time end)::bytea), 'watch', t.time::timestamptz,
        t.time::timestamptz, 'processed'
      from unnest(${takenAt.map((time) => time.toISOString())}::text[]) with ordinality t (time, index)
    `,
  );
  const frame = frameOf(
    Uint8Array.from({ length: 320 * 180 }, () => 100),
    { width: 320, height: 180, channels: 1 },
  );
  await desk.db.transaction((sql) => checkHealth(sql, { cameraId: "yard", takenAt: at(75), frame }, freshMemory(), at(80)));
  expect(await summaries()).toEqual([expect.stringContaining("Camera Yard sends the same picture again and again: the last 6 pictures")]);
});

/** The worker with short pauses and the real time. */
const watcher = () =>
  createCameraWatcher({
    ...{ db: desk.db, log: silentLog, settings: desk.context.settings, roots: [desk.cameraRoot], everyMs: 20 },
    clock: { now: () => new Date(), monotonic: () => performance.now() },
  });

it("an incident of a changed view ends when scene changes are switched off, because nothing can detect its end", async () => {
  for (const cause of ["view", "black"] as const) {
    const trouble = { cameraId: "yard", cause, reason: "The view is blocked", beganAt: at(0) };
    await desk.db.transaction((sql) => openIncident(sql, trouble, at(0)));
  }
  let told = 0;
  const unsubscribe = desk.db.onCommitted((note) => {
    if (note === "journal") told += 1;
  });
  const worker = watcher();
  await worker.start();
  try {
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(told).toBe(0);
    await desk.ask("updateConfig", { body: { scene_change_enabled: false } });
    await eventually(() => told > 0);
    expect(await summaries()).toEqual([
      expect.stringMatching(/^Camera Yard saw something else than before for .*: the view is blocked; scene changes were disabled\.$/),
      "Camera Yard sends black pictures: the view is blocked.",
    ]);
  } finally {
    unsubscribe();
    await worker.stop();
    await desk.ask("updateConfig", { body: { scene_change_enabled: true } });
  }
});

it("the worker takes the newest picture of each camera, none of a time that the clock has left, and asks at each look whether scene changes are on", async () => {
  const folder = join(desk.cameraRoot, "yard");
  await mkdir(folder, { recursive: true });
  let count = 0;
  const upload = async (takenAt = new Date()) => {
    count += 1;
    const path = join(folder, `${count}.jpg`);
    const noise = { type: "gaussian", mean: 128, sigma: 40 } as const;
    await sharp({ create: { width: 640, height: 360, channels: 3, background: "#888888", noise } })
      .jpeg()
      .toFile(path);
    await desk.db.query(
      (sql) => sql`
        insert into images (camera_id, path, size_bytes, modified_ns, media_type, found_by, found_at, taken_at, status)
        values ('yard', ${path}, 1, 0, 'image/jpeg', 'watch', ${takenAt}, ${takenAt}, 'processed')
      `,
    );
  };
  const views = async () => (await desk.db.query((sql) => sql`select v.light from camera_views v`)).length;
  const worker = watcher();
  const before = await desk.ask("updateConfig", { body: { scene_change_enabled: false } });
  expect(before.scene_change_enabled).toBe(false);
  await worker.start();
  try {
    await upload(new Date(Date.now() + 3_600_000));
    await upload();
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect(await views()).toBe(0);
    await desk.ask("updateConfig", { body: { scene_change_enabled: true } });
    await upload();
    await eventually(async () => (await views()) === 1);
  } finally {
    await worker.stop();
  }
});
