import { networkInterfaces } from "node:os";
import { minuteMs } from "../../base/clock/clock.ts";
import type { ReceiverProtocol } from "../../contract/constants.ts";
import { notFound, Problem } from "../../contract/problem.ts";
import type { receiverRoutes } from "../../contract/routes/receivers.ts";
import type { Config } from "../../platform/config/config.ts";
import type { OperationContext, Operations } from "../../work/operations/operation.ts";
import { liveCameras, lockIdentities, requireCamera } from "../cameras/cameras-repository.ts";
import { inspectFolder } from "../cameras/folder.ts";
import { rootsOf } from "../cameras/roots.ts";
import { deleteLogin, listLogins, ownerOfUsername, recentFaults, replaceLogin, replaceMailRules } from "./logins-repository.ts";
import { generatePassword, passwordHash } from "./password.ts";

/** Maximum number of faults in a reply. */
const mostFaults = 50;

/** The use cases of receivers and of the logins of cameras. */
export const receiverOperations: Pick<Operations, keyof typeof receiverRoutes> = {
  listReceivers: async ({ query }, { db, clock, runtime }) => {
    const since = new Date(clock.now().getTime() - query.fault_minutes * minuteMs);
    return await db.query(async (sql) => ({
      receivers: [...(runtime?.receivers() ?? [])],
      logins: [...(await listLogins(sql, query.camera_id))],
      recent_faults: [...(await recentFaults(sql, { cameraId: query.camera_id, since, limit: mostFaults }))],
    }));
  },

  createCameraLogin: async ({ params, body }, { db, clock, config, runtime }) => {
    const { camera_id: cameraId, protocol } = params;
    const camera = await db.query((sql) => requireCamera(sql, cameraId));
    const { issues } = await inspectFolder(rootsOf(config), camera.folder_path);
    if (issues.length > 0) throw new Problem("conflict", `Camera ${cameraId} cannot receive files. ${issues.join("; ")}`);
    const username = body.username ?? cameraId;
    const password = generatePassword();
    const login = await db.transaction(async (sql) => {
      await lockIdentities(sql);
      await requireCamera(sql, cameraId);
      const owner = await ownerOfUsername(sql, protocol, username);
      if (owner !== undefined && owner !== cameraId) {
        throw new Problem("conflict", `Camera ${owner} already has the user name ${JSON.stringify(username)}; choose another one`);
      }
      return await replaceLogin(sql, { cameraId, protocol, username, hash: passwordHash(password) }, clock.now());
    });
    const settings = { ...addressFor(protocol, { config, runtime }), ...placeFor(protocol, username), username, password };
    const { host, port } = settings;
    const url = protocol === "http" ? `${httpScheme(config)}://${host ?? "HOST"}:${port}/ingest/${cameraId}` : null;
    return { ...login, settings: { ...settings, url } };
  },

  setMailRules: async ({ params, body }, { db }) => {
    const cameraId = params.camera_id;
    const { rules } = body;
    const asked = body.unmatched_camera_id;
    if (rules.length === 0 && asked !== undefined) {
      throw invalid(["unmatched_camera_id"], "Needs rules; without them all mails go to the camera of the login");
    }
    const unmatched = rules.length === 0 ? null : asked === undefined ? cameraId : asked;
    return await db.transaction(async (sql) => {
      await requireCamera(sql, cameraId);
      const known = new Set((await liveCameras(sql)).map(({ camera_id }) => camera_id));
      for (const [at, rule] of rules.entries()) {
        if (!known.has(rule.camera_id)) throw invalid(["rules", at, "camera_id"], `No camera has the id ${JSON.stringify(rule.camera_id)}`);
      }
      if (unmatched !== null && !known.has(unmatched)) {
        throw invalid(["unmatched_camera_id"], `No camera has the id ${JSON.stringify(unmatched)}`);
      }
      const login = await replaceMailRules(sql, cameraId, rules, unmatched);
      if (!login) throw notFound("Login for mail of camera", cameraId);
      return login;
    });
  },

  deleteCameraLogin: async ({ params }, { db }) => {
    const { camera_id: cameraId, protocol } = params;
    await db.transaction(async (sql) => {
      await requireCamera(sql, cameraId);
      if (!(await deleteLogin(sql, cameraId, protocol))) throw notFound(`Login for ${protocol} of camera`, cameraId);
    });
    return undefined;
  },
};

function invalid(field: readonly (string | number)[], msg: string): Problem {
  return new Problem("invalid", `${field.join(".")}: ${msg}`, { items: [{ loc: ["body", ...field], msg, type: "value_error" }] });
}

function httpScheme({ tlsMode }: Config): "http" | "https" {
  return tlsMode === "disabled" ? "http" : "https";
}

/** Returns the folder or mailbox that the camera's form asks for. */
function placeFor(protocol: ReceiverProtocol, username: string): { readonly folder: string | null; readonly recipient: string | null } {
  return { folder: protocol === "ftp" ? "/" : null, recipient: protocol === "mail" ? `${username}@homesec.local` : null };
}

/** Returns the address that a camera reaches, with the port that the receiver really has. */
function addressFor(
  protocol: ReceiverProtocol,
  { config, runtime }: Pick<OperationContext, "config" | "runtime">,
): { readonly host: string | null; readonly port: number } {
  const open = runtime?.receivers().find((receiver) => receiver.protocol === protocol);
  const configured = { ftp: config.ftpPort, mail: config.mailPort, http: config.port }[protocol];
  const listensOn = protocol === "http" ? config.host : config.receiverHost;
  return { host: config.receiverAddress ?? reachableAddress(listensOn), port: open?.port ?? configured };
}

/** Returns the address of a server that listens on `host`: for all addresses, the first IPv4 address of a network card. */
function reachableAddress(host: string): string | null {
  if (!["0.0.0.0", "::"].includes(host)) return host;
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  return addresses.find(({ family, internal }) => family === "IPv4" && !internal)?.address ?? null;
}
