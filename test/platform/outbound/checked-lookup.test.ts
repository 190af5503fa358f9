import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { UpstreamFailure, upstreamHttp } from "../../../src/monitoring/upstream/http.ts";
import { refusalOfHost } from "../../../src/platform/outbound/checked-lookup.ts";
import { createOutbound } from "../../../src/platform/outbound/outbound.ts";

const requests: string[] = [];
const server = createServer((request, response) => {
  requests.push(request.headers.host ?? "");
  response.end("{}");
});
let port: number;
beforeAll(async () => {
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  port = (server.address() as AddressInfo).port;
});
afterAll(() => server.close());

/** A reserved name whose addresses change while the program runs. */
const name = "service.test";

function service() {
  let addresses: readonly string[] = ["127.0.0.1"];
  const http = upstreamHttp(async () => addresses);
  return {
    http,
    pointAt: (...next: string[]) => {
      addresses = next;
    },
    ask: (host = name) => http.exchange({ baseUrl: `http://${host}:${port}`, path: "/health", method: "GET", timeoutMs: 2_000 }),
  };
}

describe("connections to services", () => {
  it("connections to services: use the addresses that were judged, and keep the name of the URL", async () => {
    const { ask, http } = service();
    expect((await ask()).status).toBe(200);
    expect(requests.at(-1)).toBe(`${name}:${port}`);
    await http.close();
  });

  it.each([["169.254.77.1"], ["127.0.0.1", "169.254.77.1"], ["fe80::1"], ["::ffff:169.254.77.1"]])(
    "connections to services: a name that has come to lead to %s is not called",
    async (...addresses) => {
      const { ask, pointAt, http } = service();
      pointAt(...addresses);
      const before = requests.length;
      const failure = await ask().catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(UpstreamFailure);
      expect(failure).toMatchObject({ reason: "unreachable", message: expect.stringMatching(/service\.test is at .* never called/) });
      expect(requests.length).toBe(before);
      await http.close();
    },
  );

  it("connections to services: an address and a name of a metadata service are refused without a lookup", async () => {
    const { ask, http } = service();
    for (const host of ["169.254.77.1", "[fe80::1]", "metadata.google.internal", "0xA9FE4D01"]) {
      await expect(ask(host)).rejects.toThrow("never called");
    }
    await http.close();
  });

  it("connections to services: machines of the home and this machine are called", () => {
    for (const host of ["127.0.0.1", "[::1]", "192.168.1.5", "detector", "nas.lan"]) expect(refusalOfHost(host)).toBeUndefined();
  });
});

describe("homesec's own API", () => {
  it.each(["127.0.0.1", "localhost", "[::1]"])("homesec's own API: is not a target of webhooks at %s", async (host) => {
    const resolve = async () => ["127.0.0.1"];
    const url = `http://${host}:${port}/api/webhooks`;
    const before = requests.length;
    const outbound = createOutbound({ allow: [], ownPort: port, resolve });
    expect(await outbound.refusalOf(url)).toContain("homesec's own API");
    expect(await outbound.post({ url, headers: {}, body: "{}", timeoutMs: 2_000 })).toMatchObject({ kind: "refused" });
    expect(requests.length).toBe(before);
    expect(await outbound.refusalOf(`http://${host}:${port === 65_535 ? 1 : port + 1}/`)).toBeUndefined();
  });

  it("homesec's own API: is a target if OUTBOUND_ALLOW names it", async () => {
    const outbound = createOutbound({ allow: ["127.0.0.1"], ownPort: port });
    const answer = await outbound.post({ url: `http://127.0.0.1:${port}/`, headers: {}, body: "{}", timeoutMs: 2_000 });
    expect(answer).toMatchObject({ kind: "answered", status: 200 });
  });
});
