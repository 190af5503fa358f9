import { expect, test } from "vitest";
import { journalFrame } from "../../../daemon/live/frame.ts";
import { RecentFrames } from "../../../daemon/live/recent-frames.ts";

test("recent frames: the memory they use matches the limit", () => {
  const recent = new RecentFrames();
  for (let sequence = 1; sequence <= 1_500; sequence += 1) {
    recent.push([journalFrame({ sequence, type: "detection.new", data: `{"note":"${"x".repeat(200)}"}`, created_at: new Date(0) })]);
    // in between, others take small pieces of the memory pool that Node shares
    Buffer.from("y".repeat(3_000));
  }
  const frames = recent.after(1_400) ?? [];
  expect(frames).toHaveLength(100);
  const memory = new Set(frames.map(({ bytes }) => bytes.buffer));
  const held = [...memory].reduce((sum, { byteLength }) => sum + byteLength, 0);
  expect(held).toBe(frames.reduce((sum, { bytes }) => sum + bytes.length, 0));
});
