import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { z } from "zod";
import { operations } from "../../src/all-operations.ts";
import { silentLog } from "../../src/base/log/log.ts";
import type { Bytes, StreamedBytes } from "../../src/contract/answer.ts";
import { encodeAnswer } from "../../src/contract/encode.ts";
import { type OperationId, routes } from "../../src/contract/routes/index.ts";
import { decodeRequest } from "../../src/contract/validate.ts";
import { parseConfig } from "../../src/platform/config/parse.ts";
import { createSettings } from "../../src/platform/config/settings.ts";
import type { Database } from "../../src/platform/database/database.ts";
import { createOutbound, type OutboundOptions } from "../../src/platform/outbound/outbound.ts";
import { openSealer } from "../../src/platform/secrets/sealer.ts";
import { inProcessStore } from "../../src/platform/store/open-store.ts";
import type { OperationContext } from "../../src/work/operations/operation.ts";
import { testDatabase } from "./database.ts";
import { temporaryFolder } from "./temporary.ts";

type Id = OperationId;

/** A client's request. */
export interface Asked {
  readonly params?: Readonly<Record<string, string>>;
  /** The query string without the question mark. */
  readonly query?: string;
  readonly body?: unknown;
}

/** The reply of a route in wire form. */
export type Wire<I extends Id> = (typeof routes)[I] extends { readonly reply: infer R extends z.ZodType } ? z.input<R> : undefined;

/** The data of a journal entry in wire form. */
type Told = Readonly<Record<string, unknown>>;

/** The operations on a temporary database, called as over HTTP but without a server. */
export interface Desk {
  readonly context: OperationContext;
  readonly db: Database;
  /** Address of the database, for another process. */
  readonly url: string;
  readonly cameraRoot: string;
  readonly dataDir: string;
  /** A folder whose content must never be read. */
  readonly outside: string;
  /** Sets the time. */
  at(time: string | Date): void;
  /** Decodes, runs and encodes; fails for a reply that the route does not promise. */
  ask<I extends Id>(id: I, asked?: Asked): Promise<Wire<I>>;
  /** The same for a route that returns bytes. */
  askBytes(id: Id, asked: Asked): Promise<Bytes>;
  /** The same for a route that returns a stream; `accept` as in the header. */
  askStream(id: Id, asked: Asked & { readonly accept?: string }): Promise<StreamedBytes>;
  /** Data of all journal entries of a type, oldest first. */
  journal(type: string): Promise<readonly Told[]>;
  close(): Promise<void>;
}

/** Creates a desk. Close it in `afterAll` or `afterEach`. */
export async function openDesk(
  variables: Readonly<Record<string, string>> = {},
  outboundOptions: Pick<OutboundOptions, "ca" | "resolve"> = {},
): Promise<Desk> {
  const folder = temporaryFolder("desk");
  const dataDir = join(folder.path, "data");
  const cameraRoot = join(dataDir, "cameras");
  const outside = join(folder.path, "outside");
  await mkdir(cameraRoot, { recursive: true });
  await mkdir(outside);
  const database = await testDatabase();
  const env = { DATA_DIR: dataDir, ...variables };
  const { config } = parseConfig({ env, isRoot: false, home: folder.path, cwd: folder.path });
  let now = new Date("2026-03-01T12:00:00Z");
  const clock = { now: () => now, monotonic: () => now.getTime() };
  const outbound = createOutbound({ allow: config.outboundAllow, ...outboundOptions });
  const context: OperationContext = {
    db: database.db,
    store: inProcessStore(),
    config,
    settings: createSettings({ db: database.db, config, log: silentLog, clock }),
    clock,
    log: silentLog,
    outbound,
    sealer: openSealer(config.secretKeyPath),
    runtime: undefined,
  };
  const run = async (id: Id, { params = {}, query = "", body, accept }: Asked & { readonly accept?: string }) => {
    const request = decodeRequest(routes[id], { params, query: new URLSearchParams(query), body, accept });
    const operation = operations[id] as unknown as (request: unknown, context: OperationContext) => Promise<unknown>;
    return encodeAnswer(routes[id], await operation(request, context));
  };
  return {
    context,
    db: database.db,
    url: database.url,
    cameraRoot,
    dataDir,
    outside,
    at: (time) => {
      now = new Date(time);
    },
    ask: (async (id: Id, asked: Asked = {}) => {
      const answer = await run(id, asked);
      if (answer.kind === "bytes") throw new Error(`${id} answered with bytes`);
      if (answer.kind === "json" && answer.mismatch) throw answer.mismatch;
      return answer.kind === "json" ? JSON.parse(JSON.stringify(answer.wire)) : undefined;
    }) as Desk["ask"],
    askBytes: async (id, asked) => {
      const answer = await run(id, asked);
      if (answer.kind !== "bytes" || "fileName" in answer.bytes) throw new Error(`${id} answered without bytes`);
      return answer.bytes;
    },
    askStream: async (id, asked) => {
      const answer = await run(id, asked);
      if (answer.kind !== "bytes" || !("fileName" in answer.bytes)) throw new Error(`${id} answered without a stream`);
      return answer.bytes;
    },
    journal: (type) =>
      database.db.query(async (sql) => {
        const rows = await sql<{ data: Told }[]>`select j.data from journal j where j.type = ${type} order by j.journal_id`;
        return rows.map((row) => row.data);
      }),
    close: async () => {
      await outbound.close();
      await database.close();
      await folder.remove();
    },
  };
}
