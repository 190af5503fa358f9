import { randomUUID } from "node:crypto";
import { z } from "zod";
import { dayMs } from "../../base/clock/clock.ts";
import { notFound, Problem } from "../../contract/problem.ts";
import type { Request } from "../../contract/route.ts";
import type { Routes } from "../../contract/routes/index.ts";
import type { keyRoutes } from "../../contract/routes/keys.ts";
import { invitationSeconds } from "../../contract/routes/keys.ts";
import { uuidOf } from "../../contract/values.ts";
import { requireCamera } from "../../monitoring/cameras/cameras-repository.ts";
import type { Sql } from "../../platform/database/database.ts";
import { readPage, timeKey } from "../../platform/database/keyset.ts";
import { countChanges, listChanges } from "../../platform/keys/changes-repository.ts";
import { generateKey, hashOf } from "../../platform/keys/keyring.ts";
import {
  countKeys,
  deleteEndedSessions,
  endKey,
  endSessionsOf,
  findKey,
  insertKey,
  isNameTaken,
  listKeys,
  lockKeys,
} from "../../platform/keys/keys-repository.ts";
import { sessionMac } from "../../platform/keys/named-keys.ts";
import type { Caller, Operations } from "../../work/operations/operation.ts";
import { sessionOperations } from "./sessions.ts";

/** Ended invitations and sessions are listed for this time. */
const keepEndedMs = 30 * dayMs;

/** The use cases of named keys. */
export const keyOperations: Pick<Operations, keyof typeof keyRoutes> = {
  listKeys: async ({ query }, { db, clock }) => {
    const { status } = query;
    const now = clock.now();
    return await readPage(db, query, {
      name: "keys",
      key: timeKey(z.uuid()),
      rows: (sql, slice) => listKeys(sql, { status, ...slice }, now),
      count: (sql) => countKeys(sql, status, now),
    });
  },

  listChanges: async ({ query }, { db }) => {
    const { subject } = query;
    return await readPage(db, query, {
      name: "changes",
      key: timeKey(z.int()),
      rows: (sql, slice) => listChanges(sql, { subject, ...slice }),
      count: (sql) => countChanges(sql, subject),
    });
  },

  createKey: async ({ body }, { db, clock, caller, namedKeys }) => {
    requireKnownCaller(caller);
    requireCamerasOfGuest(body);
    const api_key = generateKey();
    const now = clock.now();
    const key = await db.transaction(async (sql) => {
      await lockKeys(sql);
      if (await isNameTaken(sql, body.name, now)) {
        throw new Problem("conflict", `Another key has the name ${JSON.stringify(body.name)}; revoke it, or choose another name`);
      }
      const cameraIds = await existing(sql, body.camera_ids);
      const { expires_in_seconds: seconds } = body;
      const expiresAt = seconds === undefined ? null : new Date(now.getTime() + seconds * 1_000);
      const { name, role } = body;
      return await insertKey(sql, { id: randomUUID(), kind: "key", name, role, cameraIds, hash: hashOf(api_key), expiresAt }, now);
    });
    await namedKeys?.load();
    return { ...key, api_key };
  },

  ...sessionOperations,

  createInvitation: async ({ body }, { db, clock, caller, config }) => {
    requireKnownCaller(caller);
    requireCamerasOfGuest(body);
    if (!config.webEnabled)
      throw new Problem("conflict", "The web page, which accepts invitations, is off; set WEB_ENABLED=true and restart");
    const token = generateKey();
    const now = clock.now();
    const { name, role } = body;
    const invitation = await db.transaction(async (sql) => {
      await deleteEndedSessions(sql, new Date(now.getTime() - keepEndedMs));
      const cameraIds = await existing(sql, body.camera_ids);
      const expiresAt = new Date(now.getTime() + invitationSeconds * 1_000);
      return await insertKey(sql, { id: randomUUID(), kind: "invitation", name, role, cameraIds, hash: hashOf(token), expiresAt }, now);
    });
    const path = `/invite/${token}`;
    return { ...invitation, token, path, url: config.publicUrl === undefined ? null : `${config.publicUrl}${path}` };
  },

  revokeKey: async ({ params }, { db, clock, caller, namedKeys, sealer }) => {
    requireKnownCaller(caller);
    const id = uuidOf(params.id);
    if (id === undefined) throw notFound("Key", params.id);
    const now = clock.now();
    await db.transaction(async (sql) => {
      if (await endKey(sql, id, now)) return await endSessionsOf(sql, id, sessionMac(sealer), now);
      if (await findKey(sql, id, now)) throw new Problem("conflict", `Key ${id} has already ended`);
      throw notFound("Key", params.id);
    });
    await namedKeys?.load();
    return undefined;
  },
};

/**
 * While keys are off, every client in reach may use the API. A key would outlast that, so that a client of another machine needs a key to
 * create or revoke one.
 */
function requireKnownCaller(caller: Caller | undefined): void {
  if (!caller || caller.isLocal || caller.access) return;
  throw new Problem("forbidden", "Keys can be changed from the machine of homesec, or with the key of an owner; use `homesec keys` there");
}

type NewKeyBody = Pick<Request<Routes["createKey"]>["body"], "role" | "camera_ids">;

function requireCamerasOfGuest({ role, camera_ids }: NewKeyBody): void {
  if ((role === "guest") === (camera_ids !== undefined)) return;
  const msg = role === "guest" ? "A guest needs at least one camera" : `The role ${role} sees all cameras; only a guest is limited to some`;
  throw new Problem("invalid", msg, { items: [{ loc: ["body", "camera_ids"], msg, type: "value_error" }] });
}

/** Returns the ids of cameras without repetition; null for all cameras. Throws `Problem("not_found")` if one does not exist. */
async function existing(sql: Sql, cameraIds: readonly string[] | undefined): Promise<readonly string[] | null> {
  if (cameraIds === undefined) return null;
  const ids = [...new Set(cameraIds)];
  for (const id of ids) await requireCamera(sql, id);
  return ids;
}
