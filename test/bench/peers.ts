import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { basename, join } from "node:path";
import { WebSocket } from "ws";
import { serveHomesec } from "../support/homesec-process.ts";
import { temporaryFolder } from "../support/temporary.ts";

/** A program that watches a folder and reports each picture with a person. */
export interface Peer {
  readonly name: string;
  /** Its version; undefined: it is not installed. */
  readonly version: string | undefined;
  /** Starts it, and resolves when it watches `folder`. The detector and the receiver answer at `detectorUrl` and `receiverUrl`. */
  start(at: {
    readonly home: string;
    readonly folder: string;
    readonly detectorUrl: string;
    readonly receiverUrl: string;
  }): Promise<Running>;
}

/** A running program. */
export interface Running {
  readonly pid: number;
  kill(): Promise<void>;
}

/** Hears of pictures that a program has handled, by a request or a message. */
export interface Receiver {
  readonly url: string;
  /** Monotonic times of the reports of each picture, by its name. */
  readonly heard: Map<string, number[]>;
  hear(name: string): void;
  close(): Promise<void>;
}

/** Starts a receiver; `GET /?name=x.jpg` reports a picture. */
export async function startReceiver(): Promise<Receiver> {
  const heard = new Map<string, number[]>();
  const hear = (name: string): void => void heard.set(name, [...(heard.get(name) ?? []), performance.now()]);
  const server = createServer((request, response) => {
    hear(new URL(request.url ?? "/", "http://receiver").searchParams.get("name") ?? "");
    response.end("ok");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    heard,
    hear,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** homesec with its own database; its WebSocket reports. */
export function homesecPeer(version: string, databaseUrl: () => string, receiver: () => Receiver): Peer {
  return {
    name: "homesec",
    version,
    start: async ({ home, folder, detectorUrl }) => {
      const upstreams = ["DETECTOR", "LANGUAGE_MODEL", "VISION", "EMBEDDER", "ENRICHMENT"].map((name) => [`${name}_URL`, detectorUrl]);
      const homesec = await serveHomesec({
        ...{ DATABASE_URL: databaseUrl(), DATA_DIR: join(home, "data"), CAMERA_ROOT: join(folder, "..") },
        ...Object.fromEntries(upstreams),
      });
      const socket = new WebSocket(`${homesec.url.replace(/^http/, "ws")}/ws/events`, { perMessageDeflate: false });
      socket.on("message", (data) => {
        const { type, data: facts } = JSON.parse(data.toString()) as { type: string; data: { file_path?: string } };
        if (type === "detection.new" && facts.file_path) receiver().hear(basename(facts.file_path));
      });
      socket.on("error", () => undefined);
      await once(socket, "message");
      return {
        pid: homesec.pid,
        kill: async () => {
          homesec.kill("SIGKILL");
          await homesec.exit;
          socket.terminate();
        },
      };
    },
  };
}

/** A script with chokidar, as people write it. */
export const script: Peer = {
  name: "a script with chokidar",
  version: "chokidar's awaitWriteFinish",
  start: ({ folder, detectorUrl, receiverUrl }) =>
    run([new URL("./processes/watching-script.mjs", import.meta.url).pathname, folder, detectorUrl, receiverUrl], {}, /ready/),
};

const triggerFolder = process.env["BENCH_DEEPSTACK_TRIGGER"];

/** node-deepstackai-trigger, built in the folder that BENCH_DEEPSTACK_TRIGGER names. */
export function deepstackTrigger(watching: "events" | "polling"): Peer {
  const main = join(triggerFolder ?? "", "dist/src/main.js");
  return {
    name: `node-deepstackai-trigger (${watching})`,
    version: triggerFolder !== undefined && existsSync(main) ? "5.8.4" : undefined,
    start: async ({ home, folder, detectorUrl, receiverUrl }) => {
      await mkdir(join(home, "config"), { recursive: true });
      for (const part of ["annotations", "snapshots", "originals"]) await mkdir(join(home, "storage", part), { recursive: true });
      const settings = { deepstackUri: `${detectorUrl}/`, enableWebServer: false, mqtt: { uri: "mqtt://127.0.0.1", enabled: false } };
      const trigger = {
        ...{ name: "people", watchPattern: `${folder}/*.jpg`, enabled: true, threshold: { minimum: 10, maximum: 100 } },
        ...{ handlers: { webRequest: { triggerUris: [`${receiverUrl}/?name={{baseName}}`] } }, watchObjects: ["person"] },
      };
      await writeFile(join(home, "config/settings.json"), JSON.stringify(settings));
      await writeFile(join(home, "config/triggers.json"), JSON.stringify({ triggers: [trigger] }));
      const env = { PEER_HOME: home, ...(watching === "polling" && { CHOKIDAR_USEPOLLING: "1" }) };
      return await run(["-r", new URL("./processes/at-home.cjs", import.meta.url).pathname, main], env, /Up and running/);
    },
  };
}

async function run(args: readonly string[], env: Readonly<Record<string, string>>, ready: RegExp): Promise<Running> {
  const child: ChildProcess = spawn(process.execPath, args, {
    env: { PATH: process.env["PATH"], TZ: "UTC", ...env },
    stdio: ["ignore", "pipe", "ignore"],
  });
  const ended = once(child, "exit");
  await new Promise<void>((resolve, reject) => {
    child.stdout?.on("data", (chunk: Buffer) => ready.test(chunk.toString()) && resolve());
    child.once("exit", (code) => reject(new Error(`${args.at(-1)} ended with ${code} at its start`)));
  });
  if (child.pid === undefined) throw new Error(`${args.at(-1)} could not be started`);
  return {
    pid: child.pid,
    kill: async () => {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

/** Alertmanager as Debian installs it, on a free port with a receiver that does nothing. Undefined if it is not installed. */
export async function startAlertmanager(port: number): Promise<(Running & { readonly url: string; readonly version: string }) | undefined> {
  const program = ["/usr/bin/prometheus-alertmanager", "/usr/local/bin/alertmanager"].find((path) => existsSync(path));
  if (program === undefined) return undefined;
  const { path: home } = temporaryFolder("alertmanager");
  await writeFile(join(home, "config.yml"), "route: {receiver: none}\nreceivers: [{name: none}]\n");
  const at = [`--config.file=${home}/config.yml`, `--storage.path=${home}`, `--web.listen-address=127.0.0.1:${port}`];
  const child = spawn(program, [...at, "--cluster.listen-address=", "--log.level=error"], { stdio: "ignore" });
  const ended = once(child, "exit");
  const url = `http://127.0.0.1:${port}`;
  while (
    !(await fetch(`${url}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    ))
  ) {
    if (child.exitCode !== null) throw new Error(`${program} ended at its start`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const version =
    /version (\S+)/.exec(execFileSync(program, ["--version"], { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }))?.[1] ?? "?";
  return {
    pid: child.pid as number,
    url,
    version,
    kill: async () => {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

/** The version of a package that is installed. */
export async function packageVersion(name: string): Promise<string> {
  const { version } = JSON.parse(await readFile(join(import.meta.dirname, "../../node_modules", name, "package.json"), "utf8")) as {
    version: string;
  };
  return version;
}
