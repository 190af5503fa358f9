import { Problem } from "../../contract/problem.ts";
import type { pullRoutes } from "../../contract/routes/pulls.ts";
import type { Sql } from "../../platform/database/database.ts";
import type { Operations } from "../../work/operations/operation.ts";
import { lockCamera, requireCamera } from "../cameras/cameras-repository.ts";
import { endIncidents } from "../incidents/incidents.ts";
import { credentialsOf, parsePullAddress, shownHost } from "./address.ts";
import { type CameraPull, deletePull, findPull, findPullSettings, listPulls, type PullSettings, storePull } from "./pulls-repository.ts";
import { testPull } from "./test-pull.ts";

/** What applies if a new pull does not say otherwise. */
const defaults = { everyMs: 2_000, thresholdPercent: 0.3 };

/** The use cases of fetching pictures from cameras. */
export const pullOperations: Pick<Operations, keyof typeof pullRoutes> = {
  listPulls: async (_request, { db }) => ({ pulls: await db.query(listPulls) }),

  getCameraPull: async ({ params }, { db }) => await db.query((sql) => requirePull(sql, params.camera_id)),

  setCameraPull: async ({ params, body }, { db, sealer, clock }) => {
    const cameraId = params.camera_id;
    const address = parsePullAddress(body.url);
    if (typeof address === "string") throw invalidUrl(address);
    const now = clock.now();
    return await db.transaction(async (sql) => {
      await requireCamera(sql, cameraId);
      await lockCamera(sql, cameraId);
      const before = await findPullSettings(sql, cameraId);
      const username = (body.username === undefined ? (address.user ?? before?.username ?? null) : body.username) || null;
      const password = body.password === undefined ? address.password : (body.password ?? "");
      const pull = {
        ...{ cameraId, url: address.url, username },
        sealedPassword:
          password === undefined ? keptPassword(before, address.url, username) : password === "" ? null : sealer.seal(password),
        everyMs: body.every_seconds === undefined ? (before?.everyMs ?? defaults.everyMs) : Math.round(body.every_seconds * 1_000),
        thresholdPercent: body.threshold_percent ?? before?.thresholdPercent ?? defaults.thresholdPercent,
      };
      await storePull(sql, pull, now);
      return await requirePull(sql, cameraId);
    });
  },

  deleteCameraPull: async ({ params }, { db, clock }) => {
    const now = clock.now();
    await db.transaction(async (sql) => {
      await requirePull(sql, params.camera_id);
      await deletePull(sql, params.camera_id);
      await endIncidents(sql, params.camera_id, ["unreachable"], now);
    });
    return undefined;
  },

  testCameraPull: async ({ params }, { db, sealer }) => {
    const pull = await db.query(async (sql) => {
      await requirePull(sql, params.camera_id);
      return (await findPullSettings(sql, params.camera_id)) as PullSettings;
    });
    return await testPull({ url: pull.url, credentials: credentialsOf(pull, sealer) });
  },
};

/** Throws `Problem("not_found")` for an unknown or deleted camera, and for one without a pull. */
async function requirePull(sql: Sql, cameraId: string): Promise<CameraPull> {
  await requireCamera(sql, cameraId);
  const pull = await findPull(sql, cameraId);
  if (!pull) throw new Problem("not_found", `homesec fetches no pictures from camera ${cameraId}; set an address with --pull`);
  return pull;
}

/** A stored password goes only to the host and with the user name that it was entered for. */
function keptPassword(before: PullSettings | undefined, url: string, username: string | null): Buffer | null {
  return before && shownHost(before.url) === shownHost(url) && before.username === username ? before.sealedPassword : null;
}

function invalidUrl(msg: string): Problem {
  return new Problem("invalid", `url: ${msg}`, { items: [{ loc: ["body", "url"], msg, type: "value_error" }] });
}
