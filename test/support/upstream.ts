import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout } from "node:timers/promises";
import { referenceName } from "../../src/monitoring/upstream/reference.ts";

/**
 * Behaviour of a stand-in. `ok` answers; `refuse` 400 for everything except the reference requests of homesec; `refuse_all` 400 for
 * everything; `down` accepts no connections; `hang` never answers; `slow` sends one byte at a
 * time without end; `reset` closes the connection before the reply, `cut` in the middle of it; `garbage` 200 with bytes that are no JSON;
 * `html` 200 with a page; `empty` 200 with nothing; `error` 500; `busy` 429; `redirect` 302; `huge` 10 MB.
 */
export const standInModes = [
  "ok",
  "refuse",
  "refuse_all",
  "down",
  "hang",
  "slow",
  "reset",
  "cut",
  "garbage",
  "html",
  "empty",
  "error",
  "busy",
  "redirect",
  "huge",
] as const;
export type StandInMode = (typeof standInModes)[number];
/** A mode, or a status that answers every call of the operation, while /health is well. */
export type StandInAnswer = StandInMode | number;

/** A request as a stand-in received it. */
export interface SeenRequest {
  readonly path: string;
  readonly contentType: string;
  readonly body: Buffer;
}

/** A real HTTP server in place of an upstream service. */
export interface StandIn {
  readonly url: string;
  /** Number of calls of the operation (not of /health), whatever their result. */
  readonly requests: number;
  /** Number of calls that were answered with 200 and a valid body. */
  readonly answered: number;
  /** The last call. */
  readonly last: SeenRequest | undefined;
  setMode(mode: StandInAnswer): Promise<void>;
  close(): Promise<void>;
}

export interface StandInOptions {
  /** The body of a valid reply: an object, sent as JSON, or the text itself. */
  readonly answer?: (request: SeenRequest, count: number) => object | string | Promise<object | string>;
  /** Delay before a valid reply. */
  readonly delayMs?: number;
}

/** A detector that sees one person in each picture, or returns `answer`. */
export function detectorStandIn(options: StandInOptions = {}): Promise<StandIn> {
  return standIn("/detect", { answer: () => onePerson(), ...options });
}

/** A language model that scores each event 42, or returns `answer`. */
export function languageModelStandIn(options: StandInOptions = {}): Promise<StandIn> {
  return standIn("/completion", { answer: () => ({ content: verdictText(42), model: "stand-in" }), ...options });
}

/** A detector's reply with one person. */
export function onePerson(confidence = 0.9): object {
  return {
    detections: [{ class: "person", confidence, bbox: { x: 10, y: 20, width: 60, height: 120 } }],
    inference_time_ms: 1,
    image_width: 768,
    image_height: 576,
  };
}

/** The text of a well-behaved language model. */
export function verdictText(score: number): string {
  return JSON.stringify({ risk_score: score, summary: "Somebody walked by.", reasoning: "It was one person.", risk_factors: [] });
}

/** A vision service that sees a red jacket on every person, or returns `answer`. */
export function visionStandIn(options: StandInOptions = {}): Promise<StandIn> {
  const answer = () => ({ attributes: { jacket: "red" }, ocr: [{ text: "ACME 7", confidence: 0.9 }], caption: "Somebody with a parcel." });
  return standIn("/extract", { answer, ...options });
}

/** An embedder that returns the same vector for everything, or `answer`. */
export function embedderStandIn(options: StandInOptions = {}): Promise<StandIn> {
  return standIn("/embed", { answer: () => ({ embedding: [0.6, 0.8, 0] }), ...options });
}

/** An enrichment service that marks each request, or returns `answer`. */
export function enrichmentStandIn(options: StandInOptions = {}): Promise<StandIn> {
  const answer = ({ body }: SeenRequest) => {
    const { attributes } = JSON.parse(body.toString()) as { attributes: object };
    return { attributes: { ...attributes, merged: true } };
  };
  return standIn("/enrich", { answer, ...options });
}

