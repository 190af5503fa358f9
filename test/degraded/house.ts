import { join } from "node:path";
import WebSocket from "ws";
import type { Clock } from "../../src/base/clock/clock.ts";
import { type Answer, ask } from "../admin/system/running.ts";
import { type TestDaemon, testDaemon } from "../support/daemon.ts";
import { testDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { renameIn, uniqueJpeg } from "../support/pictures.ts";
import {
  detectorStandIn,
  embedderStandIn,
  enrichmentStandIn,
  languageModelStandIn,
  type StandIn,
  visionStandIn,
} from "../support/upstream.ts";

/** A home with three cameras: a daemon with stand-ins for its services, and a live client. */
export interface House {
  readonly daemon: TestDaemon;
  readonly detector: StandIn;
  readonly model: StandIn;
  /** Vision, embedder and enrichment, if requested. */
  readonly optional: readonly StandIn[];
  /** Types and services that live clients received, in order. */
  readonly heard: readonly { readonly type: string; readonly data: Readonly<Record<string, unknown>> }[];
  get(path: string): Promise<Answer>;
  post(path: string): Promise<Answer>;
  /** Uploads one picture for each of the three cameras. */
  upload(): Promise<void>;
  /** Waits until the reply of the path satisfies `look`. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read any field of an answer
  until(path: string, look: (body: any) => boolean, timeoutMs?: number): Promise<any>;
  breaker(name: string): Promise<string>;
  /** Moves the clock past the half minute of an open breaker. */
  passHalfMinute(): void;
  close(): Promise<void>;
}

export async function house(
  options: { readonly optionalServices?: boolean; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<House> {
  const makers = options.optionalServices ? [visionStandIn, embedderStandIn, enrichmentStandIn] : [];
  const [database, detector, model, ...optional] = await Promise.all([
    testDatabase({ max: 1 }),
    detectorStandIn(),
    languageModelStandIn(),
    ...makers.map((make) => make()),
  ]);
  let ahead = 0;
  const clock: Clock = { now: () => new Date(Date.now() + ahead), monotonic: () => performance.now() + ahead };
  const names = ["VISION_URL", "EMBEDDER_URL", "ENRICHMENT_URL"];
  const daemon = await testDaemon({
    env: {
      DATABASE_URL: database.url,
      DETECTOR_URL: detector.url,
      LANGUAGE_MODEL_URL: model.url,
      ...Object.fromEntries(optional.map(({ url }, index) => [names[index], url])),
      VISION_EXTRACTION_ENABLED: String(makers.length > 0),
      REID_ENABLED: String(makers.length > 0),
      DATABASE_POOL_SIZE: "5",
      DETECT_CONCURRENCY: "3",
      ANALYZE_CONCURRENCY: "3",
      BATCH_WINDOW_SECONDS: "2",
      BATCH_IDLE_TIMEOUT_SECONDS: "1",
      // the clock jumps, and the built-in scorer would judge what waits for the model here
      LANGUAGE_MODEL_PATIENCE_SECONDS: "0",
      ...options.env,
      LANGUAGE_MODEL_READ_TIMEOUT: "1",
      AI_HEALTH_CHECK_TIMEOUT_SECONDS: "2",
      HEALTH_CACHE_TTL_SECONDS: "0",
    },
    clock,
  });
  const heard: { type: string; data: Record<string, unknown> }[] = [];
  const socket = new WebSocket(`${daemon.url.replace("http", "ws")}/ws/events`);
  socket.on("message", (text) => heard.push(JSON.parse(String(text))));
  await new Promise((resolve) => socket.once("open", resolve));

  const get = (path: string): Promise<Answer> => ask(daemon, `GET /api/${path}`);
  let uploads = 0;
  return {
    daemon,
    detector,
    model,
    optional,
    heard,
    get,
    post: (path) => ask(daemon, `POST /api/${path}`),
    upload: async () => {
      uploads += 1;
      for (const camera of ["door", "yard", "gate"]) {
        await renameIn(join(daemon.cameraRoot, camera, `${uploads}.jpg`), await uniqueJpeg());
      }
    },
    until: async (path, look, timeoutMs = 60_000) => {
      let last: unknown;
      return await eventually(
        async () => {
          last = (await get(path)).body;
          return look(last) && last;
        },
        { timeoutMs, what: `the right answer of ${path}` },
      ).catch((error: unknown) => {
        throw new Error(`${String(error)}: ${JSON.stringify(last)?.slice(0, 2_000)}`);
      });
    },
    breaker: async (name) => {
      const { breakers } = (await get("system/circuit-breakers")).body;
      return breakers.find((each: { name: string }) => each.name === name).state;
    },
    passHalfMinute: () => {
      ahead += 31_000;
    },
    close: async () => {
      socket.terminate();
      await daemon.stop();
      await Promise.all([detector, model, ...optional].map((service) => service.close()));
      await database.close();
    },
  };
}
