import { z } from "zod";
import { latestPast } from "../../base/clock/clock.ts";
import type { JournalEntry } from "../../contract/live.ts";
import { notFound, Problem } from "../../contract/problem.ts";
import type { cameraRoutes } from "../../contract/routes/cameras.ts";
import type { Sql } from "../../platform/database/database.ts";
import { readPage, timeKey } from "../../platform/database/keyset.ts";
import { makeFolder } from "../../platform/database/make-folder.ts";
import { NoAnswer } from "../../platform/disk/files.ts";
import { statWithTimeout } from "../../platform/disk/fs-timeout.ts";
import { noteWake } from "../../work/jobs/wakes-repository.ts";
import { appendToJournal } from "../../work/journal/journal.ts";
import type { OperationContext, Operations } from "../../work/operations/operation.ts";
import { automatic, whyNoTemplate } from "../camera-times/file-name-time.ts";
import { type Camera, type CameraIdentity, type CameraStatus, conflictProblem, noSuchCamera, sharedField, slugOf } from "./camera.ts";
import {
  allCameras,
  countCameras,
  countDeletedCameras,
  deleteCamera,
  findCamera,
  findConflict,
  insertCamera,
  listCameras,
  listDeletedCameras,
  liveCameras,
  lockCamera,
  lockIdentities,
  notifyCameras,
  requireCamera,
  restoreCamera,
  updateCamera,
} from "./cameras-repository.ts";
import { samePattern, whyNoFilePattern } from "./file-pattern.ts";
import { absoluteFolder, inspectFolder, invalidFolder, withSameFolder } from "./folder.ts";
import { mayHidePictures, passedOverText } from "./passed-over.ts";
import { whyReserved } from "./reserved-folder.ts";
import { rootsOf } from "./roots.ts";
import { withPreviews } from "./snapshots-repository.ts";
import { cameraChanged } from "./status.ts";
import { noteErrorOver } from "./status-repository.ts";

/** The use cases of cameras. */
export const cameraOperations: Omit<Pick<Operations, keyof typeof cameraRoutes>, "getCameraSnapshot"> = {
  listCameras: async ({ query }, { db, clock, caller }) => {
    const filter = { status: query.status, cameraIds: caller?.access?.cameraIds };
    const { items, ...page } = await readPage(db, query, {
      name: "cameras",
      key: z.tuple([z.string()]).readonly(),
      rows: (sql, slice) => listCameras(sql, filter, slice),
      count: (sql) => countCameras(sql, filter),
    });
    const cameras = await db.query((sql) => withPreviews(sql, items, latestPast(clock.now())));
    return { cameras, count: cameras.length, ...page };
  },

  listDeletedCameras: async ({ query }, { db }) =>
    await readPage(db, query, {
      name: "cameras/deleted",
      key: timeKey(z.string()),
      rows: listDeletedCameras,
      count: countDeletedCameras,
    }),

  createCamera: async ({ body }, context) => {
    const { config, db } = context;
    const cameraId = body.camera_id ?? slugOf(body.name);
    const folderPath = absoluteFolder(body.folder_path ?? cameraId, config.cameraRoot);
    const identity = {
      camera_id: cameraId,
      name: body.name,
      folder_path: folderPath,
      file_pattern: filePattern(body.file_pattern ?? null),
    };
    const times = timesOf({ time_zone: null, time_template: automatic }, body);
    await refuseReserved(config, folderPath);
    await refuseConflict(context, identity);
    const cannotCreate = body.folder_path === undefined ? await createFolder(folderPath) : undefined;
    const { issues } = await inspectFolder(rootsOf(config), folderPath);
    const reason = cannotCreate ?? (issues.join("; ") || null);
    const now = context.clock.now();
    return await db.transaction(async (sql) => {
      await lockIdentities(sql);
      refuse(identity, await findConflict(sql, identity));
      const created = await insertCamera(sql, { ...identity, ...times, status: reason ? "error" : "unknown", reason }, now);
      await announce(sql, cameraChanged(created, null, reason), now);
      return created;
    });
  },

  getCamera: async ({ params }, { db, clock }) =>
    await db.query(async (sql) => {
      const camera = await requireCamera(sql, params.camera_id);
      const [pictured = camera] = await withPreviews(sql, [camera], latestPast(clock.now()));
      return pictured;
    }),

  updateCamera: async ({ params, body }, context) => {
    let camera: Camera | undefined;
    while (!camera) camera = await tryUpdate(context, params.camera_id, body);
    return camera;
  },

  deleteCamera: async ({ params }, context) => {
    const cameraId = params.camera_id;
    const now = context.clock.now();
    await context.db.transaction(async (sql) => {
      const current = await lockCamera(sql, cameraId);
      if (!current) throw notFound("Camera", cameraId);
      if (current.deleted_at) throw new Problem("conflict", `Camera ${cameraId} is deleted already`);
      const deleted = await deleteCamera(sql, cameraId, now);
      await announce(sql, cameraChanged(deleted, current.status, current.status_reason), now);
    });
    return undefined;
  },

  restoreCamera: async ({ params }, context) => {
    const cameraId = params.camera_id;
    const deleted = await context.db.query((sql) => findCamera(sql, cameraId));
    if (!deleted) throw notFound("Camera", cameraId);
    // The folder of a deleted camera cannot change meanwhile.
    const { issues } = await inspectFolder(rootsOf(context.config), deleted.folder_path);
    const now = context.clock.now();
    return await context.db.transaction(async (sql) => {
      const current = await lockCamera(sql, cameraId);
      if (!current?.deleted_at) throw new Problem("conflict", `Camera ${cameraId} is not deleted`);
      const reason = issues.join("; ") || null;
      const restored = await restoreCamera(sql, cameraId, reason, now);
      await announce(sql, cameraChanged(restored, current.status, reason), now);
      return restored;
    });
  },

  validateCameraPaths: async (_request, { db, config, runtime }) => {
    const cameras = await db.query(liveCameras);
    const passedOver = runtime?.watcher().passedOver ?? [];
    const paths = await Promise.all(
      cameras.map(async ({ camera_id, name, folder_path }) => {
        const { resolvedPath, issues } = await inspectFolder(rootsOf(config), folder_path);
        const below = passedOver.filter((entry) => entry.camera_id === camera_id && mayHidePictures(entry)).map(passedOverText);
        const reserved = await whyReserved(config, folder_path);
        const more = reserved === undefined ? below : [`The folder ${reserved}`, ...below];
        return { camera_id, name, folder_path, resolved_path: resolvedPath, issues: [...issues, ...more] };
      }),
    );
    const valid = paths.filter((path) => path.issues.length === 0);
    const invalid = paths.filter((path) => path.issues.length > 0);
    return {
      base_path: config.cameraRoot,
      total_cameras: paths.length,
      valid_count: valid.length,
      invalid_count: invalid.length,
      valid_cameras: valid,
      invalid_cameras: invalid,
    };
  },
};

