import { afterEach, describe, expect, it } from "vitest";
import { systemClock } from "../../../src/base/clock/clock.ts";
import { silentLog } from "../../../src/base/log/log.ts";
import { Breaker } from "../../../src/monitoring/upstream/breaker.ts";
import { createDetector, type Detected } from "../../../src/monitoring/upstream/detector.ts";
import { createDetectorPool, joinedState, type PooledDetector } from "../../../src/monitoring/upstream/detector-pool.ts";
import { referenceName, referencePicture } from "../../../src/monitoring/upstream/reference.ts";
import { deepStackStandIn, found } from "../../support/deepstack.ts";
import { detectorStandIn, type StandIn } from "../../support/upstream.ts";
import { virtualClock } from "./virtual-clock.ts";

const picture = { ...referencePicture, fileName: "yard.jpg" };
const closers: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  await Promise.all(closers.splice(0).map((close) => close()));
});

function memberAt(url: string, options: { readonly clock?: typeof systemClock; readonly isReserve?: boolean } = {}): PooledDetector {
  const { clock = systemClock, isReserve = false } = options;
  const breaker = new Breaker("detector", { clock });
  const client = createDetector({ url, breaker, clock, log: silentLog });
  closers.unshift(() => client.close());
  return { label: new URL(url.replace("deepstack+", "")).origin, breaker, client, isReserve, isReady: () => true };
}

function poolOf(members: readonly PooledDetector[], clock = systemClock, below = 0) {
  const pool = createDetectorPool({ members: () => members, secondOpinion: () => ({ threshold: 0.5, below }), clock, log: silentLog });
  closers.unshift(() => pool.close());
  return pool;
}

async function standIn(options: Parameters<typeof detectorStandIn>[0] = {}): Promise<StandIn> {
  const created = await detectorStandIn(options);
  closers.push(() => created.close());
  return created;
}

const wasReal = ({ last }: StandIn): boolean => last !== undefined && !last.body.includes(referenceName);

it("detector pool: the next detector answers when one fails, whatever its API", async () => {
  const broken = await standIn();
  await broken.setMode("error");
  const other = await deepStackStandIn("deepstack", () =>
    found({ label: "Person", confidence: 0.8, x_min: 1, y_min: 1, x_max: 50, y_max: 90 }),
  );
  closers.push(() => other.close());
  const members = [memberAt(broken.url), memberAt(other.url)];
  const pool = poolOf(members);
  for (let asked = 0; asked < 3; asked += 1) {
    expect(await pool.detect(picture)).toMatchObject({
      kind: "detected",
      detector: members[1]?.label,
      detections: [{ objectType: "person" }],
    });
  }
});

it("detector pool: a failure of all detectors is unavailable and names each, and never an empty answer", async () => {
  const [one, two] = [await standIn(), await standIn()];
  await one.setMode("error");
  await two.setMode("garbage");
  const members = [memberAt(one.url), memberAt(two.url)];
  const result = await poolOf(members).detect(picture);
  expect(result.kind).toBe("unavailable");
  for (const { label } of members) expect((result as { detail: string }).detail).toContain(label);
});

it("detector pool: a refusal counts only if no detector is away", async () => {
  const [one, two] = [await standIn(), await standIn()];
  await one.setMode("refuse");
  await two.setMode("down");
  const pool = poolOf([memberAt(one.url), memberAt(two.url)]);
  expect((await pool.detect(picture)).kind).toBe("unavailable");
  await two.setMode("refuse");
  await expect.poll(async () => (await pool.detect(picture)).kind, { timeout: 10_000 }).toBe("refused");
});

it("detector pool: the faster detector gets the pictures once both are measured, and the reserve none", async () => {
  const [slow, fast, reserve] = [await standIn({ delayMs: 150 }), await standIn(), await standIn()];
  const pool = poolOf([memberAt(slow.url), memberAt(fast.url), memberAt(reserve.url, { isReserve: true })]);
  for (let sent = 0; sent < 8; sent += 1) await pool.detect(picture);
  expect([slow.requests, fast.requests, reserve.requests]).toEqual([1, 7, 0]);
  expect(pool.ordered()[0]?.label).toBe(fast.url);
});

it("detector pool: pictures sent at the same time are shared among detectors of one pace", async () => {
  const [one, two] = [await standIn({ delayMs: 60 }), await standIn({ delayMs: 60 })];
  const pool = poolOf([memberAt(one.url), memberAt(two.url)]);
  await Promise.all([pool.detect(picture), pool.detect(picture)]);
  await Promise.all(Array.from({ length: 8 }, () => pool.detect(picture)));
  expect(Math.min(one.requests, two.requests)).toBeGreaterThanOrEqual(3);
});

