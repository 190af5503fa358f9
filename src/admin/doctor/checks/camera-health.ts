import { durationText } from "../../../base/clock/duration-text.ts";
import { dayMs } from "../../../base/clock/durations.ts";
import { pluralize } from "../../../base/text/pluralize.ts";
import { type ImageReason, imageReasons } from "../../../monitoring/images/reasons.ts";
import { causes } from "../../../monitoring/incidents/incident.ts";
import { openIncidents } from "../../../monitoring/incidents/incidents-repository.ts";
import type { Sql } from "../../../platform/database/database.ts";
import { type Check, finding, NotPossible, ok } from "../check.ts";
import { cameraReasons, fileTimeOffsets, lastPictures } from "../doctor-repository.ts";
import type { Examination } from "../examination.ts";
import { listed } from "../wording.ts";
import { someCameras } from "./cameras.ts";

/** Uploads take a while, and no clock of a camera is right to the second. */
const toleranceSeconds = 300;
const fewestPictures = 3;

const silence: Check = {
  id: "camera-silence",
  group: "cameras",
  title: "Cameras that send nothing",
  severity: "error",
  finds: "A camera is offline or in error, or has not sent a picture since it was added a day ago",
  remedy: "See whether it has power and network, and may upload",
  async run(examination) {
    const { cameraOfflineAfterSeconds } = examination.config();
    const now = examination.clock.now().getTime();
    const known = await someCameras(examination);
    const reasons = new Map((await (await examination.rows()).query(cameraReasons)).map(({ cameraId, reason }) => [cameraId, reason]));
    const silent = known.flatMap(({ camera_id, status, last_seen_at, created_at, updated_at }) => {
      if (status === "error") return [`${camera_id} is in error: ${reasons.get(camera_id)?.split("; ")[0] ?? "no reason is known"}`];
      if (last_seen_at === null) return now - created_at.getTime() > dayMs ? [`${camera_id} has never sent a picture`] : [];
      const quietMs = now - last_seen_at.getTime();
      // one that was restored, or whose folder can be read again, has as long as any to send something
      const heardMs = Math.min(quietMs, now - updated_at.getTime());
      return status === "offline" || heardMs > cameraOfflineAfterSeconds * 1_000
        ? [`${camera_id} has sent nothing for ${durationText(quietMs)}`]
        : [];
    });
    if (silent.length === 0) return ok(pluralize(known.length, "camera"));
    return finding(
      listed(silent),
      "See whether the camera has power and network, and whether its uploads end in its folder (homesec cameras show ID names it). A camera that is gone: homesec cameras remove ID; one with long pauses: CAMERA_OFFLINE_AFTER_SECONDS",
    );
  },
};

/** Figures of each camera from the last day, of those with enough pictures. Throws `NotPossible` when there are none. */
async function ofLastDay<T extends { readonly pictures: number }>(
  examination: Examination,
  figures: (sql: Sql, since: Date) => Promise<readonly T[]>,
): Promise<readonly T[]> {
  await someCameras(examination);
  const since = new Date(examination.clock.now().getTime() - dayMs);
  const all = await (await examination.rows()).query((sql) => figures(sql, since));
  const told = all.filter(({ pictures }) => pictures >= fewestPictures);
  if (told.length === 0) throw new NotPossible("too few pictures came within the last day");
  return told;
}

const clocks: Check = {
  id: "camera-clocks",
  group: "cameras",
  title: "Clocks of the cameras",
  severity: "warning",
  finds: "The files of a camera carry times that are more than five minutes off their arrival",
  remedy: "Let the camera follow a time server and set its time zone right",
  async run(examination) {
    const offsets = await ofLastDay(examination, fileTimeOffsets);
    const wrong = offsets.filter(({ aheadSeconds }) => Math.abs(aheadSeconds) > toleranceSeconds);
    if (wrong.length === 0) return ok(pluralize(offsets.length, "camera"));
    return finding(
      listed(
        wrong.map(
          ({ cameraId, aheadSeconds }) =>
            `the files of ${cameraId} are dated ${durationText(Math.abs(aheadSeconds) * 1_000)} ${aheadSeconds > 0 ? "after" : "before"} their arrival`,
        ),
      ),
      "Let the camera follow a time server (NTP) and set its time zone; what a scan finds after a stop is sorted by these times",
    );
  },
};

/** That a video waits for ffmpeg is found by another check; what was written over or sent again has an entry that counts. */
const lostReasons: readonly ImageReason[] = [
  ...(["empty", "incomplete", "not_an_image", "too_large", "unsupported", "unreadable", "outside_root"] as const),
  ...(["video_unreadable", "refused", "failed_repeatedly"] as const),
];

const pictures: Check = {
  id: "camera-pictures",
  group: "cameras",
  title: "Pictures that could be looked at",
  severity: "error",
  finds:
    "Of the last pictures of a camera, within a day, most could not be looked at: broken off, of another format, not to be read, refused",
  remedy: "See with homesec explain image why, and what helps",
  async run(examination) {
    const all = await ofLastDay(examination, (sql, since) => lastPictures(sql, since, lostReasons));
    const bad = all.filter(({ pictures, lost }) => lost > pictures / 2);
    if (bad.length === 0) return ok(pluralize(all.length, "camera"));
    return finding(
      listed(
        bad.map(
          ({ cameraId, pictures, lost, reason }) =>
            `Of the last ${pictures} pictures of ${cameraId} ${lost} could not be looked at, the newest: ${imageReasons[reason as ImageReason]}`,
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
  finds: "An incident of a camera lasts: black or frozen pictures, another view, a clock that jumped",
  remedy: "Look at the camera; homesec events list shows the incident",
  async run(examination) {
    const now = examination.clock.now().getTime();
    // silence and errors are told by another check
    const which = causes.filter((cause) => cause !== "silent" && cause !== "error");
    const open = await (await examination.rows()).query((sql) => openIncidents(sql, which));
    if (open.length === 0) return ok("none");
    return finding(
      listed(open.map(({ cameraId, reason, beganAt }) => `${cameraId}: ${reason}, for ${durationText(now - beganAt.getTime())}`)),
      open.every(({ cause }) => cause === "clock")
        ? clocks.remedy
        : `Look at the camera: clean its lens, turn it back, restart it. What it sees: homesec cameras snapshot ${open[0]?.cameraId}. A new view that is meant to be: homesec cameras scene-changes ack`,
    );
  },
};

export const cameraHealthChecks: readonly Check[] = [silence, clocks, pictures, incidents];
