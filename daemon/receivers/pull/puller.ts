import type { Clock } from "../../../src/base/clock/clock.ts";
import type { Log } from "../../../src/base/log/log.ts";
import { endIncidents, openIncident } from "../../../src/monitoring/incidents/incidents.ts";
import { credentialsOf } from "../../../src/monitoring/pulls/address.ts";
import { type ActivePull, activePulls, storeReport } from "../../../src/monitoring/pulls/pulls-repository.ts";
import type { Database } from "../../../src/platform/database/database.ts";
import type { Sealer } from "../../../src/platform/secrets/sealer.ts";
import { createLoop, type Loop } from "../../workers/loop.ts";
import { CameraPull, type KeepPicture } from "./camera-pull.ts";

/** Interval of looking for changed settings and for cameras that are gone, and of storing the counts. */
const [lookEveryMs, storeEveryMs] = [1_000, 5_000];

interface Running {
  readonly camera: CameraPull;
  /** Undefined until the first report: an earlier run may have left an incident open. */
  wasGone: boolean | undefined;
  storedAt: number;
}

/**
 * Creates the worker that fetches the pictures of cameras with an address to pull from. It follows the settings in the database, and opens
 * and ends the incidents of addresses that give no pictures.
 */
export function createPuller(options: {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly sealer: Sealer;
  readonly keep: KeepPicture;
}): Loop {
  const { db, clock, log, sealer, keep } = options;
  const running = new Map<string, Running>();
  /** Cameras whose password cannot be opened, with the time of their settings: each is logged once. */
  const closed = new Map<string, number>();

  const isSame = (one: ActivePull, other: ActivePull): boolean =>
    one.updatedAt.getTime() === other.updatedAt.getTime() && one.folderPath === other.folderPath;

  const settle = async (): Promise<void> => {
    const wanted = new Map((await db.query(activePulls)).map((pull) => [pull.cameraId, pull]));
    const ended = [...running].filter(([cameraId, { camera }]) => {
      const pull = wanted.get(cameraId);
      return !pull || !isSame(pull, camera.pull);
    });
    for (const [cameraId] of ended) running.delete(cameraId);
    await Promise.all(ended.map(([, { camera }]) => camera.stop()));
    for (const pull of wanted.values()) if (!running.has(pull.cameraId)) start(pull);
  };

  const start = (pull: ActivePull): void => {
    const { cameraId } = pull;
    try {
      const credentials = credentialsOf(pull, sealer);
      const camera = new CameraPull(pull, { ...{ credentials, clock, log, keep }, onChange: () => loop.wake() });
      running.set(cameraId, { camera, wasGone: undefined, storedAt: clock.monotonic() });
    } catch (error) {
      if (closed.get(cameraId) === pull.updatedAt.getTime()) return;
      closed.set(cameraId, pull.updatedAt.getTime());
      const why = error instanceof Error ? error.message : String(error);
      log.error({ camera: cameraId, why }, "homesec fetches no pictures from a camera, because it cannot open the password");
    }
  };

  const report = async (entry: Running): Promise<void> => {
    const { camera } = entry;
    const isGone = camera.isGone();
    if (!camera.hasNews() && isGone === (entry.wasGone ?? false) && clock.monotonic() - entry.storedAt < storeEveryMs) return;
    const found = await camera.report();
    entry.storedAt = clock.monotonic();
    const now = clock.now();
    await db.transaction(async (sql) => {
      if (!(await storeReport(sql, found))) return;
      const { cameraId, fault, failingSince } = found;
      if (isGone && entry.wasGone !== true)
        await openIncident(sql, { cameraId, cause: "unreachable", reason: fault ?? "No picture comes", beganAt: failingSince ?? now }, now);
      if (!isGone && entry.wasGone !== false && found.lastPictureAt !== null) await endIncidents(sql, cameraId, ["unreachable"], now);
    });
    if (isGone !== entry.wasGone && (isGone || entry.wasGone))
      log[isGone ? "warn" : "info"](
        { camera: found.cameraId, why: found.fault },
        isGone ? "a camera gives no pictures" : "a camera gives pictures again",
      );
    if (isGone || found.lastPictureAt !== null) entry.wasGone = isGone;
  };

  const loop = createLoop({
    name: "camera_puller",
    critical: false,
    log,
    round: async () => {
      await settle();
      for (const entry of running.values()) await report(entry);
      return lookEveryMs;
    },
    message: () => (running.size === 0 ? null : messageOf([...running.values()])),
  });
  return {
    ...loop,
    stop: async () => {
      await loop.stop();
      const last = [...running.values()];
      running.clear();
      await Promise.all(last.map(({ camera }) => camera.stop()));
    },
  };
}

function messageOf(running: readonly Running[]): string | null {
  const gone = running.filter(({ camera }) => camera.isGone());
  return gone.length === 0 ? null : `no pictures from ${gone.map(({ camera }) => camera.pull.cameraId).join(", ")}`;
}
