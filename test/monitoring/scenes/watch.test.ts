import { readFile } from "node:fs/promises";
import sharp from "sharp";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { compareViews, unchangedShare } from "../../../src/monitoring/scenes/change.ts";
import { type Frame, frameOf, packFrame, readFrame, unpackFrame } from "../../../src/monitoring/scenes/frame.ts";
import { isBlack } from "../../../src/monitoring/scenes/health.ts";
import { structuralSimilarity } from "../../../src/monitoring/scenes/similarity.ts";
import { type ChangeStreak, checkView } from "../../../src/monitoring/scenes/watch.ts";
import { type AlertDesk, openAlertDesk } from "../../alerting/alerts/alert-desk.ts";
import { pictureNames, picturePath } from "../../support/pictures.ts";
import { coveredBy, hand, height, shifted, width } from "./sequences.ts";

/*
 * Made-up sequences from real frames of one camera with people walking through. The figures of docs/camera-health.md come from here.
 * MANY_FRAMES=1000 takes the long form of the false alarms.
 */

let walkway: readonly Buffer[];
let desk: AlertDesk;
beforeAll(async () => {
  desk = await openAlertDesk();
  walkway = await Promise.all(pictureNames.map((_, index) => readFile(picturePath(index))));
});
afterAll(() => desk.close());
beforeEach(() => desk.empty());

