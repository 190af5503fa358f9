import { randomBytes } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type TestDatabase, testDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { type HomesecProcess, startHomesec } from "../support/homesec-process.ts";
import { redisServer } from "../support/redis.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { detectorStandIn, languageModelStandIn, type StandIn } from "../support/upstream.ts";

/** Several daemons that start at once need time on a busy machine. */
const startMs = 60_000;

/** One real daemon of a home that has several. */
export interface Member {
  readonly name: string;
  readonly url: string;
  readonly process: HomesecProcess;
}

/** Several real daemons on one database and one Redis, with the same picture folder. */
export interface Home {
  readonly database: TestDatabase;
  readonly cameraRoot: string;
  readonly detector: StandIn;
  /** Starts or restarts a daemon, in the same data folder and on the same port. Resolves when it is ready. */
  start(name: string, roles: string, env?: Readonly<Record<string, string>>): Promise<Member>;
  member(name: string): Member;
  /** Address of a daemon that was started, also while it is down. */
  urlOf(name: string): string;
  members(): readonly Member[];
  /** Stops a daemon like a service manager, and waits for it. */
  stop(name: string): Promise<void>;
  /** Kills a daemon. */
  kill(name: string): Promise<void>;
  close(): Promise<void>;
}

/** Creates the home without any daemon. */
export async function openHome(options: { readonly detectorMs: number; readonly env?: Readonly<Record<string, string>> }): Promise<Home> {
  const folder = temporaryFolder("scale-out");
  const [database, redis, detector, model] = await Promise.all([
    testDatabase(),
    redisServer(),
    detectorStandIn({ delayMs: options.detectorMs }),
    languageModelStandIn(),
  ]);
  const cameraRoot = join(folder.path, "cameras");
  mkdirSync(cameraRoot, { recursive: true });
  const ports = new Map<string, string>();
  const members = new Map<string, Member>();
  const member = (name: string): Member => {
    const found = members.get(name);
    if (!found) throw new Error(`no daemon ${name} runs`);
    return found;
  };
  const end = async (name: string, signal: NodeJS.Signals): Promise<void> => {
    const { process } = member(name);
    members.delete(name);
    process.kill(signal);
    await process.exit;
  };
  return {
    database,
    cameraRoot,
    detector,
    start: async (name, roles, env = {}) => {
      const process = startHomesec(["serve", "--roles", roles], {
        ...{ DATA_DIR: join(folder.path, name), SECRET_KEY_PATH: join(folder.path, "secret.key"), CAMERA_ROOT: cameraRoot },
        ...{ DATABASE_URL: database.url, DATABASE_POOL_SIZE: "5", REDIS_URL: redis.url },
        ...{ DETECTOR_URL: detector.url, LANGUAGE_MODEL_URL: model.url },
        ...{ VISION_EXTRACTION_ENABLED: "false", REID_ENABLED: "false" },
        ...{ PORT: ports.get(name) ?? "0", LOG_FORMAT: "json", BATCH_WINDOW_SECONDS: "3", BATCH_IDLE_TIMEOUT_SECONDS: "1" },
        ...options.env,
        ...env,
      });
      const [, url = ""] = await process.printed(/API\s+(http:\/\/\S+)/, startMs);
      ports.set(name, new URL(url).port);
      const started = { name, url, process };
      members.set(name, started);
      await eventually(async () => (await fetch(`${url}/api/system/health/ready`)).status === 200, {
        timeoutMs: startMs,
        what: `readiness of ${name}`,
      });
      return started;
    },
    member,
    urlOf: (name) => `http://127.0.0.1:${ports.get(name)}`,
    members: () => [...members.values()],
    stop: (name) => end(name, "SIGTERM"),
    kill: (name) => end(name, "SIGKILL"),
    close: async () => {
      await Promise.all([...members.keys()].map((name) => end(name, "SIGTERM")));
      await Promise.all([redis.stop(), detector.close(), model.close()]);
      await database.close();
      await folder.remove();
    },
  };
}

/** Returns which daemon does what, as reported by a daemon. */
export async function daemonsOf({ url }: Member): Promise<readonly { readonly pid: number; readonly singletons: readonly string[] }[]> {
  const { daemons } = (await (await fetch(`${url}/api/system/daemons`)).json()) as {
    daemons: readonly { readonly pid: number; readonly singletons: readonly string[] }[];
  };
  return daemons;
}

/** Returns how many runs of a stage a daemon has finished since its start. */
export async function stagesDone({ url }: Member, stage: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(new RegExp(`^homesec_stage_duration_seconds_count\\{stage="${stage}"\\} (\\d+)`, "m").exec(text)?.[1] ?? 0);
}

/** Returns an unused camera name. */
export const newCamera = (): string => `camera-${randomBytes(4).toString("hex")}`;
