import { afterEach, expect, it } from "vitest";
import { systemClock } from "../../../src/base/clock/clock.ts";
import { silentLog } from "../../../src/base/log/log.ts";
import { Breaker } from "../../../src/monitoring/upstream/breaker.ts";
import { createDetector } from "../../../src/monitoring/upstream/detector.ts";
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

function poolOf(members: readonly PooledDetector[], clock = systemClock) {
  const pool = createDetectorPool({ members: () => members, clock, log: silentLog });
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
