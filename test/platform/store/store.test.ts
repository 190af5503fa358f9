import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { silentLog } from "../../../src/base/log/log.ts";
import { openStore } from "../../../src/platform/store/open-store.ts";
import { freePort } from "../../support/free-port.ts";
import { timed } from "../../support/timed.ts";

test("store: is in this process without REDIS_URL", async () => {
  const store = await openStore({ log: silentLog });
  expect(store.kind).toBe("in-process");
  expect(await store.version()).toBe("in-process");
  await store.close();
});

test("store: opens without a server, and commands report the failure", timed, async () => {
  const said: string[] = [];
  const log = { ...silentLog, warn: (_: object, message: string) => said.push(message) };
  const store = await openStore({ redisUrl: "redis://127.0.0.1:1", log });
  const begun = performance.now();
  await expect(store.version()).rejects.toThrow();
  expect(performance.now() - begun).toBeLessThan(500);
  await new Promise((resolve) => setTimeout(resolve, 300));
  await store.close();
  expect(said).toHaveLength(1);
});

test("store: a server that connects but never replies times out", async () => {
  const sockets = new Set<{ destroy(): void }>();
  const mute = createServer((socket) => sockets.add(socket)).listen(0, "127.0.0.1");
  await once(mute, "listening");
  const { port } = mute.address() as { port: number };
  const begun = performance.now();
  const store = await openStore({ redisUrl: `redis://127.0.0.1:${port}`, log: silentLog });
  await expect(store.version()).rejects.toThrow();
  expect(performance.now() - begun).toBeLessThan(4_000);
  await store.close();
  for (const socket of sockets) socket.destroy();
  mute.close();
});

const redisServer = findRedisServer();

describe.skipIf(redisServer === undefined)(`store on Redis${redisServer ? "" : ": SKIPPED, redis-server is not installed"}`, () => {
  test("store on Redis: reports its version, fails while the server is down, and recovers with it", timed, async () => {
    const folder = await mkdtemp(join(tmpdir(), "homesec-redis-"));
    const port = await freePort();
    let server = await startRedis(port, folder);
    const store = await openStore({ redisUrl: `redis://127.0.0.1:${port}`, log: silentLog });
    expect(store.kind).toBe("redis");
    expect(await store.version()).toMatch(/^(redis|valkey) \d+\.\d+/);

    server.kill("SIGKILL");
    await once(server, "exit");
    await expect(store.version()).rejects.toThrow();

    server = await startRedis(port, folder);
    await expect.poll(() => store.version().catch(() => "away")).toMatch(/^(redis|valkey) \d/);

    server.kill("SIGSTOP");
    const begun = performance.now();
    await expect(store.version()).rejects.toThrow(/timed out/);
    expect(performance.now() - begun).toBeLessThan(500);

    await store.close();
    server.kill("SIGKILL");
    await once(server, "exit");
    await rm(folder, { recursive: true, force: true });
  });
});

function findRedisServer(): string | undefined {
  for (const name of ["redis-server", "valkey-server"]) {
    try {
      execFileSync(name, ["--version"], { stdio: "ignore" });
      return name;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    }
  }
  return undefined;
}

async function startRedis(port: number, folder: string): Promise<ChildProcess> {
  const server = spawn(redisServer ?? "", ["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--dir", folder], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let said = "";
  for await (const text of server.stdout) {
    said += String(text);
    if (/ready to accept connections/i.test(said)) break;
  }
  return server;
}
