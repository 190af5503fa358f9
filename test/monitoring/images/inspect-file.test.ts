import type { BigIntStats } from "node:fs";
import { expect, it } from "vitest";
import { inspectFile, versionOf } from "../../../src/monitoring/images/inspect-file.ts";

it("a path that is too long for the ledger is refused with the reason", async () => {
  const path = `/srv/${"ü".repeat(120)}`.padEnd(2_600, "/x");
  expect(await inspectFile(path, { roots: ["/srv"], quietMs: () => 0 })).toMatchObject({
    kind: "trouble",
    detail: expect.stringContaining("more than 2500 bytes"),
  });
});

it.each([
  ["1601", -11_644_473_600n, -9_223_372_036n],
  ["2026", 1_790_000_000n, 1_790_000_000n],
  ["2300", 10_413_792_000n, 9_223_372_036n],
])("a time in %s is one that the ledger holds", (_, seconds, kept) => {
  const stat = { size: 1n, mtimeNs: seconds * 1_000_000_000n } as BigIntStats;
  const { modifiedNs } = versionOf(stat);
  expect(modifiedNs / 1_000_000_000n).toBe(kept);
  expect(BigInt.asIntN(64, modifiedNs)).toBe(modifiedNs);
});
