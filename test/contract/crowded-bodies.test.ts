import { expect, it } from "vitest";
import { checkItems } from "../../src/contract/bulk.ts";
import { Problem } from "../../src/contract/problem.ts";
import type { Route } from "../../src/contract/route.ts";
import { NewEvent } from "../../src/contract/routes/events.ts";
import { routes } from "../../src/contract/routes/index.ts";
import { decodeRequest } from "../../src/contract/validate.ts";

function refusalOf(body: unknown, route: Route = routes.createRule): Problem {
  try {
    decodeRequest(route, { params: {}, query: new URLSearchParams(), body });
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
  throw new Error("the body was taken");
}

const many = (value: unknown, count = 200_000): unknown[] => Array.from({ length: count }, () => value);

it("large bodies: the error lists the first hundred faults and the number of further ones", () => {
  const { kind, items } = refusalOf({ alerts: many(1) }, routes.receiveAlerts);
  expect(kind).toBe("invalid");
  expect(items).toHaveLength(101);
  expect(items.some(({ loc }) => loc[1] === "alerts" && loc[2] === 0)).toBe(true);
  expect(items[100]?.msg).toMatch(/^And 19\d{4} more$/);
});

it("large bodies: the error lists the first hundred unknown fields", () => {
  const { items } = refusalOf({ name: "A", ...Object.fromEntries(many(0).map((_, n) => [`x${n}`, 1])) });
  expect(items).toHaveLength(101);
  expect(items[0]).toMatchObject({ type: "extra_forbidden" });
});

it("large bodies: the error lists the first hundred texts that cannot be stored", () => {
  const { items } = refusalOf({ name: "A", camera_ids: many("a\0b") });
  expect(items.filter(({ msg }) => msg.includes("NUL"))).toHaveLength(100);
});

it("large bodies: the location of a fault half a million levels deep stays short", () => {
  const body = JSON.parse(`{"name":${"[".repeat(400_000)}"\\u0000"${"]".repeat(400_000)}}`) as unknown;
  for (const { loc } of refusalOf(body).items) expect(loc.length).toBeLessThanOrEqual(50);
});

it("large bodies: an item with ever deeper faulty texts is checked as quickly as a flat one", async () => {
  const item = (levels: number) => `${'["\\u0000",'.repeat(levels)}1${"]".repeat(levels)}`;
  const body = JSON.parse(`{"events":[${item(30_000)}]}`) as { events: unknown[] };
  const begun = performance.now();
  decodeRequest(routes.createEvents, { params: {}, query: new URLSearchParams(), body });
  expect((await checkItems(NewEvent, body.events)).faulty).toHaveLength(1);
  expect(performance.now() - begun).toBeLessThan(5_000);
});

it("large bodies: more than half a million values are rejected before each is checked", () => {
  expect(refusalOf({ name: "A", object_types: many(1, 600_000) }).kind).toBe("too_large");
  expect(refusalOf({ name: "A", object_types: many([], 600_000) }).kind).toBe("too_large");
});
