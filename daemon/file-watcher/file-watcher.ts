import { type FSWatcher, watch } from "node:fs";
import { basename, dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "../../src/base/clock/clock.ts";
import { within } from "../../src/base/lifecycle/lifecycle.ts";
import type { Log } from "../../src/base/log/log.ts";
import type { FreshContent } from "../../src/monitoring/images/fresh-content.ts";
import { unknownVersions } from "../../src/monitoring/images/images-repository.ts";
import { retriedReasons } from "../../src/monitoring/images/reasons.ts";
import { hasFfmpeg } from "../../src/monitoring/images/video.ts";
import type { Database } from "../../src/platform/database/database.ts";
import { statWithTimeout } from "../../src/platform/disk/fs-timeout.ts";
import { NoAnswer } from "../../src/platform/disk/no-answer.ts";
import type { WatcherState } from "../../src/work/operations/runtime.ts";
import type { Worker } from "../workers/worker.ts";
import { folderProblem, type PlannedTree, planFolders, type WatchedCamera } from "./camera-folders.ts";
import { type Candidates, createCandidates } from "./candidates.ts";
import { createFolderTree, type FolderTree, type ListedFile } from "./folder-tree.ts";
import { createLane, type Lane } from "./lane.ts";
import { createRegistrar, type RegisteredHint, type Registrar } from "./registrar.ts";
import { createSchedule, type Schedule } from "./schedule.ts";
import { defaultTimings, type Timings } from "./timings.ts";

/** Finders wait while more than this is on its way into the ledger. */
const mostRegistering = 2_000;
const lostPauseMs = 250;
/** The end of a tree whose disk hangs is not waited for any longer. */
const treeStopMs = 2_000;
/** Outcomes that another look may change while ffmpeg is missing: each look at a video reads it whole. */
const retriedWithoutFfmpeg = retriedReasons.filter((reason) => reason !== "no_ffmpeg");

/** What the watcher works with. */
export interface FileWatcherOptions {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly cameraRoot: string;
  readonly extraRoots: readonly string[];
  /** All cameras, deleted ones included, but those that daemons with other roots watch. */
  readonly cameras: () => Promise<readonly WatchedCamera[]>;
  /** Registers a camera for a folder of the camera root that holds pictures and has none. Rejects with a reason that is logged. */
  readonly ensureCamera: (folderName: string) => Promise<unknown>;
  /** Where the content of live pictures is kept for who looks at them next. */
  readonly fresh?: FreshContent;
  /** Rows were written: hand over detect jobs, number the journal. */
  readonly onRegistered: (hint: RegisteredHint) => void;
  /** The folder of a camera cannot be read, with reason and remedy. */
  readonly onCameraProblem: (cameraId: string, reason: string) => Promise<void>;
  /** It can be again, or can be although its status said that it could not. */
  readonly onCameraOk: (cameraId: string) => Promise<void>;
  /** Never watch, only look again and again. */
  readonly polling?: boolean;
  readonly timings?: Partial<Timings>;
  /** The detect stage runs here too: without ffmpeg it could look at no video, so they are skipped. */
  readonly detects: boolean;
  /** How ffmpeg is called, for videos. */
  readonly ffmpeg?: string;
}

/** The worker that finds pictures. */
export interface FileWatcher extends Worker {
  state(): WatcherState;
  /** The camera table changed. */
  wake(): void;
}

interface WatchedTree {
  readonly plan: PlannedTree;
  readonly key: string;
  readonly tree: FolderTree;
}

interface Run {
  readonly candidates: Candidates;
  readonly registrar: Registrar;
  readonly planning: Lane;
  readonly schedule: Schedule;
  trees: readonly WatchedTree[];
  roots: readonly string[];
  rootWatch: FSWatcher | undefined;
  silentRoots: readonly string[];
  silentFolders: readonly string[];
  problems: ReadonlyMap<string, string>;
  /** Folders for which a camera is being registered, or was a moment ago. */
  readonly adopted: Set<string>;
  refuseVideos: boolean;
  planRequested: boolean;
  stopped: boolean;
}

/**
 * Makes the worker that sees each picture that arrives in a camera's folder and writes it into the ledger: by watches, which may lose
 * events, and by listings, which lose none (docs/decisions/0002-finding-files.md).
 */
export function createFileWatcher(options: FileWatcherOptions): FileWatcher {
  const { db, clock, log, cameraRoot } = options;
  const timings: Timings = { ...defaultTimings, ...options.timings };
  const told = new Set<string>();
  let run: Run | undefined;
  let beat = clock.monotonic();

  const tellOnce = (key: string, fields: object, message: string): void => {
    if (told.has(key)) return;
    told.add(key);
    log.warn(fields, message);
  };

  /** Reads the camera table and makes the watches fit it. */
  const plan = async (now: Run): Promise<void> => {
    now.planRequested = false;
    const cameras = await options.cameras();
    const wanted = await planFolders(cameras, cameraRoot, options.extraRoots);
    if (now.stopped) return;
    now.silentRoots = wanted.silentRoots;
    now.silentFolders = wanted.silentFolders;
    // what may be read does not change because nobody can tell where it is
    now.roots = now.silentRoots.length === 0 ? wanted.roots : [...new Set([...now.roots, ...wanted.roots])];
    // a watch would be put up in the main thread, and hang there
    if (!now.silentRoots.includes(cameraRoot)) watchRoot(now);
    for (const path of wanted.strayPictures) {
      tellOnce(
        "stray",
        { path },
        "a picture lies in the camera root itself and belongs to no camera; move it into a folder named after its camera",
      );
    }
    for (const folder of wanted.silentFolders) {
      tellOnce(
        `silent ${folder}`,
        { folder },
        "a folder in the camera root does not answer; bring its disk or share back, and it is taken up by itself",
      );
    }
    const keys = new Map(wanted.trees.map((tree) => [keyOf(tree), tree]));
    const kept = now.trees.filter(({ key }) => keys.has(key));
    const gone = now.trees.filter(({ key }) => !keys.has(key));
    await Promise.all(gone.map(({ tree }) => stopTree(tree)));
    for (const old of gone) if (old.plan.cameraId !== undefined) now.candidates.drop(old.plan.cameraId);
    now.trees = kept;
    const problems = new Map(wanted.problems);
    for (const [key, tree] of keys) {
      if (kept.some((old) => old.key === key)) continue;
      const started = await startTree(now, key, tree, problems);
      if (started) now.trees = [...now.trees, started];
    }
    await tellProblems(now, problems, cameras);
  };

  const stopTree = async (tree: FolderTree): Promise<void> => {
    await within(treeStopMs, () => tree.stop()).catch((error: unknown) => {
      log.warn({ folder: tree.path, error: String(error) }, "a folder that hangs is left to itself");
    });
  };

  const startTree = async (
    now: Run,
    key: string,
    planned: PlannedTree,
    problems: Map<string, string>,
  ): Promise<WatchedTree | undefined> => {
    const { cameraId } = planned;
    const foreign = new Set(planned.foreign);
    const tree = createFolderTree({
      path: planned.path,
      isForeign: (path) => foreign.has(path),
      polling: options.polling ?? false,
      clock,
      log,
      listener: {
        onEvent: (path, raw) => {
          if (cameraId === undefined) adopt(now, planned.path);
          else now.candidates.add({ cameraId, path, raw, foundBy: "watch" });
        },
        onListed: async (files) => {
          if (files.length === 0) return;
          if (cameraId === undefined) adopt(now, planned.path);
          else await takeListed(now, cameraId, planned.path, files);
        },
        onLost: (error) => {
          const what = error instanceof NoAnswer ? "does not answer" : "is gone";
          log.warn({ folder: planned.path, error: error.message }, `a camera's folder ${what}`);
          now.trees = now.trees.filter((watched) => watched.tree !== tree);
          // several that hang end together, not one after the other
          const stopping = stopTree(tree);
          now.planning.push(() => stopping);
          // a folder that can be found but not read must not keep us busy
          setTimeout(() => requestPlan(now), lostPauseMs).unref();
        },
      },
    });
    try {
      await statWithTimeout(planned.path, () => tree.start());
      return { plan: planned, key, tree };
    } catch (error) {
      await stopTree(tree);
      if (cameraId !== undefined) problems.set(cameraId, folderProblem(planned.path, error as NodeJS.ErrnoException));
      return undefined;
    }
  };

  /** Of listed files, those that the ledger does not know are looked at. */
  const takeListed = async (now: Run, cameraId: string, folder: string, files: readonly ListedFile[]): Promise<void> => {
    while (now.registrar.size > mostRegistering && !now.stopped) await sleep(20);
    const retried = now.refuseVideos ? retriedWithoutFfmpeg : retriedReasons;
    const unknown = await db.query((sql) => unknownVersions(sql, cameraId, files, retried));
    for (const index of unknown) {
      const file = files[index];
      if (file && !now.stopped) now.candidates.add({ cameraId, path: file.path, raw: file.raw, foundBy: "scan", listed: file });
    }
    await now.candidates.room(dirname(files[0]?.path ?? folder));
  };

  /** A folder of the camera root holds pictures and has no camera. */
  const adopt = (now: Run, path: string): void => {
    if (now.adopted.has(path)) return;
    now.adopted.add(path);
    now.planning.push(async () => {
      try {
        await options.ensureCamera(basename(path));
        log.info({ folder: path }, "a new folder with pictures: its camera was registered");
        await plan(now);
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        tellOnce(
          `adopt ${path}: ${reason}`,
          { folder: path, reason },
          "a folder with pictures has no camera, and none could be registered for it",
        );
      }
      setTimeout(() => {
        now.adopted.delete(path);
        if (now.trees.some((watched) => watched.plan.path === path && watched.plan.cameraId === undefined)) adopt(now, path);
      }, timings.rescanMs).unref();
    });
  };

  const tellProblems = async (now: Run, problems: ReadonlyMap<string, string>, cameras: readonly WatchedCamera[]): Promise<void> => {
    for (const [cameraId, reason] of problems) {
      if (now.problems.get(cameraId) !== reason) await options.onCameraProblem(cameraId, reason);
    }
    for (const camera of cameras) {
      if (camera.deleted || problems.has(camera.camera_id)) continue;
      if (now.problems.has(camera.camera_id) || camera.status === "error") await options.onCameraOk(camera.camera_id);
    }
    now.problems = problems;
  };

  const requestPlan = (now: Run): void => {
    if (now.planRequested) return;
    now.planRequested = true;
    now.planning.push(() => plan(now));
  };

  /** The camera root is watched for first-level folders; without a watch the rescan finds them. */
  const watchRoot = (now: Run): void => {
    if (now.rootWatch || options.polling) return;
    try {
      const watcher = watch(cameraRoot, (type) => {
        if (type === "rename") requestPlan(now);
      });
      watcher.on("error", () => unwatchRoot(now));
      now.rootWatch = watcher;
    } catch (error) {
      tellOnce("root", { folder: cameraRoot, error: String(error) }, "the camera root cannot be watched; new folders are seen later");
    }
  };

  const unwatchRoot = (now: Run): void => {
    now.rootWatch?.close();
    now.rootWatch = undefined;
  };

  const begin = async (): Promise<Run> => {
    const refuseVideos = options.detects && !(await hasFfmpeg(options.ffmpeg));
    const registrar = createRegistrar({
      context: { db, clock, log },
      onRegistered: options.onRegistered,
      onEntered: (cameraId, files) => {
        // what was refused is looked at again by the next listing: a file that could not be read may be readable by then
        const settled = files.filter(({ foundBy, refusal }) => foundBy === "watch" && refusal === null);
        for (const { plan: planned, tree } of now.trees) {
          if (planned.cameraId === cameraId) for (const { path } of settled) tree.noteEntered(path);
        }
      },
      onOverflow: () => now.schedule.compareSoon(),
    });
    const candidates = createCandidates({
      ...{ clock, log, timings },
      roots: () => now.roots,
      refuseVideos: () => now.refuseVideos,
      onFound: (cameraId, file, content) => {
        if (content && file.live && file.mediaType?.startsWith("image/")) options.fresh?.keep(file.path, file, content);
        registrar.push(cameraId, file);
      },
      onFolder: ({ path }) => {
        for (const { plan: planned, tree } of now.trees) if (path.startsWith(`${planned.path}/`)) tree.addFolder(path);
      },
    });
    const schedule = createSchedule({
      ...{ clock, log, timings },
      trees: () => now.trees.map(({ tree }) => tree),
      onRescan: () => {
        // an inode that changed leaves the watch of the root dead, and costs nothing to replace
        unwatchRoot(now);
        requestPlan(now);
      },
      onTick: () => {
        if (candidates.size === 0 || candidates.progress !== progress) beat = clock.monotonic();
        progress = candidates.progress;
      },
    });
    let progress = 0;
    const now: Run = {
      ...{ candidates, registrar, schedule },
      planning: createLane(log, "cameras"),
      ...{ trees: [], roots: [], rootWatch: undefined, silentRoots: [], silentFolders: [], problems: new Map(), adopted: new Set() },
      ...{ refuseVideos, planRequested: false, stopped: false },
    };
    return now;
  };

  const end = async (now: Run): Promise<void> => {
    now.stopped = true;
    const scheduleStopped = now.schedule.stop();
    unwatchRoot(now);
    const candidatesStopped = now.candidates.stop();
    await now.planning.stop();
    await Promise.all(now.trees.map(({ tree }) => tree.stop()));
    await scheduleStopped;
    await candidatesStopped;
    await now.registrar.stop();
  };

  return {
    name: "file_watcher",
    critical: false,
    stuckAfterMs: 90_000,
    heartbeat: () => beat,
    message: () => {
      const silent = run ? [...run.silentRoots, ...run.silentFolders] : [];
      return silent.length === 0 ? null : `waits for ${silent.join(" and ")} to answer: its disk or share is away`;
    },
    start: async () => {
      const now = await begin();
      try {
        await plan(now);
      } catch (error) {
        await end(now);
        throw error;
      }
      now.schedule.start();
      beat = clock.monotonic();
      run = now;
    },
    stop: async () => {
      const now = run;
      run = undefined;
      if (now) await end(now);
    },
    wake: () => {
      if (run) requestPlan(run);
    },
    state: () => ({
      running: run !== undefined,
      cameraRoot,
      watchMode: options.polling || run?.trees.some(({ tree }) => tree.polledFolders > 0) ? "polling" : "notify",
      pending: run ? run.candidates.size + run.registrar.size : 0,
      stuck: run?.candidates.stuck() ?? [],
    }),
  };
}

function keyOf(tree: PlannedTree): string {
  return JSON.stringify([tree.path, tree.cameraId, tree.foreign]);
}
