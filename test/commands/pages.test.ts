import { afterEach, expect, it } from "vitest";
import { table } from "../../commands/output/table.ts";
import { apiStandIn } from "../support/api-stand-in.ts";
import { cli } from "../support/cli.ts";
import { timed } from "../support/timed.ts";
import { detection } from "./records.ts";

let close = async (): Promise<void> => {};
afterEach(() => close());

/** A daemon with this many detections. */
async function daemonWith(total: number) {
  const api = await apiStandIn(({ query }) => {
    const from = Number(query.get("cursor") ?? 0);
    const limit = Number(query.get("limit"));
    const items = Array.from({ length: Math.min(limit, total - from) }, (_, at) => ({ ...detection, id: from + at + 1 }));
    const end = from + items.length;
    const more = end < total;
    return { body: { items, pagination: { total, limit, offset: 0, next_cursor: more ? String(end) : null, has_more: more } } };
  });
  close = api.close;
  const list = (...args: string[]) => cli(["detections", "list", "--url", api.url, ...args]);
  return { ...api, list };
}

it("pages", async () => {
  const { list, seen } = await daemonWith(2500);
  const { out } = await list("-o", "id", "--limit", "2300");
  const ids = out.trimEnd().split("\n").map(Number);
  expect(ids).toEqual(Array.from({ length: 2300 }, (_, at) => at + 1));
  expect(seen.map(({ query }) => query.get("limit"))).toEqual(["1000", "1000", "300"]);
});

it("pages: a list that ends before --limit ends the command", async () => {
  const { list, seen } = await daemonWith(1200);
  expect((await list("-o", "csv", "--limit", "100000")).out.split("\r\n")).toHaveLength(1202);
  expect(seen).toHaveLength(2);
});

it("pages: json joins all pages in one body", async () => {
  const { list } = await daemonWith(2500);
  const body = JSON.parse((await list("-o", "json", "--limit", "1500")).out);
  expect(body.items).toHaveLength(1500);
  expect(body.pagination).toEqual({ total: 2500, limit: 1500, offset: 0, next_cursor: "1500", has_more: true });
});

it("pages: the default limit is 50", async () => {
  const { list, seen } = await daemonWith(60);
  const { out, err } = await list();
  expect(out.trimEnd().split("\n")).toHaveLength(51);
  expect(err).toBe("50 of 60 detections; use --limit 60 for all\n");
  expect(seen[0]?.query.get("limit")).toBe("50");
});

it("pages: an error never suggests a --limit that is too large", async () => {
  const { list } = await daemonWith(1_000_001);
  expect((await list("--limit", "2")).err).toBe("2 of 1000001 detections\n");
});

it("pages: Ctrl-C ends a long table at once", async () => {
  const { url } = await daemonWith(5_000);
  const stop = new AbortController();
  const { code, out } = await cli(["detections", "list", "--url", url, "--limit", "5000"], {
    signal: stop.signal,
    onOut: () => stop.abort("SIGINT"),
  });
  expect(code).toBe(130);
  expect(out.split("\n").length).toBeLessThan(1_000);
});

it("pages: the time for a table grows in proportion to its rows", timed, async () => {
  const msOf = async (rows: number): Promise<number> => {
    const started = performance.now();
    const row = [{ text: "玄関" }, { text: "front-door", paint: "green" as const }, { text: "x".repeat(50) }];
    const heads = [{ title: "NAME" }, { title: "CAMERA", keep: true }, { title: "PLACE" }];
    const text = table(
      { now: new Date(), colour: true, width: 40 },
      heads,
      Array.from({ length: rows }, () => row),
    );
    const lines = text.split("\n");
    expect(lines).toHaveLength(rows + 2);
    expect(new Set(lines.slice(1, -1)).size).toBe(1);
    return performance.now() - started;
  };
  await msOf(1_000);
  const few = await msOf(1_000);
  expect(await msOf(20_000)).toBeLessThan(60 * few);
});
