import { setTimeout } from "node:timers/promises";
import { expect, test } from "vitest";
import { createFreshContent } from "../../../src/monitoring/images/fresh-content.ts";

const version = { sizeBytes: 3, modifiedNs: 7n };
const content = (bytes: number): Buffer => Buffer.alloc(bytes, 1);

test("cached content is returned once, for its version only", () => {
  const fresh = createFreshContent();
  fresh.keep("/a.jpg", version, content(3));
  expect(fresh.take("/b.jpg", version)).toBeUndefined();
  expect(fresh.take("/a.jpg", { ...version, modifiedNs: 8n })).toBeUndefined();
  expect(fresh.take("/a.jpg", { ...version, sizeBytes: 4 })).toBeUndefined();
  expect(fresh.take("/a.jpg", version)).toEqual(content(3));
  expect(fresh.take("/a.jpg", version)).toBeUndefined();
});

test("the cache holds a limited number of bytes, first come first served", () => {
  const fresh = createFreshContent({ mostBytes: 10 });
  fresh.keep("/1", version, content(6));
  fresh.keep("/2", version, content(6));
  fresh.keep("/3", version, content(4));
  // storing the same content again replaces the first copy
  fresh.keep("/1", version, content(6));
  expect([1, 2, 3].map((n) => fresh.take(`/${n}`, version)?.length)).toEqual([6, undefined, 4]);
  fresh.keep("/2", version, content(10));
  expect(fresh.take("/2", version)).toHaveLength(10);
});

test("content that is not taken expires and makes room", async () => {
  const fresh = createFreshContent({ mostBytes: 10, forMs: 50 });
  fresh.keep("/1", version, content(10));
  await setTimeout(1_200);
  fresh.keep("/2", version, content(10));
  expect([fresh.take("/1", version), fresh.take("/2", version)?.length]).toEqual([undefined, 10]);
});
