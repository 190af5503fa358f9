import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { WebSocket } from "ws";
import { type TestDaemon, testDaemon } from "../../support/daemon.ts";
import { type TestDatabase, testDatabase } from "../../support/database.ts";
import { uniqueJpeg } from "../../support/pictures.ts";
import { detectorStandIn, languageModelStandIn } from "../../support/upstream.ts";

export const configured = "the-configured-key-0123456789";

export interface Reply {
  readonly status: number;
  readonly body: unknown;
  readonly text: string;
  readonly headers: Headers;
}

/** A home with the cameras `door` and `yard`, which have an event with one detection each, and a daemon on it. */
export interface AccessHome {
  readonly daemon: TestDaemon;
  readonly database: TestDatabase;
  /** The addresses of its services, for another daemon. */
  readonly services: Readonly<Record<string, string>>;
  /** Ids of events and detections by camera. */
  readonly events: Readonly<Record<string, number>>;
  readonly detections: Readonly<Record<string, number>>;
  /** Makes a request with an API key, if one is given. */
  ask(call: string, key?: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Reply>;
  /** Creates a key as the owner. */
  createKey(body: object): Promise<{ readonly id: string; readonly api_key: string }>;
  close(): Promise<void>;
}

/** Opens a home. `required`: keys are required. */
export async function accessHome(required: boolean, env: Readonly<Record<string, string>> = {}): Promise<AccessHome> {
  const [database, detector, model] = await Promise.all([testDatabase(), detectorStandIn(), languageModelStandIn()]);
  const services = { DETECTOR_URL: detector.url, LANGUAGE_MODEL_URL: model.url };
  const keys = required ? { API_KEY_ENABLED: "true", API_KEYS: configured } : {};
  const daemon = await testDaemon({ env: { DATABASE_URL: database.url, ...services, ...keys, ...env } });
  const ask: AccessHome["ask"] = async (call, key, body, headers = {}) => {
    const [method = "", path = ""] = call.split(" ");
    const response = await fetch(`${daemon.url}${path}`, {
      method,
      headers: {
        ...(key !== undefined && { "X-API-Key": key }),
        ...(body !== undefined && { "Content-Type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get("Content-Type")?.startsWith("application/json") === true;
    return { status: response.status, body: isJson ? JSON.parse(text) : undefined, text, headers: response.headers };
  };
  const asked = async (call: string, body: unknown): Promise<never> => {
    const reply = await ask(call, required ? configured : undefined, body);
    if (reply.status >= 300) throw new Error(`${call}: ${reply.status} ${reply.text}`);
    return reply.body as never;
  };
  const events: Record<string, number> = {};
  const detections: Record<string, number> = {};
  for (const camera_id of ["door", "yard"]) {
    await asked("POST /api/cameras", { camera_id, name: camera_id });
    const file_path = join(daemon.cameraRoot, camera_id, "a.jpg");
    await writeFile(file_path, await uniqueJpeg());
    const box = { bbox_x: 1, bbox_y: 2, bbox_width: 30, bbox_height: 40 };
    const detection = { ...box, camera_id, file_path, detected_at: "2026-02-01T08:00:00Z", object_type: "person", confidence: 0.9 };
    const created: { readonly results: readonly { readonly id: number }[] } = await asked("POST /api/detections/bulk", {
      detections: [detection],
    });
    detections[camera_id] = created.results[0]?.id ?? 0;
    const event = {
      camera_id,
      started_at: "2026-02-01T08:00:00Z",
      risk_score: 50,
      summary: "A walker",
      detection_ids: [detections[camera_id]],
    };
    const stored: { readonly results: readonly { readonly id: number }[] } = await asked("POST /api/events/bulk", { events: [event] });
    events[camera_id] = stored.results[0]?.id ?? 0;
  }
  return {
    ...{ daemon, database, services, events, detections, ask },
    createKey: (body) => asked("POST /api/keys", body),
    close: async () => {
      await daemon.stop();
      await Promise.all([detector.close(), model.close(), database.close()]);
    },
  };
}

/** A WebSocket with its messages and its close code. */
export async function listenAs(
  url: string,
  options: { readonly key?: string; readonly since?: number; readonly headers?: Readonly<Record<string, string>> },
) {
  const messages: { readonly type: string; readonly data: Readonly<Record<string, unknown>> }[] = [];
  const protocols = options.key === undefined ? [] : [`api-key.${options.key}`];
  const socket = new WebSocket(
    `${url.replace("http", "ws")}/ws/events${options.since === undefined ? "" : `?since=${options.since}`}`,
    protocols,
    { headers: options.headers ?? {} },
  );
  socket.on("message", (data) => messages.push(JSON.parse(String(data))));
  const closed = once(socket, "close").then(([code]) => Number(code));
  await Promise.race([once(socket, "message"), closed]);
  return { socket, messages, closed };
}
