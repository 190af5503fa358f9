import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { text as textOf } from "node:stream/consumers";
import { Problem } from "../../src/contract/problem.ts";
import { defineCommand } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { integer, text, withDefault } from "../input/options.ts";
import { readText } from "../input/read-text.ts";
import type { Io } from "../io.ts";
import { cellOf, chosen } from "../output/fields.ts";
import { localTime, type Paint, paint, plain, plainLines, type TerminalFormat } from "../output/terminal-format.ts";
import type { Verdict } from "./signature.ts";

/** Longer than any body homesec sends; larger requests are cut off. */
const largestBody = 10_000_000;

export const listenToWebhooks = defineCommand({
  name: "webhooks listen",
  summary: "Receive deliveries, show them and verify signatures",
  description:
    "Listens on 127.0.0.1 until Ctrl-C, and shows and answers every request. With the signing secret it verifies the sender. Add its address with `homesec webhooks add` on the same machine.",
  options: {
    port: withDefault(integer("port", 0, 65_535, "Port to listen on, 0 for any"), 8900),
    signing_secret_file: text("file", "File with the signing secret, or HOMESEC_SIGNING_SECRET; - for stdin"),
    status: withDefault(integer("code", 200, 599, "HTTP status to answer with"), 204),
    count: integer("n", 1, 1_000_000, "Exit after this many requests"),
  },
  examples: [
    { command: "homesec webhooks listen", note: "then: homesec webhooks add here http://127.0.0.1:8900 --event-types alert_fired" },
    { command: "homesec webhooks listen --signing-secret-file secret.txt -o ndjson", note: "verified, one JSON object per line" },
    { command: "homesec webhooks listen --status 503", note: "watch homesec retry" },
  ],
  endsOnSignal: true,
  prints: () => ({ plural: "requests", fields: () => ["method", "path", "headers", "body", "signature"] }),
  async run({ options: { port, signing_secret_file, status, count } }, io) {
    const { format } = io.output;
    if (!["table", "json", "ndjson", "id"].includes(format)) {
      throw new Problem("invalid", `webhooks listen cannot print ${format}; use -o table, ndjson, json or id`);
    }
    const secret = await secretOf(io, signing_secret_file);
    const { verify } = await import("./signature.ts");
    let left = count ?? Number.POSITIVE_INFINITY;
    const { promise: enough, resolve: finish } = withResolvers();
    const server = createServer(async (request, response) => {
      try {
        const body = await textOf(request);
        const received = { ...requestOf(request, body), signature: verify(request.headers, body, secret, io.host.clock.now()) };
        response.writeHead(status, { Connection: "close" }).end();
        if (left <= 0) return;
        left -= 1;
        const { fields } = io.output;
        if (format === "id") io.output.write(`${received.headers["webhook-id"] ?? ""}\n`);
        else if (format !== "table") io.output.write(`${JSON.stringify(fields ? chosen(received, fields) : received)}\n`);
        else if (fields) io.output.write(`${fields.map((field) => plain(cellOf(received, field).text)).join("  ")}\n`);
        else io.output.write(shown(received, io.output.terminal, io.host.clock.now()));
        if (left <= 0) finish();
      } catch {
        // The sender closed the connection in the middle
        response.destroy();
      }
    });
    server.on("connection", (socket) => {
      let bytes = 0;
      socket.on("data", (part: Buffer) => {
        bytes += part.length;
        if (bytes > largestBody) socket.destroy();
      });
    });
    const url = await listening(server, port);
    io.output.note(`listening on ${url}${secret === undefined ? "; signatures are not verified without a signing secret" : ""}`);
    io.host.signal.addEventListener("abort", finish, { once: true });
    if (io.host.signal.aborted) finish();
    await enough;
    server.closeAllConnections();
    server.close();
    return io.host.signal.aborted ? exitCodes.interrupted : exitCodes.ok;
  },
});

interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: unknown;
  readonly signature: Verdict;
}

function requestOf({ method = "", url = "", headers }: IncomingMessage, body: string): Omit<Received, "signature"> {
  try {
    return { method, path: url, headers, body: JSON.parse(body) as unknown };
  } catch {
    return { method, path: url, headers, body };
  }
}

const verdictPaints: Partial<Record<Verdict, Paint>> = { valid: "green", "not checked": "dim" };

function shown({ method, path, headers, body, signature }: Received, terminal: TerminalFormat, now: Date): string {
  const verdict = paint(terminal, verdictPaints[signature] ?? "red", `signature ${signature}`);
  const id = headers["webhook-id"];
  const head = `${localTime(now).slice(11)}  ${method} ${plain(path)}  ${verdict}${id === undefined ? "" : `  ${plain(String(id))}`}`;
  const text = typeof body === "string" ? body : JSON.stringify(body, null, 2);
  const lines = plainLines(text).split(/\r?\n/);
  return `${head}\n${lines.map((line) => `    ${line}\n`).join("")}`;
}

async function secretOf(io: Io, file: string | undefined): Promise<string | undefined> {
  const given = file === undefined ? io.host.env["HOMESEC_SIGNING_SECRET"] : await readText(io.host, "--signing-secret-file", file);
  const secret = given?.trim() ?? "";
  if (secret === "" && file === undefined) return undefined;
  if (!/^whsec_[A-Za-z0-9+/]+=*$/.test(secret))
    throw new Problem("invalid", "the signing secret must start with whsec_; copy it as `webhooks add` showed it");
  return secret;
}

/** Starts to listen and resolves to the address. Throws `Problem("conflict")` if the port cannot be used. */
function listening(server: ReturnType<typeof createServer>, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once("error", (cause: NodeJS.ErrnoException) => {
      const reason = cause.code === "EADDRINUSE" ? "is in use" : `cannot be used (${cause.code})`;
      reject(new Problem("conflict", `port ${port} ${reason}; choose another one with --port, or 0 for any free one`, { cause }));
    });
    server.listen(port, "127.0.0.1", () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
  });
}

function withResolvers(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = (): void => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
