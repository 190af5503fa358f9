import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** The server that a stand-in answers like; they differ in how one sees that they are up. `bare` has neither a ping nor a page. */
export type DeepStackServer = "codeproject" | "blue-onyx" | "deepstack" | "bare";

interface Reply {
  readonly status?: number;
  readonly body: object | string;
}

export interface DeepStackStandIn {
  /** The address for `DETECTOR_URL`. */
  readonly url: string;
  /** The form of the last request for detections, and method and path of all requests. */
  readonly lastForm: FormData | undefined;
  readonly requests: readonly string[];
  close(): Promise<void>;
}

/** The reply of a detection that found these objects. */
export function found(...predictions: readonly unknown[]): Reply {
  return { body: { success: true, predictions, inferenceMs: 7, processMs: 9 } };
}

/** A real HTTP server with the API of DeepStack. It parses the form as these servers do, and refuses one without a picture. */
export async function deepStackStandIn(
  server: DeepStackServer,
  reply: (picture: File) => Reply = () => found(),
): Promise<DeepStackStandIn> {
  const requests: string[] = [];
  let lastForm: FormData | undefined;
  const answer = async (request: IncomingMessage): Promise<Reply> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const called = `${request.method} ${request.url}`;
    requests.push(called);
    if (called === "GET /v1/status/ping" && server === "codeproject") return { body: { success: true } };
    if (called === "GET /" && server !== "bare") return { body: "<!doctype html><p>up and running</p>" };
    if (called !== "POST /v1/vision/detection") return { status: 404, body: "Endpoint not implemented" };
    const form = await new Response(Buffer.concat(chunks), {
      headers: { "content-type": request.headers["content-type"] ?? "" },
    }).formData();
    lastForm = form;
    const picture = form.get("image");
    if (!(picture instanceof File)) return { status: 400, body: { success: false, error: "No valid image file found" } };
    return reply(picture);
  };
  const listener = createServer((request: IncomingMessage, response: ServerResponse) => {
    answer(request).then(
      ({ status = 200, body }) => response.writeHead(status).end(typeof body === "string" ? body : JSON.stringify(body)),
      (error: unknown) => response.destroy(error instanceof Error ? error : undefined),
    );
  });
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  return {
    url: `deepstack+http://127.0.0.1:${(listener.address() as AddressInfo).port}`,
    requests,
    get lastForm() {
      return lastForm;
    },
    close: () =>
      new Promise((resolve) => {
        listener.close(() => resolve());
        listener.closeAllConnections();
      }),
  };
}
