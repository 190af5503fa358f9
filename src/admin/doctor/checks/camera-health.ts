import { dayMs } from "../../../base/clock/clock.ts";
import { durationText, pluralize } from "../../../base/text/format.ts";
import { clockFix, clockText, isWrongClock } from "../../../monitoring/camera-times/clock-offset.ts";
import { cameraClocks } from "../../../monitoring/cameras/clock-repository.ts";
import { type ImageReason, imageReasons } from "../../../monitoring/images/reasons.ts";
import { causes } from "../../../monitoring/incidents/incident.ts";
import { openIncidents } from "../../../monitoring/incidents/incidents-repository.ts";
import { listMasks } from "../../../monitoring/masks/masks-repository.ts";
import { allZones } from "../../../monitoring/zones/zones-repository.ts";
import type { Sql } from "../../../platform/database/database.ts";
import { type Check, finding, NotPossible, ok } from "../check.ts";
import { fileTimeOffsets, lastPictures } from "../doctor-repository.ts";
import type { Examination } from "../examination.ts";
import { listed } from "../wording.ts";

/** Uploads take a while, and the clocks of cameras are never exact. */
const toleranceSeconds = 300;
const minPictures = 3;
const syncClock = "Sync the camera with a time server (NTP), and set its time zone";

/** Runs a query over the pictures of the last day, and drops cameras with too few of them. Throws `NotPossible` when none is left. */
async function ofLastDay<T extends { readonly pictures: number }>(
  examination: Examination,
  query: (sql: Sql, since: Date) => Promise<readonly T[]>,
): Promise<readonly T[]> {
  const since = new Date(examination.clock.now().getTime() - dayMs);
  const all = await (await examination.rows()).query((sql) => query(sql, since));
  const enough = all.filter(({ pictures }) => pictures >= minPictures);
  if (enough.length === 0) throw new NotPossible("too few pictures arrived within the last day");
  return enough;
}

const clocks: Check = {
  id: "camera-clocks",
  group: "cameras",
  title: "Clocks of the cameras",
  severity: "warning",
  finds:
    "The clock of a camera, by EXIF or file names, is off by more than a minute; or its file times differ from the arrival by more than five minutes",
  async run(examination) {
    const known = await (await examination.rows()).query(cameraClocks);
    const [first, ...others] = known.filter(({ offsetSeconds }) => isWrongClock(offsetSeconds));
    if (first) {
      const texts = [first, ...others].map(({ cameraId, offsetSeconds }) => `${cameraId}: ${clockText(offsetSeconds)}`);
      return finding(listed(texts), `${clockFix(first.cameraId, first.offsetSeconds)}. Events go by arrival, not by this clock`);
    }
    const offsets = await ofLastDay(examination, fileTimeOffsets).catch((error: unknown) => {
      if (known.length > 0 && error instanceof NotPossible) return [];
      throw error;
    });
    if (offsets.length === 0) return ok(pluralize(known.length, "camera"));
    const wrong = offsets.filter(({ aheadSeconds }) => Math.abs(aheadSeconds) > toleranceSeconds);
    if (wrong.length === 0) return ok(pluralize(offsets.length, "camera"));
    const texts = wrong.map(
      ({ cameraId, aheadSeconds }) =>
        `the files of ${cameraId} are dated ${durationText(Math.abs(aheadSeconds) * 1_000)} ${aheadSeconds > 0 ? "after" : "before"} their arrival`,
    );
    return finding(listed(texts), `${syncClock}; homesec uses these times for files that it finds after a restart`);
  },
};

/** A picture with one of these reasons is lost. The check `ffmpeg` reports videos; pictures sent again are recorded elsewhere. */
const lostReasons: readonly ImageReason[] = [
  ...(["empty", "incomplete", "not_an_image", "too_large", "unsupported", "unreadable", "outside_root"] as const),
  ...(["video_unreadable", "refused", "failed_repeatedly"] as const),
];

const pictures: Check = {
  id: "camera-pictures",
  group: "cameras",
  title: "Unreadable pictures",
  severity: "error",
  finds: "Most of the last pictures of a camera, within a day, could not be processed: incomplete, in another format, damaged, or refused",
  async run(examination) {
    const all = await ofLastDay(examination, (sql, since) => lastPictures(sql, since, lostReasons));
    const bad = all.filter(({ pictures, lost }) => lost > pictures / 2);
    if (bad.length === 0) return ok(pluralize(all.length, "camera"));
    return finding(
      listed(
        bad.map(
          ({ cameraId, pictures, lost, reason }) =>
            `homesec could not process ${lost} of the last ${pictures} pictures of ${cameraId}. The newest: ${imageReasons[reason as ImageReason]}`,
        ),
      ),
      `See why, and what helps: homesec explain image ${bad[0]?.imageId}`,
    );
  },
};

const incidents: Check = {
  id: "incidents",
  group: "cameras",
  title: "Incidents of cameras",
  severity: "warning",
  finds: "A camera has an open incident: black or frozen pictures, another view, or a clock that jumped",
  async run(examination) {
    const now = examination.clock.now().getTime();
    // the check `cameras` reports silence and errors
    const reported = causes.filter((cause) => cause !== "silent" && cause !== "error");
    const open = await (await examination.rows()).query((sql) => openIncidents(sql, reported));
    if (open.length === 0) return ok("none");
    return finding(
      listed(open.map(({ cameraId, reason, beganAt }) => `${cameraId}: ${reason}, for ${durationText(now - beganAt.getTime())}`)),
      open.every(({ cause }) => cause === "clock")
        ? syncClock
        : `Clean the lens of the camera, turn it back, or restart it. Its picture: homesec cameras snapshot ${open[0]?.cameraId}. To accept a new view: homesec cameras scene-changes ack`,
    );
  },
};

const zones: Check = {
  id: "camera-zones",
  group: "cameras",
  title: "Zones of the cameras",
  severity: "warning",
  finds: "A camera was moved after its zones were drawn, or after a spot was ignored",
  async run(examination) {
    const db = await examination.rows();
    const [all, masks] = await Promise.all([db.query(allZones), db.query((sql) => listMasks(sql))]);
    const doubtful = new Set([...all, ...masks].flatMap(({ camera_id, doubtful_since }) => (doubtful_since === null ? [] : [camera_id])));
    const [first] = doubtful;
    if (first === undefined) return ok(all.length === 0 ? "none" : pluralize(all.length, "zone"));
    return finding(
      `${listed([...doubtful])} ${doubtful.size === 1 ? "was" : "were"} moved, so zones and ignored spots may lie elsewhere`,
      `Draw them again on the camera's page, or keep them: homesec cameras zones confirm ${first}`,
    );
  },
};

export const cameraHealthChecks: readonly Check[] = [clocks, pictures, incidents, zones];