/** Refuses a folder that would take the pictures of other cameras, or homesec's own files. */
async function refuseReserved(config: OperationContext["config"], folderPath: string): Promise<void> {
  const reserved = await whyReserved(config, folderPath);
  if (reserved !== undefined) throw invalidFolder(`The folder ${reserved}`);
}

/** Refuses an identity that another camera has, also if its folder is the same one under another path. */
async function refuseConflict({ db }: OperationContext, identity: CameraIdentity, exceptId?: string): Promise<void> {
  const others = await db.query(async (sql) => {
    refuse(identity, await findConflict(sql, identity, exceptId), exceptId);
    const others = (await allCameras(sql)).filter((camera) => camera.camera_id !== exceptId);
    return others.filter((camera) => samePattern(camera.file_pattern, identity.file_pattern));
  });
  const same = await withSameFolder(others, identity.folder_path);
  if (same) throw conflictProblem("folder_path", same, exceptId);
}

function refuse(identity: CameraIdentity, other: Camera | undefined, requester?: string): void {
  if (other) throw conflictProblem(sharedField(identity, other), other, requester);
}

/** Creates the folder of a new camera. Returns the reason if that fails. */
async function createFolder(path: string): Promise<string | undefined> {
  try {
    await statWithTimeout(path, () => makeFolder(path));
    return undefined;
  } catch (error) {
    if (error instanceof NoAnswer) return `The folder could not be created: ${error.message}`;
    return `The folder could not be created (${(error as NodeJS.ErrnoException).code}); let the user that runs homesec write to CAMERA_ROOT`;
  }
}

interface GivenTimes {
  readonly time_zone?: string | null | undefined;
  readonly time_template?: string | undefined;
}

/** The fields of a request to change a camera. */
interface GivenChange extends GivenTimes {
  readonly name?: string | undefined;
  readonly folder_path?: string | undefined;
  readonly file_pattern?: string | null | undefined;
  readonly status?: CameraStatus | undefined;
}

/** Returns a valid pattern as it is. Throws `Problem("invalid")` at `[body, file_pattern]`. */
function filePattern(pattern: string | null): string | null {
  const reason = pattern === null ? undefined : whyNoFilePattern(pattern);
  if (reason !== undefined) throw invalidField("file_pattern", reason);
  return pattern;
}

