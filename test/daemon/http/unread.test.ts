import { createServer } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { clientAddressBehind } from "../../../daemon/http/client-address.ts";
import { createUnsentReplies } from "../../../daemon/http/unsent.ts";
import { route } from "../../../src/contract/route.ts";
import { keptLog, type Served, serve } from "./support.ts";

const mib = 1024 * 1024;
const text = z.object({ text: z.string() });
const routes = {
  long: route("/long/{mib}", { method: "get", summary: "A long reply", tag: "t", params: z.object({ mib: z.string() }), reply: text }),
  numbers: route("/numbers", { method: "get", summary: "A list", tag: "t", reply: z.object({ numbers: z.array(z.number()) }) }),
  import: route("/import", {
    method: "post",
    summary: "Import",
    tag: "t",
    body: z.object({ texts: z.array(z.string()) }),
    itemwise: true,
    reply: text,
  }),
};

let served: Served | undefined;
let importing = 0;
let mostImporting = 0;
const sockets: Socket[] = [];
const start = async (): Promise<void> => {
  served = await serve(
    routes,
    {
      long: async ({ params }: { params: { mib: string } }) => ({ text: "x".repeat(Number(params.mib) * mib) }),
      numbers: async () => ({ numbers: Array.from({ length: 400_000 }, (_, at) => at + 1e14) }),
      import: async ({ body }: { body: { texts: string[] } }) => {
        importing += 1;
        mostImporting = Math.max(mostImporting, importing);
        // longer than a slow processor needs to read the next body
        await sleep(600);
        importing -= 1;
        return { text: String(body.texts.length) };
      },
    },
    { clientAddress: clientAddressBehind(["127.0.0.1"]) },
  );
};
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await served?.close();
  served = undefined;
  mostImporting = 0;
});

/** Asks and reads nothing after the first bytes. */
async function askWithoutReading(path: string, address = "192.0.2.1", port = served?.port ?? 0): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  sockets.push(socket);
  socket.on("error", () => {});
  socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: ${address}\r\n\r\n`);
  const first = await new Promise<Buffer>((resolve) => socket.once("data", resolve));
  socket.pause();
  return first.toString("latin1").slice(9, 12);
}
const ask = (path: string, address = "192.0.2.1") => fetch(`${served?.url}${path}`, { headers: { "X-Forwarded-For": address } });

describe("replies that are not read", () => {
  it("unread replies: a client gets a refusal beyond 16 MiB, and other clients their replies", async () => {
    await start();
    const statuses: string[] = [];
    for (let count = 0; count < 4; count += 1) statuses.push(await askWithoutReading("/long/6"));
    expect(statuses).toEqual(["200", "200", "503", "503"]);
    const refused = await ask("/long/6");
    expect(refused.status).toBe(503);
    expect(refused.headers.get("retry-after")).toBe("2");
    expect(await refused.json()).toEqual({ detail: expect.stringContaining("12 MiB of it yours") });
    expect((await (await ask("/long/6", "192.0.2.2")).json()) as object).toEqual({ text: "x".repeat(6 * mib) });
    expect((await ask("/long/0")).status).toBe(200);
  });

  it("unread replies: lists of numbers count with the length that they have on the wire", async () => {
    await start();
    const statuses: string[] = [];
    for (let count = 0; count < 4; count += 1) statuses.push(await askWithoutReading("/numbers"));
    expect(statuses).toEqual(["200", "200", "503", "503"]);
  });

  it.each([
    // the newest are refused while the others may still read, and the oldest make way when they have stopped
    [60_000, ["cut", "cut", "cut", "refused", "refused"]],
    [0, ["cut", "cut", "cut", "cut", "cut"]],
  ])("unread replies: clients that stopped reading for %i ms make way, per client and in all", async (stalledAfterMs, expected) => {
    const log = keptLog();
    const unsent = createUnsentReplies(log, { perClient: 10 * mib, inAll: 20 * mib, stalledAfterMs });
    const outcomes: Promise<string>[] = [];
    const server = createServer((request, response) => {
      const refuse = (): string => {
        response.writeHead(503).end();
        return "refused";
      };
      const sent = unsent.send(request.url ?? "", response, Buffer.alloc(6 * mib));
      outcomes.push(sent.then(() => (response.writableFinished ? "sent" : "cut"), refuse));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
    const { port } = server.address() as AddressInfo;
    const statuses: string[] = [];
    for (const client of ["/a", "/b", "/c", "/a", "/d"]) statuses.push(await askWithoutReading(client, "192.0.2.1", port));
    expect(statuses).toEqual(expected.map((outcome) => (outcome === "refused" ? "503" : "200")));
    const told = log.lines.filter(({ message }) => message.includes("does not read its reply"));
    expect(told.map(({ fields }) => fields["peer"])).toEqual(stalledAfterMs === 0 ? ["/a", "/b"] : []);
    server.closeAllConnections();
    server.close();
    expect(await Promise.all(outcomes)).toEqual(expected);
  });

  it("unread replies: one that is read slowly arrives whole", async () => {
    await start();
    const response = await ask("/long/9");
    let length = 0;
    for await (const part of response.body as unknown as AsyncIterable<Uint8Array>) {
      if (length < 3 * mib) await sleep(5);
      length += part.length;
    }
    expect(length).toBe(9 * mib + '{"text":""}'.length);
    expect(response.headers.get("content-length")).toBe(String(length));
  });

  it("unread replies: one that is larger than the limit is sent if nothing else is unread", async () => {
    await start();
    expect((await (await ask("/long/20")).text()).length).toBeGreaterThan(20 * mib);
    const head = await fetch(`${served?.url}/long/20`, { method: "HEAD" });
    expect(head.headers.get("content-length")).toBe(String(20 * mib + '{"text":""}'.length));
  });
});

describe("large bodies", () => {
  const post = async (size: number, address: string): Promise<number> => {
    const body = JSON.stringify({ texts: ["x".repeat(size)] });
    const headers = { "Content-Type": "application/json", "X-Forwarded-For": address };
    return (await fetch(`${served?.url}/import`, { method: "POST", headers, body })).status;
  };

  it("large bodies: one per client and three in all are worked on at a time, and all are answered", async () => {
    await start();
    expect(await Promise.all(Array.from({ length: 4 }, () => post(2 * mib, "192.0.2.1")))).toEqual([200, 200, 200, 200]);
    expect(mostImporting).toBe(1);
    await Promise.all(Array.from({ length: 8 }, (_, client) => post(2 * mib, `192.0.2.${client}`)));
    expect(mostImporting).toBe(3);
    await Promise.all(Array.from({ length: 8 }, () => post(1_000, "192.0.2.1")));
    expect(mostImporting).toBe(8);
  });

  it("large bodies: one that never arrives holds up its own client only, until it disconnects", async () => {
    await start();
    const socket = connect(served?.port ?? 0, "127.0.0.1");
    sockets.push(socket);
    const head = "POST /import HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nX-Forwarded-For: 192.0.2.1\r\n";
    socket.write(`${head}Content-Length: ${4 * mib}\r\n\r\n{"texts":["`);
    await sleep(200);
    expect(await post(2 * mib, "192.0.2.2")).toBe(200);
    const waiting = post(2 * mib, "192.0.2.1");
    expect(await Promise.race([waiting, sleep(400).then(() => "waits")])).toBe("waits");
    socket.destroy();
    expect(await waiting).toBe(200);
  });
});