const picture = (index: number): Buffer => walkway[index % walkway.length] as Buffer;
/** Random numbers that are equal in every run. */
function dice(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

async function noisy(bytes: Buffer, sigma: number, seed: number): Promise<Frame> {
  const { data, info } = await sharp(bytes).resize(320).raw().toBuffer({ resolveWithObject: true });
  const random = dice(seed);
  for (let at = 0; at < data.length; at += 1) {
    const noise = (random() + random() + random() - 1.5) * 2 * sigma;
    data[at] = Math.max(0, Math.min(255, Math.round((data[at] ?? 0) + noise)));
  }
  return frameOf(data, info);
}

async function rainy(bytes: Buffer, seed: number): Promise<Buffer> {
  const random = dice(seed);
  const drops = Array.from({ length: 400 }, () => {
    const [x, y, length] = [random() * width, random() * height, 15 + random() * 25];
    return `<line x1="${x}" y1="${y}" x2="${x + 4}" y2="${y + length}" stroke="white" stroke-opacity="0.5" stroke-width="1.5"/>`;
  });
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${drops.join("")}</svg>`;
  return await sharp(bytes)
    .composite([{ input: Buffer.from(svg) }])
    .jpeg()
    .toBuffer();
}

/** Each picture is decoded once, however many tests look at it. */
const frames = new WeakMap<Buffer, Promise<Frame>>();
function frameOfPicture(bytes: Buffer): Promise<Frame> {
  const frame = frames.get(bytes) ?? readFrame(bytes);
  frames.set(bytes, frame);
  return frame;
}

/** A camera under observation. */
function camera() {
  const streak: ChangeStreak = { count: 0, since: new Date(0) };
  let looks = 0;
  return async (bytes: Buffer | Frame): Promise<boolean> => {
    const frame = Buffer.isBuffer(bytes) ? await frameOfPicture(bytes) : bytes;
    looks += 1;
    const now = new Date(Date.UTC(2026, 2, 1, 12) + looks * 10_000);
    desk.at(now);
    if (isBlack(frame)) return false;
    return await desk.db.transaction((sql) =>
      checkView(sql, { cameraId: "yard", frame, filePath: `/yard/${looks}.jpg`, takenAt: now }, streak, now),
    );
  };
}
const changes = async () => (await desk.ask("listSceneChanges", { params: { camera_id: "yard" } })).scene_changes.toReversed();
const incidents = async () => (await desk.ask("listEvents", { query: "kind=camera_health" })).items.map(({ summary }) => summary);

describe("changes found on the third frame", () => {
  it.each<[string, (bytes: Buffer) => Promise<Buffer>, string]>([
    ["turned by 3 % of the picture", (bytes) => shifted(bytes, 0.03), "view_moved"],
    ["turned by 10 %", (bytes) => shifted(bytes, 0.1), "view_moved"],
    ["turned by 30 %", (bytes) => shifted(bytes, 0.3), "view_moved"],
    ["turned round", (bytes) => sharp(bytes).flop().jpeg().toBuffer(), "view_moved"],
    ["out of focus", (bytes) => sharp(bytes).blur(8).jpeg().toBuffer(), "view_blurred"],
    ["far out of focus", (bytes) => sharp(bytes).blur(15).jpeg().toBuffer(), "view_blurred"],
    ["covered by a hand", () => hand(6), "view_blocked"],
    [
      "covered by paint",
      () =>
        sharp({ create: { width, height, channels: 3, background: "#808080" } })
          .jpeg()
          .toBuffer(),
      "view_blocked",
    ],
    ["covered to 60 %", (bytes) => coveredBy(bytes, 0.6), "view_blocked"],
  ])("%s", async (_, change, type) => {
    const look = camera();
    for (let index = 0; index < 3; index += 1) expect(await look(picture(index))).toBe(false);
    const told: boolean[] = [];
    for (let index = 3; index < 8; index += 1) told.push(await look(await change(picture(index))));
    expect(told).toEqual([false, false, true, false, false]);
    expect(await changes()).toMatchObject([{ change_type: type, acknowledged: false, file_path: "/yard/6.jpg" }]);
    expect((await desk.journal("scene_change")).length).toBe(1);
    expect((await incidents())[0]).toContain("Camera Yard sees something else than before");
  });
});

describe("no scene change", () => {
  const calm = async (frames: readonly (() => Promise<Buffer | Frame>)[]) => {
    const look = camera();
    for (let index = 0; index < 3; index += 1) await look(picture(index));
    let alarms = 0;
    for (const frame of frames) if (await look(await frame())) alarms += 1;
    return alarms;
  };
  const sequence = (change: (bytes: Buffer, index: number) => Promise<Buffer | Frame>, count = 12) =>
    Array.from({ length: count }, (_, index) => () => change(picture(index), index));

  it.each<[string, (bytes: Buffer, index: number) => Promise<Buffer | Frame>]>([
    ["people walking", async (bytes) => bytes],
    ["rain", (bytes, index) => rainy(bytes, index)],
    ["noise of the sensor", (bytes, index) => noisy(bytes, 24, index)],
    [
      "dusk",
      (bytes, index) =>
        sharp(bytes)
          .linear(1 - index * 0.07, 0)
          .jpeg()
          .toBuffer(),
    ],
    [
      "the switch to infrared and back",
      (bytes, index) =>
        sharp(bytes)
          .greyscale(index % 6 < 3)
          .jpeg()
          .toBuffer(),
    ],
    [
      "sun that comes out",
      (bytes, index) =>
        sharp(bytes)
          .linear(index % 2 === 0 ? 1.3 : 0.8, index % 2 === 0 ? 20 : 0)
          .jpeg()
          .toBuffer(),
    ],
    ["a lens a little soft", (bytes) => sharp(bytes).blur(3).jpeg().toBuffer()],
    ["too little to be found: turned by 0.5 % of the picture", (bytes) => shifted(bytes, 0.005)],
    ["too little to be found: covered to 40 %", (bytes) => coveredBy(bytes, 0.4)],
    ["something before the lens on two frames", (bytes, index) => (index % 5 < 2 ? hand(6) : Promise.resolve(bytes))],
  ])("%s", async (_, change) => {
    expect(await calm(sequence(change))).toBe(0);
    expect(await changes()).toEqual([]);
  });

  it("in a mixture of weather, light and people: no false alarm", async () => {
    const frames = Number(process.env["MANY_FRAMES"] ?? 60);
    const random = dice(7);
    const mixture = sequence(async (bytes, index) => {
      const dim = 0.5 + 0.6 * random();
      const lit = await sharp(bytes).linear(dim, 0).jpeg().toBuffer();
      const kind = random();
      return kind < 0.3 ? await rainy(lit, index) : kind < 0.6 ? await noisy(lit, 20 * random(), index) : lit;
    }, frames);
    expect(await calm(mixture)).toBe(0);
  }, 600_000);
});

describe("an unacknowledged change", () => {
  /** The view under the camera's infrared lamp: grey, with plants brighter than walls. */
  const infrared = (bytes: Buffer) => sharp(bytes).greyscale().negate().jpeg().toBuffer();
  const turned = (index: number) => shifted(picture(index), 0.3);
  const told = async (look: ReturnType<typeof camera>, frame: (index: number) => Promise<Buffer>, count = 5) => {
    const answers: boolean[] = [];
    for (let index = 0; index < count; index += 1) answers.push(await look(await frame(index)));
    return answers;
  };
  const never = Array.from({ length: 5 }, () => false);
  const onTheThird = [false, false, true, false, false];
  const day = async (index: number) => picture(index);

  it("that returns after it ended is reported again", async () => {
    const look = camera();
    await told(look, day);
    expect(await told(look, () => hand(6))).toEqual(onTheThird);
    expect(await told(look, day)).toEqual([true, false, false, false, false]);
    expect(await told(look, () => hand(6))).toEqual(onTheThird);
    expect(await changes()).toHaveLength(2);
    expect(await incidents()).toEqual([
      expect.stringContaining("sees something else than before"),
      expect.stringMatching(/saw something else than before for/),
    ]);
  });

  it("lasts through the camera's first night, and nothing is learned from that night until the change is acknowledged", async () => {
    const look = camera();
    const night = async (index: number) => await infrared(await turned(index));
    await told(look, day);
    expect(await told(look, turned)).toEqual(onTheThird);
    expect(await told(look, night)).toEqual(never);
    expect(await told(look, turned)).toEqual(never);
    expect(await incidents()).toEqual([expect.stringContaining("sees something else than before")]);
    const [change] = await changes();
    await desk.ask("acknowledgeSceneChange", { params: { camera_id: "yard", id: String(change?.id) } });
    expect(await incidents()).toEqual([expect.stringContaining("saw something else than before")]);
    for (const now of [night, turned, night]) expect(await told(look, now)).toEqual(never);
    expect(await told(look, day)).toEqual(onTheThird);
  });

  it("is reported once for each light over days and nights, and acknowledged through its first report", async () => {
    const look = camera();
    const night = async (index: number) => await infrared(await turned(index));
    await told(look, day);
    await told(look, async (index) => await infrared(picture(index)));
    expect(await told(look, turned)).toEqual(onTheThird);
    expect(await told(look, night)).toEqual(onTheThird);
    for (const now of [turned, night, turned]) expect(await told(look, now)).toEqual(never);
    expect(await incidents()).toEqual([expect.stringContaining("sees something else than before")]);
    const [first] = await changes();
    await desk.ask("acknowledgeSceneChange", { params: { camera_id: "yard", id: String(first?.id) } });
    expect(await incidents()).toEqual([expect.stringContaining("saw something else than before")]);
    for (const now of [turned, night, turned]) expect(await told(look, now)).toEqual(never);
  });

  it("is over when the camera is turned back at night", async () => {
    const look = camera();
    const night = async (index: number) => await infrared(picture(index));
    await told(look, day);
    await told(look, night);
    await told(look, turned);
    expect(await told(look, night)).toEqual([true, false, false, false, false]);
    expect(await incidents()).toEqual([expect.stringContaining("saw something else than before")]);
    expect(await told(look, day)).toEqual(never);
  });
});

it("acknowledging adopts the new view, and the old view becomes a change", async () => {
  const look = camera();
  for (let index = 0; index < 3; index += 1) await look(picture(index));
  for (let index = 0; index < 3; index += 1) await look(await shifted(picture(index), 0.3));
  const [change] = await changes();
  await desk.ask("acknowledgeSceneChange", { params: { camera_id: "yard", id: String(change?.id) } });
  expect((await incidents())[0]).toMatch(/^Camera Yard saw something else than before for /);
  for (let index = 3; index < 8; index += 1) expect(await look(await shifted(picture(index), 0.3))).toBe(false);
  expect(await changes()).toHaveLength(1);
  for (let index = 0; index < 3; index += 1) await look(picture(index));
  expect(await changes()).toHaveLength(2);
});

it("a view that is as before again ends the incident, and a late acknowledgement does not bring the other one back", async () => {
  const look = camera();
  for (let index = 0; index < 3; index += 1) await look(picture(index));
  for (let index = 0; index < 3; index += 1) await look(await coveredBy(picture(index), 0.6));
  expect(await look(picture(4))).toBe(true);
  expect((await incidents())[0]).toContain("saw something else than before");
  const [change] = await changes();
  await desk.ask("acknowledgeSceneChange", { params: { camera_id: "yard", id: String(change?.id) } });
  for (let index = 0; index < 5; index += 1) expect(await look(picture(index))).toBe(false);
});

it("ignores shapes so narrow that they would be huge at the common width", async () => {
  const narrow = await sharp({ create: { width: 1, height: 20_000, channels: 3, background: "#fff" } })
    .png()
    .toBuffer();
  await expect(readFrame(narrow)).rejects.toThrow("too narrow");
});

it("is 1 for the same picture and falls with every difference; a stored reference is as good as the frame, in a few KB", async () => {
  const [one, other] = [await readFrame(picture(0)), await readFrame(picture(5))];
  expect([one.width, one.height, one.light]).toEqual([320, 240, "day"]);
  expect(structuralSimilarity(one, one)).toBe(1);
  expect(structuralSimilarity(one, other)).toBeLessThan(0.95);
  expect(unchangedShare(one, one)).toBe(1);
  expect(unchangedShare(one, other)).toBeLessThan(0.8);
  const packed = await packFrame(one);
  expect(packed.length).toBeLessThan(20_000);
  expect(compareViews(one, await unpackFrame(packed, one), 0.92).similarity).toBeGreaterThan(0.97);
});