function invalidField(field: string, reason: string): Problem {
  const msg = `${reason.slice(0, 1).toUpperCase()}${reason.slice(1)}`;
  return new Problem("invalid", `${field}: ${msg}`, { items: [{ loc: ["body", field], msg, type: "value_error" }] });
}

/** Returns how the times of a camera are read after a change. Throws `Problem("invalid")` at `[body, time_template]`. */
function timesOf(before: Pick<Camera, "time_zone" | "time_template">, given: GivenTimes): Pick<Camera, "time_zone" | "time_template"> {
  const { time_zone = before.time_zone, time_template = before.time_template } = given;
  const reason = given.time_template === undefined ? undefined : whyNoTemplate(time_template);
  if (reason === undefined) return { time_zone, time_template };
  throw invalidField("time_template", reason);
}

/** Applies the given changes to a camera. Returns undefined, with nothing changed, if its folder changed while it was checked. */
async function tryUpdate(context: OperationContext, cameraId: string, given: GivenChange): Promise<Camera | undefined> {
  const { config, db } = context;
  const before = await db.query((sql) => requireCamera(sql, cameraId));
  const folderPath = given.folder_path === undefined ? before.folder_path : absoluteFolder(given.folder_path, config.cameraRoot);
  const pattern = filePattern(given.file_pattern === undefined ? before.file_pattern : given.file_pattern);
  if (folderPath !== before.folder_path) await refuseReserved(config, folderPath);
  if (folderPath !== before.folder_path || pattern !== before.file_pattern) {
    const wanted = { camera_id: cameraId, name: given.name ?? before.name, folder_path: folderPath, file_pattern: pattern };
    await refuseConflict(context, wanted, cameraId);
  }
  const looksAtFolder = given.folder_path !== undefined || given.status !== undefined;
  const folder = looksAtFolder ? await inspectFolder(rootsOf(config), folderPath) : undefined;
  const now = context.clock.now();
  return await db.transaction(async (sql) => {
    await lockIdentities(sql);
    const current = await lockCamera(sql, cameraId);
    if (!current || current.deleted_at) throw noSuchCamera(cameraId, current);
    // Another request may have changed other fields meanwhile; only the given fields are written.
    if (folder && given.folder_path === undefined && current.folder_path !== folderPath) return undefined;
    const identity = {
      camera_id: cameraId,
      name: given.name ?? current.name,
      folder_path: given.folder_path === undefined ? current.folder_path : folderPath,
      file_pattern: given.file_pattern === undefined ? current.file_pattern : pattern,
    };
    refuse(identity, await findConflict(sql, identity, cameraId), cameraId);
    const times = timesOf(current, given);
    const { status, reason } = await standingAfter(sql, current, folder?.issues, given.status, now);
    noteWake(sql, "watcher");
    // A change without effect is neither a sign of life nor worth a message.
    if (
      given.status === undefined &&
      isSame(current, { ...identity, ...times }) &&
      status === current.status &&
      reason === current.status_reason
    ) {
      const { status_reason: _, ...same } = current;
      return same;
    }
    const changed = await updateCamera(sql, cameraId, { ...identity, ...times, status, reason }, now);
    await announce(sql, cameraChanged(changed, current.status, reason), now);
    return changed;
  });
}

function isSame(current: Camera, changed: Pick<Camera, "name" | "folder_path" | "file_pattern" | "time_zone" | "time_template">): boolean {
  const { name, folder_path, file_pattern, time_zone, time_template } = changed;
  return (
    current.name === name &&
    current.folder_path === folder_path &&
    current.file_pattern === file_pattern &&
    current.time_zone === time_zone &&
    current.time_template === time_template
  );
}

/**
 * Returns the status of a camera after a change. It is `error` while its folder has an issue, whatever was requested; without a check it
 * stays.
 */
async function standingAfter(
  sql: Sql,
  current: Camera & { readonly status_reason: string | null },
  issues: readonly string[] | undefined,
  asked: CameraStatus | undefined,
  now: Date,
): Promise<{ readonly status: CameraStatus; readonly reason: string | null }> {
  if (issues && issues.length > 0) return { status: "error", reason: issues.join("; ") };
  const over = issues && (await noteErrorOver(sql, current.camera_id, now));
  const standing = over ? { status: over.camera.status, reason: over.reason } : { status: current.status, reason: current.status_reason };
  return asked === undefined || asked === standing.status ? standing : { status: asked, reason: null };
}

/** Announces a change of the list of cameras: to clients through the journal, and to the file watcher and the receivers, whose folders changed. */
async function announce(sql: Sql, change: JournalEntry, now: Date): Promise<void> {
  noteWake(sql, "watcher");
  await notifyCameras(sql);
  await appendToJournal(sql, [change], now);
}
