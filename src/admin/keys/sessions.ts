import { randomUUID } from "node:crypto";
import { Problem } from "../../contract/problem.ts";
import type { ReplyOf } from "../../contract/routes/index.ts";
import { invitationEnds } from "../../contract/routes/keys.ts";
import type { Sql } from "../../platform/database/database.ts";
import { generateKey, hashOf } from "../../platform/keys/keyring.ts";
import { acceptInvitation, endKey, findInvitation, type Invitation, insertKey, type NewKey } from "../../platform/keys/keys-repository.ts";
import { type Access, sessionMac, sessionMs } from "../../platform/keys/named-keys.ts";
import type { OperationContext, Operations } from "../../work/operations/operation.ts";

type Session = ReplyOf<"getSession">;

/** A browser describes itself in a few hundred characters; more says nothing. */
const longestDevice = 300;

/** The use cases of the sessions of browsers. */
export const sessionOperations: Pick<Operations, "getSession" | "startSession" | "signInWithKey" | "endSession" | "getInvitation"> = {
  getSession: async (_request, { caller, config }) => describe(caller?.access, config.apiKeyEnabled && caller !== undefined),

  startSession: async ({ body }, context) => {
    await requireInvitation(context, body.token);
    const now = context.clock.now();
    return await begin(context, async (sql) => {
      const accepted = await acceptInvitation(sql, hashOf(body.token), now);
      // Another browser was faster.
      if (!accepted) throw new Problem("gone", `${invitationEnds.used}; ask for a new one`);
      return accepted;
    });
  },

  signInWithKey: async (_request, context) => {
    const { access } = context.caller ?? {};
    if (access?.kind === "session") return describe(access, context.config.apiKeyEnabled);
    if (access?.keyHash === undefined) throw new Problem("conflict", "No key was sent, and none is required here; open the page");
    const { name, role, cameraIds = null } = access;
    const fromMac = sessionMac(context.sealer)(access.keyHash);
    return await begin(context, async () => ({ name, role, cameraIds, fromMac }));
  },

  getInvitation: async ({ params }, context) => {
    const { name, role, expiresAt } = await requireInvitation(context, params.token);
    return { name, role, expires_at: expiresAt };
  },

  endSession: async (_request, { db, clock, caller, namedKeys }) => {
    const { access } = caller ?? {};
    if (access?.kind === "session" && access.keyId !== undefined) {
      const id = access.keyId;
      await db.transaction((sql) => endKey(sql, id, clock.now()));
      await namedKeys?.load();
    }
    caller?.keepSession(undefined);
    return undefined;
  },
};

/** Finds an active invitation. Throws `Problem`: `not_found` for an unknown token, `gone` for an invitation that has ended. */
async function requireInvitation({ db, clock }: Pick<OperationContext, "db" | "clock">, token: string): Promise<Invitation> {
  const invitation = await db.query((sql) => findInvitation(sql, hashOf(token)));
  if (!invitation) {
    throw new Problem("not_found", "There is no such invitation: a part of its address may be missing; ask for a new one");
  }
  if (invitation.endedAt) throw new Problem("gone", `${invitationEnds.used}; ask for a new one`);
  if (invitation.expiresAt <= clock.now()) throw new Problem("gone", `${invitationEnds.expired}; ask for a new one`);
  return invitation;
}

type Granted = Pick<NewKey, "name" | "role" | "cameraIds" | "fromMac">;

/** Makes a session with what the caller is granted in the same transaction, and sets its cookie. */
async function begin({ db, clock, caller, config, namedKeys }: OperationContext, grant: (sql: Sql) => Promise<Granted>): Promise<Session> {
  const secret = generateKey();
  const now = clock.now();
  const device = caller?.userAgent?.replaceAll(/[^ -~]/g, "").slice(0, longestDevice) ?? null;
  const session = await db.transaction(async (sql) => {
    const granted = await grant(sql);
    const expiresAt = new Date(now.getTime() + sessionMs);
    return await insertKey(sql, { ...granted, id: randomUUID(), kind: "session", hash: hashOf(secret), expiresAt, device }, now);
  });
  await namedKeys?.load();
  caller?.keepSession(secret);
  const { name, role, camera_ids, expires_at } = session;
  return { kind: "session", name, role, camera_ids, expires_at, keys_required: config.apiKeyEnabled };
}

/** Without a key, a client is an owner while keys are off, and nothing while they are required. */
function describe(access: Access | undefined, keys_required: boolean): Session {
  if (!access) return { kind: null, name: null, role: keys_required ? null : "owner", camera_ids: null, expires_at: null, keys_required };
  const { kind, name, role, cameraIds, expiresAt } = access;
  return {
    ...{ kind: kind === "configured" ? null : kind, name, role, keys_required },
    camera_ids: cameraIds ? [...cameraIds] : null,
    expires_at: expiresAt,
  };
}