it("detector pool: a detector that is back takes part again, without a picture that waits for its trial", async () => {
  const clock = virtualClock();
  const [one, two] = [await standIn(), await standIn()];
  const members = [memberAt(one.url, { clock }), memberAt(two.url, { clock, isReserve: true })];
  const pool = poolOf(members, clock);
  await one.setMode("error");
  await expect
    .poll(
      async () => {
        expect((await pool.detect(picture)).kind).toBe("detected");
        return members[0]?.breaker.state().state;
      },
      { timeout: 10_000 },
    )
    .toBe("open");
  expect(joinedState(members.map(({ breaker }) => breaker)).state).toBe("closed");
  const before = one.requests;
  await pool.detect(picture);
  expect(one.requests).toBe(before);
  await one.setMode("ok");
  clock.advance(31_000);
  expect(await pool.detect(picture)).toMatchObject({ detector: two.url });
  await expect.poll(() => members[0]?.breaker.state().state).toBe("closed");
  expect(wasReal(one)).toBe(false);
  expect(await pool.detect(picture)).toMatchObject({ detector: one.url });
});

describe("second opinion", () => {
  const seen = (objectType: string, confidence: number, x = 10) => ({
    ...{ class: objectType, confidence },
    bbox: { x, y: 20, width: 60, height: 60 },
  });
  const answering = (...detections: readonly object[]) =>
    standIn({ answer: () => ({ detections, inference_time_ms: 1, image_width: 768, image_height: 576 }) });
  /** The first detector is asked first; the second is the reserve. */
  async function twoDetectors(first: readonly object[], second: readonly object[], below = 0.7) {
    const [one, two] = [await answering(...first), await answering(...second)];
    const pool = poolOf([memberAt(one.url), memberAt(two.url, { isReserve: true })], systemClock, below);
    return { one, two, result: async () => (await pool.detect(picture)) as Detected };
  }

  it("second opinion: an uncertain object stays if the second detector sees it at the same place, with the higher confidence", async () => {
    const { one, two, result } = await twoDetectors(
      [seen("cat", 0.55), seen("dog", 0.6, 400), seen("bird", 0.3)],
      [seen("cat", 0.8, 14), seen("dog", 0.2, 402), seen("person", 0.9, 600)],
    );
    const { detector, detections, leftOut, note } = await result();
    expect(detector).toBe(one.url);
    expect(detections.map(({ objectType, confidence, box }) => [objectType, confidence, box?.x])).toEqual([
      ["cat", 0.8, 10],
      ["dog", 0.6, 400],
      ["bird", 0.3, 10],
    ]);
    expect(leftOut).toEqual([]);
    expect(note).toBe(`The second detector ${two.url} also saw: cat 80 %, dog 60 %.`);
  });

  it("second opinion: an object that the second detector does not see there is left out and counted", async () => {
    const { two, result } = await twoDetectors([seen("cat", 0.55), seen("cat", 0.52, 300)], [seen("cat", 0.9, 600), seen("dog", 0.9)]);
    const { detections, leftOut, note } = await result();
    expect(detections).toEqual([]);
    expect(leftOut).toEqual([{ reason: "second_opinion", count: 2, example: "cat 55 %" }]);
    expect(note).toBe(`The second detector ${two.url} saw none of it.`);
  });

  it("second opinion: the first answer stands if the second detector fails or refuses", async () => {
    const { two, result } = await twoDetectors([seen("cat", 0.55)], []);
    for (const mode of ["error", "refuse", "garbage", "down"] as const) {
      await two.setMode(mode);
      const { detections, leftOut, note } = await result();
      expect(detections).toMatchObject([{ objectType: "cat", confidence: 0.55 }]);
      expect(leftOut).toEqual([]);
      expect(note).toContain("homesec kept the answer of the first one");
    }
  });

  it("second opinion: confident pictures, empty ones and those of one detector go to no second one", async () => {
    const asked = async (first: readonly object[], below?: number) => {
      const { two, result } = await twoDetectors(first, [], below);
      const { detections, note } = await result();
      expect(detections).toHaveLength(first.length);
      expect(note).toBeUndefined();
      return two.requests;
    };
    expect(await asked([seen("cat", 0.55), seen("person", 0.7, 300)])).toBe(0);
    expect(await asked([seen("cat", 0.49)])).toBe(0);
    expect(await asked([])).toBe(0);
    expect(await asked([seen("cat", 0.55)], 0)).toBe(0);
    const alone = poolOf([memberAt((await answering(seen("cat", 0.55))).url)], systemClock, 0.7);
    expect(await alone.detect(picture)).toMatchObject({ detections: [{ objectType: "cat", confidence: 0.55 }] });
  });
});
