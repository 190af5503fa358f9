import { type FSWatcher, watch } from "node:fs";
import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { localTimeZone } from "../../src/base/clock/time-zone.ts";
import { within } from "../../src/base/lifecycle/lifecycle.ts";
import { capturedAt } from "../../src/monitoring/camera-times/captured-at.ts";
import { automatic } from "../../src/monitoring/camera-times/file-name-time.ts";
import { dayFolderWarning, isDayName } from "../../src/monitoring/cameras/day-folders.ts";
import { folderProblem } from "../../src/monitoring/cameras/folder.ts";
import { linkedFolderReason } from "../../src/monitoring/cameras/passed-over.ts";
import { unknownVersions } from "../../src/monitoring/images/images-repository.ts";
import { retriedReasons } from "../../src/monitoring/images/reasons.ts";
import { isGone, isInside, NoAnswer } from "../../src/platform/disk/files.ts";
import { statWithTimeout } from "../../src/platform/disk/fs-timeout.ts";
import type { PassedOver } from "../../src/work/operations/runtime.ts";
import { type PlannedTree, planFolders, type WatchedCamera, type WatchPlan } from "./camera-folders.ts";
import { Candidates } from "./candidates.ts";
import type { FileWatcherOptions } from "./file-watcher.ts";
import { FolderFaults } from "./folder-faults.ts";
import { FolderTree } from "./folder-tree.ts";
import { passedOverInRoot } from "./passed-over-names.ts";
import { Registrar } from "./registrar.ts";
import { RescanSchedule } from "./schedule.ts";
import { SerialQueue } from "./serial-queue.ts";
import { byTaker, camerasOf, isOf, keyOf, othersOf, takerOf } from "./takers.ts";
import type { Timings } from "./timings.ts";
import type { ListedFile } from "./watched-folder.ts";

/** Listings wait while more files than this wait to be registered. */
const mostRegistering = 2_000;
const lostPauseMs = 250;
/** Losses of a folder within this time after the last one count as one fault. */
const lossesCountMs = 60_000;
/** A tree whose disk hangs gets this long to stop. */
const treeStopMs = 2_000;
/** Outcomes that another inspection may change while ffmpeg is missing: each one of a video reads it whole. */
const retriedWithoutFfmpeg = retriedReasons.filter((reason) => reason !== "no_ffmpeg");

/** Dependencies of a run. */
export interface WatchRunOptions extends FileWatcherOptions {
  readonly timings: Timings;
  /** Videos are skipped: this daemon should process them and has no ffmpeg. */
  readonly refuseVideos: boolean;
  /** Logs a warning, once per key. */
  readonly warnOnce: (key: string, fields: object, message: string) => void;
  /** Called while files make progress, or none waits. */
  readonly onBeat: () => void;
}

interface WatchedTree {
  readonly plan: PlannedTree;
  readonly key: string;
  readonly tree: FolderTree;
}

/** One run of the file watcher, from its start to its stop: finds out which folders to watch, and takes files from there to the ledger. */
export class WatchRun {
  readonly #options: WatchRunOptions;
  readonly #candidates: Candidates;
  readonly #registrar: Registrar;
  readonly #schedule: RescanSchedule;
  readonly #planning: SerialQueue;
  /** Folders whose camera is being registered, or was registered a moment ago. */
  readonly #registering = new Set<string>();
  #planned: readonly PlannedTree[] = [];
  #trees: readonly WatchedTree[] = [];
  #cameras: ReadonlyMap<string, WatchedCamera> = new Map();
  #roots: readonly string[] = [];
  #rootWatch: FSWatcher | undefined;
  #silent: readonly string[] = [];
  #problems: ReadonlyMap<string, string> = new Map();
  readonly #loggedFaults = new Set<string>();
  readonly #faults: FolderFaults;
  /** Files and links in the camera root that the last plan passes over. */
  #inRoot: Pick<WatchPlan, "strayFiles" | "links"> = { strayFiles: [], links: [] };
  /** Folders with pictures that got no camera, with the reasons. */
  readonly #unregistered = new Map<string, string>();
  /** How often in a row the tree of a folder was lost soon after its start, and when last. */
  readonly #losses = new Map<string, { readonly count: number; readonly at: number }>();
  #planRequested = false;
  #stopped = false;
  #progress = 0;

