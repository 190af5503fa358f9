import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Listening, listen } from "../../../daemon/http/listen.ts";
import { answerWithoutUpgrade } from "../../../daemon/http/other-upgrade.ts";

let listening: Listening;
beforeAll(async () => {
  listening = await listen({
    app: async (request, response) => {
      const { "x-own": own } = request.headers;
      response.end(JSON.stringify({ method: request.method, url: request.url, own, body: await text(request) }));
    },
    host: "127.0.0.1",
    port: 0,
  });
  const { server } = listening;
  server.on("upgrade", (request, stream, head) => answerWithoutUpgrade(server, request, stream, head));
});
afterAll(() => listening.close());

/** Sends the parts one after another and returns the JSON bodies of this many answers. */
async function answersTo(parts: readonly string[], count = 1): Promise<readonly Record<string, unknown>[]> {
  const socket = connect(listening.port, "127.0.0.1");
  let received = "";
  socket.on("data", (data) => {
    received += String(data);
  });
  for (const part of parts) {
    socket.write(part);
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
  const bodies = () => [...received.matchAll(/\{.*?\}/g)].map(([body]) => JSON.parse(body) as Record<string, unknown>);
  await expect.poll(() => bodies().length).toBe(count);
  socket.destroy();
  return bodies();
}

const offer = "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n";

test("other upgrades: a request for another protocol is answered like a plain one", async () => {
  expect(await answersTo([`GET /health?a=1 HTTP/1.1\r\nHost: localhost\r\nX-Own: \u00fc\r\n${offer}\r\n`])).toEqual([
    { method: "GET", url: "/health?a=1", own: expect.any(String), body: "" },
  ]);
});

test("other upgrades: the body is read in any number of parts, and the connection stays usable", async () => {
  const next = "GET /next HTTP/1.1\r\nHost: localhost\r\n\r\n";
  const head = `POST /api HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n${offer}\r\n`;
  const answer = { method: "POST", url: "/api", body: "0123456789" };
  expect(await answersTo([`${head}0123`, "456789", next], 2)).toMatchObject([answer, { method: "GET", url: "/next" }]);
  expect(await answersTo([`${head}0123456789`])).toMatchObject([answer]);
  const chunked = `POST /api HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n${offer}\r\n`;
  expect(await answersTo([`${chunked}5\r\n01234\r\n`, "5\r\n56789\r\n0\r\n\r\n"])).toMatchObject([answer]);
});
