import { connect } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { route } from "../../../src/contract/route.ts";
import { type Served, serve } from "./support.ts";

const reply = z.object({ count: z.int() });
const routes = {
  import: route("/import", {
    method: "post",
    summary: "Import",
    tag: "t",
    body: z.object({ names: z.array(z.object({ name: z.string().max(50) })), more: z.array(z.string()).default([]) }),
    itemwise: true,
    reply,
  }),
  alive: route("/alive", { method: "get", summary: "Alive", tag: "t", reply }),
};

let served: Served;
beforeEach(async () => {
  served = await serve(routes, {
    import: async ({ body }: { body: { names: readonly object[] } }) => ({ count: body.names.length }),
    alive: async () => ({ count: 1 }),
  });
});
afterEach(() => served.close());

async function post(body: string, type = "application/json"): Promise<{ readonly status: number; readonly text: string }> {
  const response = await fetch(`${served.url}/import`, { method: "POST", headers: { "Content-Type": type }, body });
  return { status: response.status, text: await response.text() };
}
const listOf = (count: number, item: string): string => `[${Array.from({ length: count }, () => item).join(",")}]`;

/** Returns the longest processor time in milliseconds between two turns of the event loop while `work` runs. */
async function longestBlockMs(work: () => Promise<unknown>): Promise<number> {
  let isRunning = true;
  let longest = 0;
  let before = process.cpuUsage();
  const turn = (): void => {
    const { user, system } = process.cpuUsage(before);
    longest = Math.max(longest, (user + system) / 1_000);
    before = process.cpuUsage();
    if (isRunning) setImmediate(turn);
  };
  turn();
  await work();
  isRunning = false;
  return longest;
}

describe("long bodies", () => {
  it.each([
    ["valid items", 200, 250_000, `{"name":"abcdefghijklmnop"}`],
    ["wrong items", 422, 250_000, `{"name":12345678901234567}`],
    ["too many values", 413, 2_000_000, "{}"],
  ])("long bodies: %s of 7 MB are answered with %i, and hold up nothing else meanwhile", async (_what, status, count, item) => {
    const body = `{"names":${listOf(count, item)}}`;
    let answer = { status: 0, text: "" };
    const longest = await longestBlockMs(async () => {
      answer = await post(body);
    });
    expect(answer.status).toBe(status);
    expect(longest).toBeLessThan(200);
  });

  it("long bodies: each item is checked, however many there are, and the first hundred faults are named", async () => {
    const right = `{"name":"a"}`;
    const items = [...Array.from({ length: 30_000 }, () => right), `{"name":7}`, ...Array.from({ length: 30_000 }, () => right), "{}"];
    const { status, text } = await post(`{"names":[${items.join(",")}]}`);
    expect(status).toBe(422);
    const { detail } = JSON.parse(text) as { detail: { loc: unknown; type: string }[] };
    expect(detail.map(({ loc, type }) => [loc, type])).toEqual([
      [["body", "names", 30_000, "name"], "value_error"],
      [["body", "names", 60_001, "name"], "missing"],
    ]);
    expect(JSON.parse((await post(`{"names":${listOf(60_000, right)}}`)).text)).toEqual({ count: 60_000 });
    expect((await post(`{"names":${listOf(60_000, right)}`)).text).toContain("json_invalid");
    expect((await post(`{"names":${listOf(60_000, right)},"more":["\\u0000"]}`)).status).toBe(200);
    expect((await post(`{"names":[],"more":${listOf(60_000, "1")}}`)).text).toContain("And 59900 more");
  });

  it("long bodies: one whose client disconnects makes way for the next", async () => {
    const body = `{"names":${listOf(250_000, `{"name":12345678901234567}`)}}`;
    const { port } = new URL(served.url);
    for (let count = 0; count < 5; count += 1) {
      const socket = connect(Number(port), "127.0.0.1");
      const head = `POST /import HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
      await new Promise<void>((resolve) => void socket.write(head + body, () => resolve()));
      socket.destroy();
    }
    expect((await post(`{"names":${listOf(10_000, `{"name":"a"}`)}}`)).status).toBe(200);
    expect((await fetch(`${served.url}/alive`)).status).toBe(200);
    expect(served.log.lines.filter(({ level }) => level === "error")).toEqual([]);
  });

  it("long bodies: a byte order mark is skipped, and only UTF-8 is read", async () => {
    for (const count of [1, 20_000]) {
      const body = `{"names":${listOf(count, `{"name":"é"}`)}}`;
      expect(await post(`\ufeff${body}`)).toEqual({ status: 200, text: JSON.stringify({ count }) });
      expect((await post(body, 'application/json; charset="UTF-8"')).status).toBe(200);
      expect((await post(body, "application/json; charset=utf-16")).status).toBe(415);
    }
  });
});