const health = {
  "/detect": { status: "healthy", model_loaded: true, device: "cpu", cuda_available: false, vram_used_gb: 0 },
  "/completion": { status: "ok" },
  "/extract": { status: "ok" },
  "/embed": { status: "ok" },
  "/enrich": { status: "ok" },
};

async function standIn(path: keyof typeof health, { answer = () => ({}), delayMs = 0 }: StandInOptions): Promise<StandIn> {
  let mode: StandInAnswer = "ok";
  let requests = 0;
  let answered = 0;
  let last: SeenRequest | undefined;

  const server = createServer((request, response) => {
    // Some tests have a client disconnect in the middle.
    request.on("error", () => response.destroy());
    handle(request, response).catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined));
  });
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const isOperation = request.method === "POST" && request.url === path;
    const seen = { path, contentType: request.headers["content-type"] ?? "", body: Buffer.concat(chunks) };
    // A service that refuses one picture accepts the next.
    if (isOperation && seen.body.includes(referenceName) && (mode === "ok" || mode === "refuse")) {
      return send(response, 200, path === "/detect" ? { detections: [] } : {});
    }
    if (isOperation) {
      requests += 1;
      last = seen;
    }
    if (typeof mode === "number") {
      if (isOperation) return send(response, mode, { detail: `status ${mode}` });
    } else if (mode !== "ok") return misbehave(mode, response);
    if (request.method === "GET" && request.url === "/health") return send(response, 200, health[path]);
    if (!isOperation || !last) return send(response, 404, { detail: "not here" });
    const body = await answer(last, requests);
    if (delayMs > 0) await setTimeout(delayMs);
    answered += 1;
    send(response, 200, body);
  };

  let port = 0;
  const listen = async (): Promise<void> => {
    await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
    port = (server.address() as AddressInfo).port;
  };
  const stopListening = async (): Promise<void> => {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  };
  await listen();

  return {
    url: `http://127.0.0.1:${port}`,
    get requests() {
      return requests;
    },
    get answered() {
      return answered;
    },
    get last() {
      return last;
    },
    setMode: async (next) => {
      mode = next;
      if (next === "down" && server.listening) await stopListening();
      if (next !== "down" && !server.listening) await listen();
    },
    close: async () => {
      if (server.listening) await stopListening();
    },
  };
}

function send(response: ServerResponse, status: number, body: object | string): void {
  const text = status === 204 ? "" : typeof body === "string" ? body : JSON.stringify(body);
  response.writeHead(status, { "content-type": "application/json", "content-length": Buffer.byteLength(text) });
  response.end(text);
}

function misbehave(mode: Exclude<StandInMode, "ok">, response: ServerResponse): void {
  switch (mode) {
    case "refuse":
    case "refuse_all":
      send(response, 400, { detail: "the picture cannot be read" });
      return;
    case "error":
      send(response, 500, { detail: "out of memory" });
      return;
    case "busy":
      response.setHeader("retry-after", "7");
      send(response, 429, { detail: "too many requests" });
      return;
    case "redirect":
      response.writeHead(302, { location: "/elsewhere" }).end();
      return;
    case "garbage":
      send(response, 200, "\u0000\u0001{{{ not json");
      return;
    case "html":
      response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html><title>Sign in</title>");
      return;
    case "empty":
      response.writeHead(200).end();
      return;
    case "huge":
      send(response, 200, JSON.stringify({ detections: [], filler: "x".repeat(10_000_000) }));
      return;
    case "cut":
      response.writeHead(200, { "content-type": "application/json", "content-length": 1_000 });
      response.write('{"detections": [');
      setTimeout(10).then(() => response.destroy());
      return;
    case "slow": {
      response.writeHead(200, { "content-type": "application/json" });
      const drip = setInterval(() => response.write(" "), 20);
      response.on("close", () => clearInterval(drip));
      return;
    }
    case "hang":
      return;
    case "reset":
    case "down":
      response.destroy();
      return;
  }
}
