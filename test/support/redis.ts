import { spawn, spawnSync } from "node:child_process";
import { freePort } from "./free-port.ts";
import { temporaryFolder } from "./temporary.ts";

/** Whether Debian's redis-server (or another name of it) is installed. Tests that need it are skipped loudly without it. */
export const redisInstalled = spawnSync("redis-server", ["--version"]).status === 0;

if (!redisInstalled) process.stderr.write("redis-server is not installed: the tests that need it are skipped\n");

/** A real Redis without persistence on a port of 127.0.0.1: a free port, or a given one after a restart. */
export async function redisServer(
  options: { readonly port?: number; readonly databases?: number } = {},
): Promise<{ readonly url: string; readonly pid: number; stop(): Promise<void> }> {
  const port = options.port ?? (await freePort());
  const folder = temporaryFolder("redis");
  const databases = options.databases === undefined ? [] : ["--databases", String(options.databases)];
  const server = spawn("redis-server", ["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--dir", folder.path, ...databases], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exit = new Promise<void>((resolve) => server.once("close", () => resolve()));
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.stdout.on("data", (chunk: Buffer) => {
      if (chunk.toString().includes("Ready to accept connections")) resolve();
    });
  });
  return {
    url: `redis://127.0.0.1:${port}`,
    pid: server.pid as number,
    stop: async () => {
      server.kill("SIGTERM");
      await exit;
      await folder.remove();
    },
  };
}
