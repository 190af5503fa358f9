import { copyFile, mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll } from "vitest";
import { sharedBrowser, type Visit, visit } from "../support/browser.ts";
import { type TestDaemon, testDaemon } from "../support/daemon.ts";
import { testDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { detectorStandIn, languageModelStandIn } from "../support/upstream.ts";

const pictures = join(import.meta.dirname, "../../demo/pictures");

/** A home with a daemon, two cameras, real pictures, events, a rule and an alert. */
export interface WebHome {
  readonly daemon: TestDaemon;
  readonly url: string;
  /** Stores an event with one detection of a person in a real picture, and returns its id. */
  addEvent(event: {
    readonly camera: string;
    readonly score: number;
    readonly summary: string;
    readonly minutesAgo: number;
    /** Path of another picture. */
    readonly picture?: string;
  }): Promise<number>;
  /** Stores a detection of a person in a real picture, and returns its id. */
  addDetection(camera: string, at?: string, picture?: string): Promise<number>;
  /** Stores events of the last days without pictures. */
  addManyEvents(count: number): Promise<void>;
  /** Stores that a camera saw the same person in these detections. */
  addEntity(id: string, detectionIds: readonly number[]): Promise<void>;
  /** Lets a camera have a last picture without a detector. */
  giveLastPicture(cameraId: string): Promise<void>;
  ask(method: string, path: string, body?: object): Promise<unknown>;
  close(): Promise<void>;
}

/** The id of the person whom the cameras of the home know. */
export const knownEntity = "5d2b1c94-7e3a-4f60-8a1d-9c4e2f7b6a30";

/** Opens such a home. */
export async function openWebHome(env: Readonly<Record<string, string>> = {}): Promise<WebHome> {
  const home = await openEmptyHome(env);
  await home.furnish();
  return home;
}

/**
 * Opens a home without cameras; `furnish` makes it such a home. Pictures lie outside of the camera folders, so that no detector is asked,
 * and stand-ins save the time to load the built-in services.
 */
export async function openEmptyHome(env: Readonly<Record<string, string>> = {}): Promise<WebHome & { furnish(): Promise<void> }> {
  const folder = temporaryFolder("pictures");
  const picture = join(folder.path, "walkway.jpg");
  await mkdir(folder.path, { recursive: true });
  await copyFile(join(pictures, "walkway-0060.jpg"), picture);
  const [database, detector, model] = await Promise.all([testDatabase(), detectorStandIn(), languageModelStandIn()]);
  const services = { DATABASE_URL: database.url, DETECTOR_URL: detector.url, LANGUAGE_MODEL_URL: model.url };
  const daemon = await testDaemon({ env: { ...services, CAMERA_EXTRA_ROOTS: folder.path, ...env } });
  const url = `http://127.0.0.1:${daemon.port}`;
  const ask: WebHome["ask"] = async (method, path, body) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { "Content-Type": "application/json", ...(env["API_KEYS"] && { "X-API-Key": env["API_KEYS"] }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text === "" ? undefined : JSON.parse(text);
  };
  const addDetection: WebHome["addDetection"] = async (camera, at = new Date().toISOString(), file_path = picture) => {
    const box = { bbox_x: 300, bbox_y: 150, bbox_width: 40, bbox_height: 90 };
    const detection = {
      camera_id: camera,
      file_path,
      file_type: "image/jpeg",
      detected_at: at,
      object_type: "person",
      confidence: 0.9,
    };
    return idOf((await ask("POST", "/api/detections/bulk", { detections: [{ ...detection, ...box }] })) as Bulk);
  };
  const addEvent: WebHome["addEvent"] = async ({ camera, score, summary, minutesAgo, picture: path }) => {
    const at = new Date(Date.now() - minutesAgo * 60_000).toISOString();
    const event = {
      camera_id: camera,
      started_at: at,
      risk_score: score,
      summary,
      reasoning: "Because of a test.",
      detection_ids: [await addDetection(camera, at, path)],
    };
    return idOf((await ask("POST", "/api/events/bulk", { events: [event] })) as Bulk);
  };
  const addManyEvents: WebHome["addManyEvents"] = async (count) => {
    for (let from = 0; from < count; from += 100) {
      const events = Array.from({ length: Math.min(100, count - from) }, (_, index) => {
        const started_at = new Date(Date.now() - (from + index) * 60_000 - 3_600_000).toISOString();
        return { camera_id: "garden", started_at, risk_score: 20, summary: "A walker", reasoning: "", detection_ids: [] };
      });
      await ask("POST", "/api/events/bulk", { events });
    }
  };
  const addEntity: WebHome["addEntity"] = async (id, detectionIds) => {
    await daemon.context.db.query(
      (sql) => sql`
        with seen as (
          update detections d
          set entity_id = ${id}
          where d.detection_id = any (${[...detectionIds]}::bigint[])
          returning d.camera_id, d.detected_at
        ), entity as (
          insert into entities (
            entity_id, object_type, first_seen_at, last_seen_at, detection_count, representative_detection_id, representative_confidence,
            created_at
          )
          select ${id}::uuid, 'person', min(s.detected_at), max(s.detected_at), count(*), ${detectionIds[0] ?? 0}, 0.9, max(s.detected_at)
          from seen s
        )
        insert into entity_cameras (entity_id, camera_id, first_seen_at, last_seen_at, detection_count)
        select ${id}::uuid, s.camera_id, min(s.detected_at), max(s.detected_at), count(*)
        from seen s
        group by s.camera_id
      `,
    );
  };
  const giveLastPicture: WebHome["giveLastPicture"] = async (cameraId) =>
    await daemon.context.db.query(async (sql) => {
      await sql`
        insert into images (camera_id, path, size_bytes, modified_ns, found_by, found_at, taken_at, status, width, height, media_type)
        select ${cameraId}, d.file_path, 1, 1, 'watch', now(), now(), 'processed', 768, 576, 'image/jpeg'
        from detections d
        where d.detection_id = 2
      `;
      await sql`update cameras set last_seen_at = now() where camera_id = ${cameraId}`;
    });
  const furnish = async (): Promise<void> => {
    for (const [camera_id, name] of [
      ["front-door", "Front door"],
      ["garden", "Garden"],
    ])
      await ask("POST", "/api/cameras", { camera_id, name });
    await ask("POST", "/api/alerts/rules", { name: "Someone is there", severity: "high", risk_threshold: 60, cooldown_seconds: 0 });
    await addEvent({ camera: "front-door", score: 82, summary: "A person tries the door handle.", minutesAgo: 6 });
    await addEvent({ camera: "garden", score: 12, summary: "A person waters the flowers.", minutesAgo: 4 });
    await addEvent({ camera: "garden", score: 35, summary: "A person carries a ladder.", minutesAgo: 2 });
    await addEntity(knownEntity, [2, 3]);
    await eventually(async () => ((await ask("GET", "/api/alerts")) as { items: unknown[] }).items.length > 0, { what: "the alert" });
  };
  return {
    ...{ daemon, url, addDetection, addEvent, addManyEvents, addEntity, giveLastPicture, ask, furnish },
    close: async () => {
      await daemon.stop();
      await Promise.all([database.close(), detector.close(), model.close()]);
      await folder.remove();
    },
  };
}

/** A home, and a browser to visit it with. */
export interface VisitedHome extends WebHome {
  readonly browser: Browser;
  /** Opens a tab of a new visitor. */
  visit(options?: BrowserContextOptions): Promise<Visit>;
}

/** Opens a home before the tests of a block and closes it after them, with the browser of this process. */
export function useWebHome(env: () => Readonly<Record<string, string>> = () => ({})): VisitedHome {
  let home: WebHome | undefined;
  let browser: Browser | undefined;
  const opened = (): VisitedHome => {
    if (!home || !browser) throw new Error("the home is open only while the tests of its block run");
    const [own, url] = [browser, home.url];
    return { ...home, browser: own, visit: (options) => visit(own, url, options) };
  };
  beforeAll(async () => {
    home = await openWebHome(env());
    browser = await sharedBrowser();
  });
  afterAll(async () => {
    await home?.close();
  });
  // The tests get their home when they run; a block is read before its home is open.
  return new Proxy({} as VisitedHome, { get: (_, name) => Reflect.get(opened(), name) });
}

interface Bulk {
  readonly results: readonly { readonly id: number | null; readonly error: string | null }[];
}

function idOf({ results: [result] }: Bulk): number {
  if (typeof result?.id !== "number") throw new Error(result?.error ?? "nothing was stored");
  return result.id;
}

/** The picture on which the page of a camera draws zones. */
export const zoneCanvas = "svg[data-zones]";

/** Returns the corners of a zone in the middle of that picture, as positions for a click or tap, once the picture is in view. */
export async function threeCorners(page: Page): Promise<readonly { readonly x: number; readonly y: number }[]> {
  const canvas = page.locator(zoneCanvas);
  await canvas.scrollIntoViewIfNeeded();
  const { width = 0, height = 0 } = (await canvas.boundingBox()) ?? {};
  const corners = [
    [0.2, 0.5],
    [0.8, 0.5],
    [0.5, 0.9],
  ] as const;
  return corners.map(([x, y]) => ({ x: x * width, y: y * height }));
}
