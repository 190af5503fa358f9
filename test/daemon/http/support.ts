import { connect } from "node:net";
import { type AppOptions, createAppOf } from "../../../daemon/http/app.ts";
import { type Listening, listen } from "../../../daemon/http/listen.ts";
import { createRequestCounter } from "../../../daemon/http/stats.ts";
import type { Log } from "../../../src/base/log/log.ts";
import type { Route } from "../../../src/contract/route.ts";
import type { KeyPair } from "../../../src/platform/tls/key-pair.ts";
import type { OperationContext } from "../../../src/work/operations/operation.ts";
import type { RequestStats } from "../../../src/work/operations/runtime.ts";

export interface LogLine {
  readonly level: string;
  readonly fields: Record<string, unknown>;
  readonly message: string;
}

/** A log that records its lines for tests. */
export function keptLog(): Log & { readonly lines: LogLine[] } {
  const lines: LogLine[] = [];
  const at = (level: string) => (fields: object, message: string) => void lines.push({ level, fields: { ...fields }, message });
  const log = { lines, debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error"), child: () => log };
  return log;
}

/** A context for operations that do not use it. */
export const noContext = {} as OperationContext;

type AnyOperation = (request: never, context: OperationContext) => Promise<unknown>;

export interface Served extends Listening {
  readonly url: string;
  readonly log: ReturnType<typeof keptLog>;
  stats(): RequestStats;
}

/** Serves test routes on a free port. */
export async function serve(
  routes: Readonly<Record<string, Route>>,
  operations: Readonly<Record<string, AnyOperation>>,
  {
    graceMs,
    keyPair,
    ...options
  }: Partial<
    Pick<AppOptions, "strictReplies" | "allowedHosts" | "corsOrigins" | "keyring" | "onWrongKey" | "rateLimit" | "clientAddress">
  > & {
    readonly graceMs?: number;
    readonly keyPair?: KeyPair;
  } = {},
): Promise<Served> {
  const log = keptLog();
  const counter = createRequestCounter();
  const app = createAppOf(routes, operations as Record<string, (request: unknown) => Promise<unknown>>, {
    context: noContext,
    log,
    allowedHosts: [],
    strictReplies: true,
    ...options,
    counter,
  });
  const listening = await listen({ app, host: "127.0.0.1", port: 0, keyPair, ...(graceMs !== undefined && { graceMs }) });
  return { ...listening, url: `${keyPair ? "https" : "http"}://127.0.0.1:${listening.port}`, log, stats: () => counter.stats() };
}

/** Sends raw bytes and returns the whole response, until the connection ends or stays idle for a while. */
export function sendRaw(port: number, text: string, quietMs = 300): Promise<string> {
  return new Promise((done, fail) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(text));
    let received = "";
    const end = () => {
      socket.destroy();
      done(received);
    };
    socket.setTimeout(quietMs, end);
    socket.on("data", (chunk) => {
      received += chunk.toString("latin1");
    });
    socket.on("end", end);
    socket.on("error", (error) => (received ? end() : fail(error)));
  });
}
