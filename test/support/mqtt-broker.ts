import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { Aedes, type AedesOptions } from "aedes";
import { eventually } from "./eventually.ts";
import { freePort } from "./free-port.ts";
import { temporaryFolder } from "./temporary.ts";

/** Whether Debian's mosquitto is installed. Tests that need it are skipped loudly without it. */
export const mosquittoInstalled = spawnSync("mosquitto", ["-h"]).error === undefined;

if (!mosquittoInstalled) process.stderr.write("mosquitto is not installed: the tests that need it are skipped\n");

/** A broker on 127.0.0.1 that can go away and come back on the same port. */
export interface TestBroker {
  readonly port: number;
  readonly url: string;
  /** Stops it; clients lose their connections. */
  stop(): Promise<void>;
  /** Starts it again. Retained messages are gone, unless it stores them. */
  start(): Promise<void>;
}

/** A broker in this process. Retained messages do not outlast a stop. */
export async function aedesBroker(options: Pick<AedesOptions, "authenticate" | "authorizeSubscribe"> = {}): Promise<TestBroker> {
  const port = await freePort();
  let running: { readonly server: Server; readonly aedes: Aedes; readonly sockets: Set<Socket> } | undefined;
  const broker: TestBroker = {
    port,
    url: `mqtt://127.0.0.1:${port}`,
    start: async () => {
      const aedes = await Aedes.createBroker(options);
      const sockets = new Set<Socket>();
      const server = createServer((socket) => {
        sockets.add(socket);
        socket.once("close", () => sockets.delete(socket));
        aedes.handle(socket);
      }).listen(port, "127.0.0.1");
      await once(server, "listening");
      running = { server, aedes, sockets };
    },
    stop: async () => {
      const last = running;
      running = undefined;
      if (!last) return;
      const closed = once(last.server, "close");
      last.server.close();
      for (const socket of last.sockets) socket.destroy();
      await closed;
      await new Promise<void>((resolve) => last.aedes.close(() => resolve()));
    },
  };
  await broker.start();
  return broker;
}

/** Debian's mosquitto. Retained messages outlast a stop, as they do at home. */
export async function mosquittoBroker(
  lines: readonly string[] = ["allow_anonymous true"],
): Promise<TestBroker & { readonly folder: string }> {
  const port = await freePort();
  const folder = temporaryFolder("mosquitto");
  const config = join(folder.path, "mosquitto.conf");
  await writeFile(
    config,
    [`listener ${port} 127.0.0.1`, "persistence true", `persistence_location ${folder.path}/`, "user root", ...lines, ""].join("\n"),
  );
  let running: { stop(): Promise<void> } | undefined;
  const broker = {
    port,
    folder: folder.path,
    url: `mqtt://127.0.0.1:${port}`,
    start: async () => {
      const child = spawn("mosquitto", ["-c", config], { stdio: "ignore" });
      const exit = once(child, "close");
      running = {
        stop: async () => {
          child.kill("SIGTERM");
          await exit;
        },
      };
      await eventually(() => accepts(port), { what: "mosquitto" });
    },
    stop: async () => {
      const last = running;
      running = undefined;
      await last?.stop();
    },
  };
  await broker.start();
  return broker;
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/** A port that accepts connections and never answers. */
export async function silentBroker(): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => sockets.add(socket)).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `mqtt://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      const closed = once(server, "close");
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
