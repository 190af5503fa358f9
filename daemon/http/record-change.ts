import type { Clock } from "../../src/base/clock/clock.ts";
import type { Route } from "../../src/contract/route.ts";
import type { OperationId } from "../../src/contract/routes/index.ts";
import type { Database, Sql } from "../../src/platform/database/database.ts";
import { insertChange, type NewChange } from "../../src/platform/keys/changes-repository.ts";
import type { Access } from "../../src/platform/keys/named-keys.ts";

/** Operations that write, but by which nobody changes the home: questions, and what cameras and programs deliver. */
const unrecorded: ReadonlySet<string> = new Set<OperationId>([
  "validateCameraPaths",
  "testRule",
  "backtestRule",
  "backtestDefinition",
  "runSelftest",
  "previewRetention",
  "probeModels",
  "exportEvents",
  "createDetections",
  "createEvents",
  "receiveAlerts",
  "startSession",
  "signInWithKey",
  "signInWithKey",
  "endSession",
]);

/** A decoded request, as far as it names what changes. */
interface Named {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

/** A database whose first transaction stores who changed what; `finish` stores it if there was none. */
export interface Recording {
  readonly db: Database;
  finish(): Promise<void>;
}

/**
 * Returns a database for one request of a client with a name, which stores the change in the transaction that makes it. Undefined for
 * requests that change nothing, and for clients without a name.
 */
export function recordChange(
  { id, route, access }: { readonly id: string; readonly route: Route; readonly access: Access | undefined },
  request: unknown,
  { db, clock }: { readonly db: Database; readonly clock: Clock },
): Recording | undefined {
  if (access === undefined || route.method === "get" || unrecorded.has(id)) return undefined;
  const { name: by, role } = access;
  const { params = {}, body } = request as Named;
  let isStored = false;
  const store = (sql: Sql, result: unknown): Promise<void> => {
    const subjects = subjectsOf(route.path, params, body, result);
    return insertChange(sql, { by, role, operation: id, subjects, fields: fieldsOf(body) } satisfies NewChange, clock.now());
  };
  const transaction: Database["transaction"] = async (work) => {
    const isFirst = !isStored;
    const result = await db.transaction(async (sql) => {
      const value = await work(sql);
      if (isFirst) await store(sql, value);
      return value;
    });
    isStored = true;
    return result;
  };
  return {
    db: {
      transaction,
      query: (work) => db.query(work),
      iterate: (work, signal) => db.iterate(work, signal),
      listen: (...args) => db.listen(...args),
      onCommitted: (subscriber) => db.onCommitted(subscriber),
      setCameraRoot: (folder) => db.setCameraRoot(folder),
      setEvidenceKey: (key) => db.setEvidenceKey(key),
      close: () => db.close(),
      get pool() {
        return db.pool;
      },
    },
    finish: async () => {
      if (!isStored) await db.transaction((sql) => store(sql, undefined));
    },
  };
}

/** Most subjects of one change; a list in a request may be longer. */
const mostSubjects = 100;

/** The addresses below `/api/` of what a request changes: by its path, by the ids in its body, or by the id of what it made. */
function subjectsOf(path: string, params: Readonly<Record<string, unknown>>, body: unknown, result: unknown): readonly string[] {
  const end = path.lastIndexOf("}");
  const base = path.slice("/api/".length, end === -1 ? undefined : end + 1);
  if (end !== -1) return [base.replace(/\{(\w+)\}/g, (_, name: string) => String(params[name]))];
  const ids = idsIn(body);
  const made = ids.length === 0 ? idOf(result) : undefined;
  if (made !== undefined) return [`${base}/${made}`];
  if (ids.length === 0) return [base];
  // The ids stand below the first word of the path: /api/events/bulk changes events
  return ids.slice(0, mostSubjects).map((id) => `${base.split("/")[0]}/${id}`);
}

function idsIn(body: unknown): readonly (string | number)[] {
  if (typeof body !== "object" || body === null) return [];
  for (const value of Object.values(body)) {
    if (!Array.isArray(value)) continue;
    const ids = value.map((item) => (typeof item === "number" ? item : idOf(item))).filter((id) => id !== undefined);
    if (ids.length > 0 && ids.length === value.length) return ids;
  }
  return [];
}

function idOf(value: unknown): string | number | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { id, camera_id } = value as { id?: unknown; camera_id?: unknown };
  const found = id ?? camera_id;
  return typeof found === "string" || typeof found === "number" ? found : undefined;
}

/** Names of what a body sets, also in its items; a switch with its value. Other values may be secret. */
function fieldsOf(body: unknown): readonly string[] {
  if (typeof body !== "object" || body === null) return [];
  const fields = Object.entries(body).flatMap(([name, value]) => {
    if (Array.isArray(value) && value.some((item) => typeof item === "object")) return value.flatMap(fieldsOf);
    return value === undefined || name === "id" ? [] : [typeof value === "boolean" ? `${name}=${value}` : name];
  });
  return [...new Set(fields)].slice(0, mostSubjects);
}
