import { mkdir, rm, utimes, writeFile } from "node:fs/promises";
import { get, type IncomingHttpHeaders } from "node:http";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { gunzipSync, gzipSync } from "node:zlib";
import express from "express";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { listen } from "../../../daemon/http/listen.ts";
import { openPageFiles } from "../../../daemon/http/page-files.ts";
import { type ServedDesk, serveDesk } from "../../support/served-desk.ts";
import { temporaryFolder } from "../../support/temporary.ts";

interface Answer {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Asks without unpacking the answer. */
function ask(url: string, headers: Readonly<Record<string, string>>): Promise<Answer> {
  return new Promise((done, fail) => {
    get(url, { headers, agent: false }, (response) => {
      buffer(response).then((body) => done({ status: response.statusCode, headers: response.headers, body }), fail);
    }).on("error", fail);
  });
}

describe("description of the API", () => {
  let served: ServedDesk;
  beforeAll(async () => {
    served = await serveDesk();
  });
  afterAll(() => served.close());

  it("openapi.json: takes at most 80 kB on the wire, and is the document that a client without compression gets", async () => {
    const packed = await ask(`${served.url}/openapi.json`, { "accept-encoding": "gzip, deflate, br" });
    expect(packed.status).toBe(200);
    expect(packed.headers).toMatchObject({
      ...{ "content-type": "application/json; charset=utf-8", "content-encoding": "gzip", "cache-control": "no-cache, private" },
      vary: expect.stringMatching(/X-API-Key.*Accept-Encoding|Accept-Encoding.*X-API-Key/),
    });
    expect(packed.body.length).toBeLessThanOrEqual(80_000);
    const plain = await ask(`${served.url}/openapi.json`, {});
    expect(plain.headers["content-encoding"]).toBeUndefined();
    expect(JSON.parse(gunzipSync(packed.body).toString())).toEqual(JSON.parse(plain.body.toString()));
  });

  it("openapi.json: a client that has it gets 304, packed or not; parameters are named as ignored", async () => {
    for (const encoding of ["gzip", "identity"]) {
      const { headers } = await ask(`${served.url}/openapi.json`, { "accept-encoding": encoding });
      const again = await ask(`${served.url}/openapi.json`, { "accept-encoding": encoding, "if-none-match": String(headers["etag"]) });
      expect([again.status, again.body.length, again.headers["etag"]]).toEqual([304, 0, headers["etag"]]);
    }
    const { headers } = await ask(`${served.url}/openapi.json?pretty=1`, { "accept-encoding": "gzip" });
    expect(headers["x-ignored-parameters"]).toBe("pretty");
  });
});

it("page files: a release whose files have the same size and time as before is not taken for the one before", async () => {
  const { path: folder } = temporaryFolder();
  const files = openPageFiles(folder);
  const server = await listen({
    app: express().use((request, response, next) => files.send("/index.html", request, response, next)),
    host: "127.0.0.1",
    port: 0,
  });
  onTestFinished(() => server.close());
  const release = async (text: string): Promise<void> => {
    await rm(folder, { recursive: true });
    await mkdir(folder);
    const path = join(folder, "index.html.gz");
    await writeFile(path, gzipSync(text, { level: 0 }));
    await utimes(path, 499_162_500, 499_162_500);
  };
  const url = `http://127.0.0.1:${server.port}/`;
  await release("<p>One</p>");
  const first = await ask(url, { "accept-encoding": "gzip" });
  expect((await ask(url, { "accept-encoding": "gzip", "if-none-match": String(first.headers["etag"]) })).status).toBe(304);
  await release("<p>Two</p>");
  const second = await ask(url, { "accept-encoding": "gzip", "if-none-match": String(first.headers["etag"]) });
  expect([second.status, gunzipSync(second.body).toString()]).toEqual([200, "<p>Two</p>"]);
});
