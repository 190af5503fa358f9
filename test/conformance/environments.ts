import { join } from "node:path";
import { testDaemon } from "../support/daemon.ts";
import { testDatabase } from "../support/database.ts";
import { serveHomesec } from "../support/homesec-process.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { detectorStandIn, embedderStandIn, languageModelStandIn, onePerson } from "../support/upstream.ts";

/** A daemon under test, as a client sees it. */
export interface Service {
  readonly url: string;
  readonly cameraRoot: string;
  /** Stops it. Fails if any reply broke the promise of its route. */
  stop(): Promise<void>;
}

/** A setup of homesec that must support the whole interface. */
export interface Environment {
  readonly name: string;
  /** Whether it is short enough for each test run. The others run with `npm run conformance`. */
  readonly inEachRun: boolean;
  readonly start: () => Promise<Service>;
  /** Headers of each request. */
  readonly headers?: (count: number) => Readonly<Record<string, string>>;
  /** The query that a WebSocket client adds to the address. */
  readonly socketQuery?: string;
  /** Services answer too late in this environment, so these rows may also answer 503, with the usual body. */
  readonly mayBeUnavailable?: RegExp;
}

const apiKey = "the-only-key-1234567890";
/** The rate limits see a different client in each request. */
const fromEverywhere = (count: number) => ({ "X-Forwarded-For": `198.18.${(count >> 8) & 255}.${count & 255}` });
/** Re-identification stays on: without it there is no entity to request. */
const enrichmentOff = { VISION_EXTRACTION_ENABLED: "false", SCENE_CHANGE_ENABLED: "false" };

/** A daemon in this process that checks its replies, with stand-ins for the services it uses. */
async function besideStandIns(env: Readonly<Record<string, string>>): Promise<Service> {
  const [database, detector, model, embedder] = await Promise.all([
    testDatabase(),
    detectorStandIn({ answer: () => onePerson(1) }),
    languageModelStandIn(),
    embedderStandIn(),
  ]);
  const daemon = await testDaemon({
    env: {
      ...{ DATABASE_URL: database.url, DETECTOR_URL: detector.url, LANGUAGE_MODEL_URL: model.url, EMBEDDER_URL: embedder.url },
      ...{ REID_ENABLED: "true", BATCH_IDLE_TIMEOUT_SECONDS: "1" },
      ...env,
    },
  });
  return {
    url: daemon.url,
    cameraRoot: daemon.cameraRoot,
    stop: async () => {
      await daemon.stop();
      await Promise.all([detector.close(), model.close(), embedder.close(), database.close()]);
    },
  };
}

/** The installed program, with only its address and its data folder configured. */
async function asInstalled(env: Readonly<Record<string, string>>): Promise<Service> {
  const folder = temporaryFolder("installed");
  const homesec = await serveHomesec({
    ...{ DATA_DIR: folder.path, BATCH_IDLE_TIMEOUT_SECONDS: "1", VISION_EXTRACTION_ENABLED: "true", REID_ENABLED: "true" },
    ...env,
  });
  return {
    url: homesec.url,
    cameraRoot: join(folder.path, "cameras"),
    stop: async () => {
      homesec.kill("SIGTERM");
      await homesec.exit;
      const lines = homesec.output().split("\n");
      await folder.remove();
      const broken = lines.filter((line) => line.includes("does not fit its schema"));
      if (broken.length > 0) throw new Error(broken.join("\n"));
    },
  };
}

/** The minimum of every limit and of every burst. */
const leastRequests = {
  RATE_LIMIT_ENABLED: "true",
  RATE_LIMIT_REQUESTS_PER_MINUTE: "1",
  RATE_LIMIT_BURST: "1",
  RATE_LIMIT_MEDIA_REQUESTS_PER_MINUTE: "1",
  RATE_LIMIT_WEBSOCKET_CONNECTIONS_PER_MINUTE: "1",
  RATE_LIMIT_SEARCH_REQUESTS_PER_MINUTE: "1",
  RATE_LIMIT_EXPORT_REQUESTS_PER_MINUTE: "1",
  RATE_LIMIT_AI_INFERENCE_REQUESTS_PER_MINUTE: "1",
  RATE_LIMIT_AI_INFERENCE_BURST: "0",
  RATE_LIMIT_BULK_REQUESTS_PER_MINUTE: "1",
  RATE_LIMIT_BULK_BURST: "0",
};

