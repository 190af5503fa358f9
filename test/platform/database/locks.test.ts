import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { advisoryLocks } from "../../../src/platform/database/database.ts";

const root = join(import.meta.dirname, "../../..");

test("advisory locks: each has a unique number, and code uses only locks in the list", () => {
  const numbers = Object.values(advisoryLocks);
  expect(new Set(numbers).size).toBe(numbers.length);
  const taken = ["src", "daemon", "commands"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts"))
      .flatMap((name) => [...readFileSync(join(root, folder, name), "utf8").matchAll(/pg_(?:try_)?advisory_\w+\((.*?)[,)]/g)]),
  );
  expect(new Set(taken.map(([, number]) => number))).toEqual(
    new Set(Object.keys(advisoryLocks).map((name) => `\${advisoryLocks.${name}}`)),
  );
});
