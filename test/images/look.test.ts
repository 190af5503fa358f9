import { expect, it } from "vitest";
import { look } from "../../src/images/look.ts";

it("a path that is too long for the ledger is told as such, and is not handed on to be refused there for ever", async () => {
  const path = `/srv/${"ü".repeat(120)}`.padEnd(2_600, "/x");
  expect(await look(path, { roots: ["/srv"], quietMs: () => 0 })).toMatchObject({
    kind: "trouble",
    detail: expect.stringContaining("more than 2500 bytes"),
  });
});
