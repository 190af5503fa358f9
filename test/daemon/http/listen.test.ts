import { Agent, request } from "node:http";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { listen } from "../../../daemon/http/listen.ts";
import { route } from "../../../src/contract/route.ts";
import { isHostAllowed } from "../../../src/platform/access/hosts.ts";
import { timed } from "../../support/timed.ts";
import { sendRaw, serve } from "./support.ts";

const routes = {
  slow: route("/slow/{milliseconds}", {
    method: "get",
    summary: "Takes its time",
    tag: "slow",
    params: z.object({ milliseconds: z.string() }),
    reply: z.object({ done: z.boolean() }),
  }),
};
const operations = {
  slow: async ({ params }: { params: { milliseconds: string } }) => {
    await sleep(Number(params.milliseconds));
    return { done: true };
  },
};

function askWith(agent: Agent, url: string): Promise<number> {
  return new Promise((done, fail) => {
    request(url, { agent }, (response) => {
      response.resume().once("end", () => done(response.statusCode ?? 0));
    })
      .once("error", fail)
      .end();
  });
}

describe("listening", () => {
  it("listen: close ends at once despite keep-alive connections", timed, async () => {
    const served = await serve(routes, operations);
    const agent = new Agent({ keepAlive: true });
    await askWith(agent, `${served.url}/slow/0`);
    const idle = connect(served.port, "127.0.0.1");
    await new Promise((done) => idle.once("connect", done));
    const begun = performance.now();
    await served.close();
    expect(performance.now() - begun).toBeLessThan(500);
    await expect(askWith(agent, `${served.url}/slow/0`)).rejects.toThrow();
    agent.destroy();
  });

  it("listen: close waits for running requests, but not longer than its grace period", timed, async () => {
    const served = await serve(routes, operations, { graceMs: 400 });
    const agent = new Agent({ keepAlive: true });
    const short = askWith(agent, `${served.url}/slow/200`);
    const long = askWith(agent, `${served.url}/slow/5000`).catch((error: Error) => error.message);
    await sleep(100);
    const begun = performance.now();
    await served.close();
    expect(performance.now() - begun).toBeLessThan(1_000);
    expect(await short).toBe(200);
    expect(await long).toMatch(/socket hang up|ECONNRESET/);
    agent.destroy();
  });

  it("listen: clients that send their headers too slowly are cut off", async () => {
    const served = await serve(routes, operations);
    served.server.headersTimeout = 100;
    const begun = performance.now();
    const answer = await sendRaw(served.port, "GET /slow/0 HTTP/1.1\r\nHost: lo", 8_000);
    expect(performance.now() - begun).toBeLessThan(5_000);
    expect(answer).toContain("408 Request Timeout");
    expect(answer).toContain('{"detail":');
    await served.close();
  });

  it("listen: a client that goes on sending after the answer is cut off", async () => {
    const served = await serve(routes, operations);
    served.server.headersTimeout = 100;
    const client = connect({ port: served.port, host: "127.0.0.1", allowHalfOpen: true });
    client.on("error", () => {});
    client.write("GET /slow/0 HTTP/1.1\r\nHost: localhost\r\nX-Slow: ");
    const sending = setInterval(() => client.write("a"), 50);
    const connections = (): Promise<number> => new Promise((done) => served.server.getConnections((_, count) => done(count)));
    try {
      await expect.poll(connections).toBe(1);
      await expect.poll(connections, { timeout: 10_000 }).toBe(0);
    } finally {
      clearInterval(sending);
      client.destroy();
      await served.close();
    }
  });

  it("listen: slow operations are waited for, although the connection is idle meanwhile", async () => {
    const long = { ...routes.slow, slow: true as const, path: "/long/{milliseconds}" as const };
    const served = await serve({ ...routes, long }, { ...operations, long: operations.slow });
    served.server.setTimeout(100);
    await expect(fetch(`${served.url}/slow/400`)).rejects.toThrow();
    expect((await fetch(`${served.url}/long/400`)).status).toBe(200);
    await served.close();
  });

  it("listen: says what to do when the address is in use or not available", async () => {
    const served = await serve(routes, operations);
    const app = () => {};
    await expect(listen({ app, host: "127.0.0.1", port: served.port })).rejects.toMatchObject({
      name: "Problem",
      kind: "conflict",
      message: expect.stringContaining("PORT"),
    });
    await expect(listen({ app, host: "203.0.113.1", port: 0 })).rejects.toMatchObject({
      kind: "invalid",
      message: expect.stringContaining("HOST"),
    });
    await served.close();
  });
});

describe("hosts", () => {
  it.each([
    ["127.0.0.1:8000", true],
    ["192.168.1.20", true],
    ["[::1]:8000", true],
    ["[fe80::1]", true],
    ["localhost:8000", true],
    ["LOCALHOST", true],
    ["nas:8000", true],
    ["nas.local", true],
    ["cams.local:80", true],
    ["home.example.net", true],
    ["a.example.org:1", true],
    ["example.org", false],
    ["evil.com", false],
    ["evil.com:8000", false],
    ["localhost.evil.com", false],
    ["127.0.0.1.evil.com", false],
    ["evillocal", false],
    [".local", false],
    ["home.example.net.evil.com", false],
    ["localhost@evil.com", false],
    ["", true],
    [undefined, true],
  ])("hosts: %s is allowed: %s", (host, allowed) => {
    expect(isHostAllowed(host, ["Home.example.net", "*.example.org"], "nas")).toBe(allowed);
  });

  it("hosts: foreign hosts get 403 with the fix, also right after a known host", async () => {
    const served = await serve(routes, operations, { allowedHosts: ["known.example"] });
    const ask = (host: string) => sendRaw(served.port, `GET /slow/0 HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    expect(await ask("known.example")).toContain("200 OK");
    const refused = await ask("evil.example");
    expect(refused).toContain("403 Forbidden");
    expect(refused).toContain("ALLOWED_HOSTS");
    expect(await ask("known.example")).toContain("200 OK");
    await served.close();
  });
});