  constructor(options: WatchRunOptions) {
    const [{ db, clock, log, timings, fresh, refuseVideos }, ownTimeZone] = [options, localTimeZone()];
    this.#options = options;
    this.#planning = new SerialQueue(log, "cameras");
    this.#faults = new FolderFaults(log, this.#loggedFaults);
    this.#registrar = new Registrar({
      context: { db, clock, log },
      onRegistered: options.onRegistered,
      sharersOf: (cameraId) => othersOf(this.#planned, cameraId),
      onStored: (cameraId, files) => {
        // the next listing inspects refused files again: a file that could not be read may be readable by then
        const settled = files.filter(({ foundBy, refusal }) => foundBy === "watch" && refusal === null);
        for (const { plan, tree } of this.#trees) if (isOf(plan, cameraId)) for (const { path } of settled) tree.markRegistered(path);
      },
      onOverflow: () => this.#schedule.compareSoon(),
    });
    this.#candidates = new Candidates({
      ...{ clock, log, timings },
      roots: () => this.#roots,
      refuseVideos: () => refuseVideos,
      capturedAt: (cameraId, file) => {
        const camera = this.#cameras.get(cameraId);
        return capturedAt(file, { timeZone: camera?.time_zone ?? ownTimeZone, template: camera?.time_template ?? automatic });
      },
      onFound: (cameraId, file, content) => {
        if (content && file.live && file.mediaType?.startsWith("image/")) fresh?.keep(file.path, file, content);
        this.#registrar.push(cameraId, file);
      },
      onFolder: ({ path }) => {
        for (const { tree } of this.#treesWith(path)) tree.addFolder(path);
      },
      onNotMedia: ({ path }, version) => {
        for (const { tree } of this.#treesWith(path)) tree.markNotMedia(path, version);
      },
      onUnassigned: ({ path }) => {
        for (const { plan } of this.#treesWith(path)) if (plan.cameraId === undefined) this.#registerCamera(plan.path);
      },
    });
    this.#schedule = new RescanSchedule({
      ...{ clock, log, timings },
      trees: () => this.#trees.map(({ tree }) => tree),
      onRescan: () => {
        // a changed inode leaves the watch of the root dead, and replacing the watch costs nothing
        this.#unwatchRoot();
        this.requestPlan();
      },
      onTick: () => this.#onTick(),
    });
  }

  /** Starts the watches. Rejects, with all of them stopped, when the cameras cannot be read. */
  async start(): Promise<void> {
    try {
      await this.#plan();
    } catch (error) {
      await this.stop();
      throw error;
    }
    this.#schedule.start();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    const scheduleStopped = this.#schedule.stop();
    this.#unwatchRoot();
    const candidatesStopped = this.#candidates.stop();
    await this.#planning.stop();
    await Promise.all(this.#trees.map(({ tree }) => tree.stop()));
    await scheduleStopped;
    await candidatesStopped;
    await this.#registrar.stop();
  }

  /** Reads the camera table again, soon. */
  requestPlan(): void {
    if (this.#planRequested) return;
    this.#planRequested = true;
    this.#planning.push(() => this.#plan());
  }

  /** Roots and folders that do not answer. */
  get silent(): readonly string[] {
    return this.#silent;
  }

  /** Whether any watched folder has no watch. */
  get isPolling(): boolean {
    return this.#trees.some(({ tree }) => tree.isPolling);
  }

  /** Number of files without an outcome in the ledger. */
  get pending(): number {
    return this.#candidates.size + this.#registrar.size;
  }

  stuck(): ReturnType<Candidates["stuck"]> {
    return this.#candidates.stuck();
  }

  /** Folders and files that are not read, by camera and kind. */
  passedOver(): readonly PassedOver[] {
    const isRead = (target: string): boolean => this.#trees.some(({ plan }) => plan.cameraId !== undefined && isInside(plan.real, target));
    const below = this.#trees.flatMap(({ plan, tree }) =>
      tree.passedOver(plan.sharers.length > 0 ? null : (plan.cameraId ?? null), isRead),
    );
    const inRoot = passedOverInRoot(this.#inRoot, this.#unregistered, isRead).entries(null);
    return [...this.#faults.passedOver(null), ...inRoot, ...below];
  }

  /** Number of folders without a watch because they are empty. */
  get idleFolders(): number {
    return this.#trees.reduce((sum, { tree }) => sum + tree.idleFolders, 0);
  }

  #treesWith(path: string): readonly WatchedTree[] {
    return this.#trees.filter(({ plan }) => path.startsWith(`${plan.path}/`));
  }

  #onTick(): void {
    const { size, progress } = this.#candidates;
    if (size === 0 || progress !== this.#progress) this.#options.onBeat();
    this.#progress = progress;
  }

  /** Reads the camera table and adapts the watches to it. */
  async #plan(): Promise<void> {
    const { cameraRoot, extraRoots, ownFolders = [] } = this.#options;
    this.#planRequested = false;
    const cameras = await this.#options.cameras();
    this.#cameras = new Map(cameras.map((camera) => [camera.camera_id, camera]));
    const wanted = await planFolders(cameras, { cameraRoot, extraRoots, ownFolders });
    if (this.#stopped) return;
    const { silentRoots } = wanted;
    this.#silent = [...silentRoots, ...wanted.silentFolders];
    // while a root does not answer, the folders that may be read stay the same
    this.#roots = silentRoots.length === 0 ? wanted.roots : [...new Set([...this.#roots, ...wanted.roots])];
    // setting a watch on a root that hangs would block the main thread
    if (!silentRoots.includes(cameraRoot)) this.#watchRoot();
    [this.#inRoot, this.#planned] = [wanted, wanted.trees];
    this.#warnOf(wanted);
    await this.#reportProblems(await this.#replaceTrees(wanted), cameras);
  }

  #warnOf({ strayFiles, links, silentFolders }: WatchPlan): void {
    for (const path of strayFiles) {
      const message = "a file in the camera root itself belongs to no camera; move it into a folder named after its camera";
      this.#options.warnOnce("stray", { path }, message);
    }
    for (const { path, target } of links) this.#options.warnOnce(`link ${path}`, { link: path }, linkedFolderReason(path, target));
    for (const folder of silentFolders) {
      const message = "a folder in the camera root does not answer; reconnect its disk or share, and homesec continues automatically";
      this.#options.warnOnce(`silent ${folder}`, { folder }, message);
    }
  }

  /** Stops trees that are no longer wanted and starts new ones. Returns the problems of cameras, those of the new trees included. */
  async #replaceTrees(wanted: WatchPlan): Promise<ReadonlyMap<string, string>> {
    const keys = new Map(wanted.trees.map((tree) => [keyOf(tree), tree]));
    const gone = this.#trees.filter(({ key }) => !keys.has(key));
    await Promise.all(gone.map(({ tree }) => this.#stopTree(tree)));
    for (const { plan } of gone) for (const cameraId of camerasOf(plan)) this.#candidates.drop(cameraId);
    // a tree that was lost in the meantime is no longer in the list, and is started again below
    this.#trees = this.#trees.filter(({ key }) => keys.has(key));
    const problems = new Map(wanted.problems);
    const isNew = (key: string): boolean => !this.#trees.some((old) => old.key === key);
    // a transaction that began before the folder was shared does not know of the other cameras
    if (wanted.trees.some((tree) => tree.sharers.length > 0 && isNew(keyOf(tree)))) await this.#registrar.settled();
    const faulty = new Map(wanted.faults.map(({ path, error }) => [path, error]));
    for (const [key, planned] of keys) {
      if (!isNew(key)) continue;
      const tree = await this.#startTree(planned);
      if (tree instanceof FolderTree) this.#trees = [...this.#trees, { plan: planned, key, tree }];
      else if (planned.cameraId !== undefined) for (const id of camerasOf(planned)) problems.set(id, folderProblem(planned.path, tree));
      else if (!isGone(tree)) faulty.set(planned.path, tree);
    }
    for (const folder of this.#faults.folders) if (!faulty.has(folder)) this.#faults.clear(folder);
    for (const [folder, error] of faulty) this.#faults.note(folder, error);
    for (const folder of this.#unregistered.keys())
      if (!wanted.trees.some(({ path, cameraId }) => path === folder && cameraId === undefined)) this.#unregistered.delete(folder);
    return problems;
  }

  /** Resolves to the error if the folder cannot be read. */
  async #startTree(planned: PlannedTree): Promise<FolderTree | NodeJS.ErrnoException> {
    const { path, cameraId } = planned;
    const { polling = false, clock, log } = this.#options;
    const foreign = new Set(planned.foreign);
    const tree: FolderTree = new FolderTree({
      ...{ path, polling, clock, log, loggedFaults: this.#loggedFaults },
      isForeign: (below) => planned.filesOnly || foreign.has(below),
      isUnassigned: planned.sharers.length > 0 ? (file) => takerOf(planned, file) === undefined : undefined,
      listener: {
        onEvent: (file, raw, byContent) => {
          const taker = takerOf(planned, file);
          if (cameraId === undefined && !byContent) this.#registerCamera(path);
          else if (cameraId === undefined || taker?.deleted === false)
            this.#candidates.add({ cameraId: taker?.cameraId, path: file, raw, foundBy: "watch", byContent });
        },
        onListed: async (files) => {
          if (files.length === 0) return;
          if (cameraId !== undefined) {
            for (const [taker, own] of byTaker(planned, files)) await this.#addUnknown(taker, planned, own);
          } else if (files.some(({ byContent }) => !byContent)) this.#registerCamera(path);
          else await this.#addAll(undefined, path, files);
        },
        onLost: (error) => this.#onLost(tree, error),
      },
    });
    try {
      await statWithTimeout(path, () => tree.start());
      return tree;
    } catch (error) {
      await this.#stopTree(tree);
      return error as NodeJS.ErrnoException;
    }
  }

  async #stopTree(tree: FolderTree): Promise<void> {
    await within(treeStopMs, () => tree.stop()).catch((error: unknown) => {
      this.#options.log.warn({ folder: tree.path, error: String(error) }, "a folder hangs; homesec does not wait for it");
    });
  }

  #onLost(tree: FolderTree, error: NodeJS.ErrnoException): void {
    const { clock, log, timings } = this.#options;
    const what = error instanceof NoAnswer ? "does not answer" : isGone(error) ? "is gone" : "cannot be read";
    const now = clock.monotonic();
    const last = this.#losses.get(tree.path);
    const count = last && now - last.at < lossesCountMs ? last.count + 1 : 0;
    this.#losses.set(tree.path, { count, at: now });
    log[count === 0 ? "warn" : "debug"]({ folder: tree.path, error: error.message }, `a camera's folder ${what}`);
    this.#trees = this.#trees.filter((watched) => watched.tree !== tree);
    // several trees that hang stop together, not one after the other
    const stopping = this.#stopTree(tree);
    this.#planning.push(() => stopping);
    // a folder that can be entered but is lost each time must not cause a busy loop
    setTimeout(() => this.requestPlan(), Math.min(lostPauseMs * 2 ** count, timings.rescanMs)).unref();
  }

  /** Inspects the listed files that the ledger does not know. */
  async #addUnknown(cameraId: string, { path: folder, sharers }: PlannedTree, files: readonly ListedFile[]): Promise<void> {
    while (this.#registrar.size > mostRegistering && !this.#stopped) await sleep(20);
    const retried = this.#options.refuseVideos ? retriedWithoutFfmpeg : retriedReasons;
    const unknown = await this.#options.db.query((sql) =>
      unknownVersions(sql, [cameraId, ...sharers.map(({ camera_id }) => camera_id)], files, retried),
    );
    await this.#addAll(
      cameraId,
      folder,
      unknown.flatMap((index) => files[index] ?? []),
    );
  }

  async #addAll(cameraId: string | undefined, folder: string, files: readonly ListedFile[]): Promise<void> {
    for (const file of files) {
      const { path, raw, byContent = false } = file;
      if (!this.#stopped) this.#candidates.add({ cameraId, path, raw, foundBy: "scan", byContent, listed: file });
    }
    await this.#candidates.waitForRoom(dirname(files[0]?.path ?? folder));
  }

  /** Registers a camera for a folder of the camera root that holds pictures and has none. */
  #registerCamera(path: string): void {
    if (this.#registering.has(path)) return;
    this.#registering.add(path);
    this.#planning.push(async () => {
      try {
        await this.#options.ensureCamera(basename(path));
        this.#options.log.info({ folder: path }, "registered a camera for a new folder with pictures");
        if (isDayName(basename(path))) this.#options.warnOnce("dated", { folder: path }, dayFolderWarning);
        this.#unregistered.delete(path);
        await this.#plan();
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        const message = "a folder with pictures has no camera, and registering one failed";
        this.#options.warnOnce(`register ${path}: ${reason}`, { folder: path, reason }, message);
        this.#unregistered.set(path, reason);
      }
      setTimeout(() => {
        this.#registering.delete(path);
        if (this.#trees.some(({ plan }) => plan.path === path && plan.cameraId === undefined)) this.#registerCamera(path);
      }, this.#options.timings.rescanMs).unref();
    });
  }

  async #reportProblems(problems: ReadonlyMap<string, string>, cameras: readonly WatchedCamera[]): Promise<void> {
    for (const [cameraId, reason] of problems) {
      if (this.#problems.get(cameraId) !== reason) await this.#options.onCameraProblem(cameraId, reason);
    }
    for (const camera of cameras) {
      if (camera.deleted || problems.has(camera.camera_id)) continue;
      if (this.#problems.has(camera.camera_id) || camera.status === "error") await this.#options.onCameraOk(camera.camera_id);
    }
    this.#problems = problems;
  }

  /** Watches the camera root for new folders; without a watch the rescan finds them. */
  #watchRoot(): void {
    const { cameraRoot, polling, warnOnce } = this.#options;
    if (this.#rootWatch || polling) return;
    try {
      const watcher = watch(cameraRoot, (type, name) => {
        // a change of an unreadable folder may be one of its permissions
        if (type === "rename" || (name !== null && this.#faults.has(join(cameraRoot, name)))) this.requestPlan();
      });
      watcher.on("error", () => this.#unwatchRoot());
      this.#rootWatch = watcher;
    } catch (error) {
      warnOnce("root", { folder: cameraRoot, error: String(error) }, "the camera root cannot be watched; homesec sees new folders later");
    }
  }

  #unwatchRoot(): void {
    this.#rootWatch?.close();
    this.#rootWatch = undefined;
  }
}