/** All environments. The tests request each endpoint in each of them. */
export const environments: readonly Environment[] = [
  {
    name: "with external services",
    inEachRun: true,
    start: () => besideStandIns(enrichmentOff),
  },
  {
    name: "as installed, with few variables set",
    inEachRun: true,
    start: () => asInstalled({ RATE_LIMIT_ENABLED: "false" }),
  },
  {
    name: "with the documented defaults, rate limits included, one client a request",
    inEachRun: false,
    start: () =>
      asInstalled({
        RATE_LIMIT_ENABLED: "true",
        RATE_LIMIT_REQUESTS_PER_MINUTE: "60",
        RATE_LIMIT_BURST: "10",
        BATCH_WINDOW_SECONDS: "90",
        BATCH_IDLE_TIMEOUT_SECONDS: "2",
        DETECTION_CONFIDENCE_THRESHOLD: "0.5",
        DETECTOR_CONFIDENCE: "0.5",
        RETENTION_DAYS: "30",
        LOG_RETENTION_DAYS: "7",
        WEBSOCKET_IDLE_TIMEOUT_SECONDS: "300",
        LANGUAGE_MODEL_READ_TIMEOUT: "120.0",
        VISION_READ_TIMEOUT: "30",
        EMBEDDER_READ_TIMEOUT: "15",
        ENRICHMENT_READ_TIMEOUT: "60",
        CORS_ORIGINS: "[]",
        NOTIFICATION_ENABLED: "true",
        TLS_MODE: "disabled",
        API_KEY_ENABLED: "false",
        TRUSTED_PROXY_IPS: "127.0.0.1",
      }),
    headers: fromEverywhere,
  },
  {
    name: "with the lowest rate limits",
    inEachRun: true,
    start: () => besideStandIns({ ...leastRequests, TRUSTED_PROXY_IPS: "127.0.0.0/8" }),
    headers: fromEverywhere,
  },
  {
    name: "with the highest rate limits, one client",
    inEachRun: false,
    start: () =>
      besideStandIns({
        ...Object.fromEntries(Object.keys(leastRequests).map((name) => [name, "1000"])),
        RATE_LIMIT_ENABLED: "true",
        RATE_LIMIT_BURST: "100",
      }),
  },
  {
    name: "with the shortest windows and a concurrency of one",
    inEachRun: false,
    start: () =>
      besideStandIns({
        WEBSOCKET_IDLE_TIMEOUT_SECONDS: "1",
        BATCH_WINDOW_SECONDS: "1",
        BATCH_MAX_DETECTIONS: "1",
        CAMERA_OFFLINE_AFTER_SECONDS: "1",
        ENRICHMENT_WAIT_SECONDS: "0",
        RETENTION_DAYS: "1",
        LOG_RETENTION_DAYS: "1",
        HEALTH_CACHE_TTL_SECONDS: "0",
        MAX_CONCURRENT_HEALTH_CHECKS: "1",
        DATABASE_POOL_SIZE: "2",
        DETECT_CONCURRENCY: "1",
        ANALYZE_CONCURRENCY: "1",
        REID_MAX_CONCURRENT: "1",
        REID_TTL_HOURS: "0.01",
        REID_SIMILARITY_THRESHOLD: "0",
        DETECTION_CONFIDENCE_THRESHOLD: "0",
        LOG_LEVEL: "debug",
      }),
  },
  {
    name: "with the shortest timeouts",
    inEachRun: false,
    start: () =>
      besideStandIns({
        HEALTH_CHECK_TIMEOUT_SECONDS: "0.1",
        AI_HEALTH_CHECK_TIMEOUT_SECONDS: "0.1",
        LANGUAGE_MODEL_READ_TIMEOUT: "0.1",
        VISION_READ_TIMEOUT: "0.1",
        EMBEDDER_READ_TIMEOUT: "0.1",
        ENRICHMENT_READ_TIMEOUT: "0.1",
        REID_TIMEOUT_SECONDS: "0.1",
        WEBHOOK_TIMEOUT_SECONDS: "0.1",
      }),
    mayBeUnavailable: /health|reanalyze/,
  },
  {
    name: "with the highest values of windows, timeouts and concurrency",
    inEachRun: false,
    start: () =>
      besideStandIns({
        WEBSOCKET_IDLE_TIMEOUT_SECONDS: "86400",
        BATCH_WINDOW_SECONDS: "86400",
        BATCH_MAX_DETECTIONS: "100000",
        CAMERA_OFFLINE_AFTER_SECONDS: "31536000",
        RETENTION_DAYS: "3650",
        LOG_RETENTION_DAYS: "3650",
        HEALTH_CACHE_TTL_SECONDS: "3600",
        HEALTH_CHECK_TIMEOUT_SECONDS: "3600",
        AI_HEALTH_CHECK_TIMEOUT_SECONDS: "3600",
        LANGUAGE_MODEL_READ_TIMEOUT: "3600",
        WEBHOOK_TIMEOUT_SECONDS: "3600",
        MAX_CONCURRENT_HEALTH_CHECKS: "100",
        DATABASE_POOL_SIZE: "150",
        DETECT_CONCURRENCY: "64",
        ANALYZE_CONCURRENCY: "64",
        DETECTION_CONFIDENCE_THRESHOLD: "1",
      }),
  },
  {
    name: "with API keys on and one key",
    inEachRun: true,
    start: () =>
      besideStandIns({
        ...enrichmentOff,
        API_KEY_ENABLED: "true",
        API_KEYS: JSON.stringify([apiKey]),
        WEBSOCKET_TOKEN: "token-1234567890",
      }),
    headers: () => ({ "X-API-Key": apiKey }),
    socketQuery: `?api_key=${apiKey}&token=token-1234567890`,
  },
];
