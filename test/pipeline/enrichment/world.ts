import { join } from "node:path";
import type { Clock } from "../../../src/base/clock/clock.ts";
import { type TestDaemon, testDaemon } from "../../support/daemon.ts";
import { type TestDatabase, testDatabase } from "../../support/database.ts";
import { eventually } from "../../support/eventually.ts";
import { renameIn, uniqueJpeg } from "../../support/pictures.ts";
import {
  detectorStandIn,
  embedderStandIn,
  enrichmentStandIn,
  languageModelStandIn,
  type StandIn,
  type StandInOptions,
  visionStandIn,
} from "../../support/upstream.ts";

/** A detection's enrichment as the API returns it. */
export interface Enrichment {
  readonly detection_id: number;
  readonly enriched_at: string | null;
  readonly attributes: Record<string, unknown>;
  readonly ocr: readonly { readonly text: string; readonly confidence: number }[];
  readonly caption: string | null;
  readonly entity_id: string | null;
  readonly has_embedding: boolean;
  readonly services: { readonly vision: string | null; readonly embedder: string | null; readonly enrichment: string | null };
  readonly errors: readonly string[];
}

/** A daemon with a stand-in for each of the five services. */
export interface World {
  readonly database: TestDatabase;
  readonly daemon: TestDaemon;
  readonly services: Readonly<Record<"detector" | "model" | "vision" | "embedder" | "enricher", StandIn>>;
  get<T>(path: string): Promise<T>;
  patch(path: string, body: object): Promise<Response>;
  /** Uploads a picture. */
  upload(camera: string, index?: number): Promise<void>;
  /** Waits until a detection has an enrichment, complete or not. */
  enrichment(detectionId: number): Promise<Enrichment>;
  stop(): Promise<void>;
}

export async function startWorld(
  options: {
    readonly env?: Readonly<Record<string, string>>;
    readonly builtIn?: boolean;
    readonly vision?: StandInOptions;
    readonly embedder?: StandInOptions;
    readonly detector?: StandInOptions;
    readonly clock?: Clock;
  } = {},
): Promise<World> {
  const [database, detector, model, vision, embedder, enricher] = await Promise.all([
    testDatabase(),
    detectorStandIn(options.detector),
    languageModelStandIn(),
    visionStandIn(options.vision),
    embedderStandIn(options.embedder),
    enrichmentStandIn(),
  ]);
  const services = { detector, model, vision, embedder, enricher };
  const daemon = await testDaemon({
    ...(options.clock && { clock: options.clock }),
    env: {
      ...{ DATABASE_URL: database.url, DETECTOR_URL: detector.url, LANGUAGE_MODEL_URL: model.url },
      ...{ BATCH_WINDOW_SECONDS: "3", BATCH_IDLE_TIMEOUT_SECONDS: "1" },
      ...{ VISION_EXTRACTION_ENABLED: "true", REID_ENABLED: "true" },
      ...(!options.builtIn && { VISION_URL: vision.url, EMBEDDER_URL: embedder.url, ENRICHMENT_URL: enricher.url }),
      ...options.env,
    },
  });
  const get = async <T>(path: string): Promise<T> => (await (await fetch(`${daemon.url}${path}`)).json()) as T;
  return {
    database,
    daemon,
    services,
    get,
    patch: (path, body) =>
      fetch(`${daemon.url}${path}`, { method: "PATCH", headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
    upload: async (camera, index = 0) => {
      await renameIn(join(daemon.cameraRoot, camera, `${Date.now()}-${Math.random()}.jpg`), await uniqueJpeg(index));
    },
    enrichment: (id) =>
      eventually(
        async () => {
          const found = await get<Enrichment>(`/api/detections/${id}/enrichment`);
          return found.enriched_at ? found : undefined;
        },
        { timeoutMs: 20_000 },
      ),
    stop: async () => {
      await daemon.stop();
      await Promise.all([...Object.values(services).map((service) => service.close()), database.close()]);
    },
  };
}
