import { basename } from "node:path";
import { silencesBetween } from "../../alerting/silences/silences-repository.ts";
import { dayMs } from "../../base/clock/clock.ts";
import { pluralize } from "../../base/text/format.ts";
import { notFound } from "../../contract/problem.ts";
import type { Camera } from "../../monitoring/cameras/camera.ts";
import { findCamera, statusReason } from "../../monitoring/cameras/cameras-repository.ts";
import { silenceLimit } from "../../monitoring/cameras/silence-limit.ts";
import type { Event } from "../../monitoring/events/event.ts";
import { type Image, imagesBetween, nearestImage } from "../../monitoring/images/ledger-repository.ts";
import type { Sql } from "../../platform/database/database.ts";
import { chainOfEvent } from "./event.ts";
import { eventStep } from "./event-steps.ts";
import { eventsBetween } from "./events-repository.ts";
import { modeSteps } from "./mode-steps.ts";
import { outcomeOfEvent } from "./outcome.ts";
import { type PictureFacts, pictureSteps } from "./picture-steps.ts";
import { picturesOf } from "./pictures.ts";
import { silenceStep } from "./rule-steps.ts";
import { between, duration, type Explanation, instant, type Step, sentence } from "./step.ts";

/** The range of times that both PostgreSQL and JavaScript can represent. */
const [earliest, latest] = [Date.parse("0001-01-01T00:00:00Z"), Date.parse("9999-12-31T23:59:59.999Z")];

const max = { pictures: 50, events: 20, chains: 5, silences: 20 } as const;

/** The question: what did this camera show around that time? */
export interface Moment {
  readonly cameraId: string;
  readonly at: Date;
  readonly withinMs: number;
  readonly now: Date;
  /** CAMERA_OFFLINE_AFTER_SECONDS if it is set. */
  readonly offlineAfterSeconds: number | undefined;
  readonly retentionDays: number;
}

/** Explains what a camera showed around a time, or why it showed nothing. Throws `Problem("not_found")` for an unknown camera. */
export async function explainMoment(sql: Sql, moment: Moment): Promise<Explanation> {
  const { cameraId, at, withinMs, now } = moment;
  const camera = await findCamera(sql, cameraId);
  if (!camera) throw notFound("Camera", cameraId, "`homesec cameras list` shows all cameras");
  const from = new Date(Math.max(at.getTime() - withinMs, earliest));
  const to = new Date(Math.min(at.getTime() + withinMs, latest));
  const [images, events, reason, silences, modes] = await Promise.all([
    imagesBetween(sql, cameraId, from, to, max.pictures),
    eventsBetween(sql, cameraId, from, to, max.events),
    statusReason(sql, cameraId),
    silencesBetween(sql, { cameraId, from, to, limit: max.silences }, now),
    modeSteps(sql, from, to),
  ]);
  const found = images.length + events.length > 0;
  const pictures = await picturesOf(
    sql,
    images.map(({ id }) => id),
  );
  const noPicture = images.length === 0 ? await whyNoPicture(sql, camera, moment) : [];
  const steps = [
    cameraStep(camera, reason),
    ...modes,
    ...silences.map(silenceStep),
    ...noPicture,
    ...pictures.map((picture) => pictureLine(picture, now)),
    ...(images.length === max.pictures ? [onlyTheFirst] : []),
    ...(await eventLines(sql, events, now)),
  ];
  const span = `within ${duration(withinMs)} of ${instant(at)}`;
  const silenced = silences.length === 0 ? "" : ` Alerts of this camera were silenced: ${silences.map(({ id }) => id).join(", ")}.`;
  const outcome = found
    ? `Camera ${cameraId}, ${span}: ${pluralize(images.length, "picture")}, ${pluralize(events.length, "event")}.${silenced}`
    : `Camera ${cameraId} shows nothing ${span}. ${noPicture.map(({ text }) => text).join(" ")}`;
  return { subject: { type: "camera", id: cameraId }, found, trace: null, outcome, steps };
}

const onlyTheFirst: Step = {
  at: null,
  step: "more_pictures",
  status: "note",
  text: `Only the first ${max.pictures} pictures are shown.`,
  details: {},
};

function cameraStep(camera: Camera, reason: string | null): Step {
  const why = reason === null ? "" : ` (${reason})`;
  const seen = camera.last_seen_at ? `its newest picture is from ${instant(camera.last_seen_at)}` : "it has sent no picture yet";
  const text = camera.deleted_at
    ? `Camera ${camera.camera_id} was deleted ${instant(camera.deleted_at)}; homesec no longer reads its folder.`
    : `Camera ${camera.camera_id} is ${camera.status} now${why}; ${seen}.`;
  const { camera_id, status, last_seen_at, created_at, deleted_at } = camera;
  const isHealthy = !camera.deleted_at && camera.status !== "error";
  return {
    at: null,
    step: "camera",
    status: isHealthy ? "note" : "failed",
    text,
    details: { camera_id, status, reason, last_seen_at, created_at, deleted_at },
  };
}

/** Explains why there is no picture, as far as the database shows it. */
async function whyNoPicture(sql: Sql, camera: Camera, moment: Moment): Promise<readonly Step[]> {
  const { at, now, retentionDays, offlineAfterSeconds } = moment;
  const [before, after] = await Promise.all([
    nearestImage(sql, camera.camera_id, "before", at),
    nearestImage(sql, camera.camera_id, "after", at),
  ]);
  const reasons: string[] = [];
  if (at > now) reasons.push("That time is in the future.");
  if (at < camera.created_at) reasons.push(`The camera was added ${instant(camera.created_at)}.`);
  if (at.getTime() < now.getTime() - retentionDays * dayMs) reasons.push(`homesec deletes data older than ${retentionDays} days.`);
  reasons.push(silence(before, after, moment));
  const end = after?.taken_at ?? now;
  if (before) {
    const { limitMs } = await silenceLimit(sql, camera.camera_id, { until: before.taken_at, offlineAfterSeconds });
    const isSilent = end.getTime() - before.taken_at.getTime() > limitMs;
    const limit = `it counts as offline after ${duration(limitMs)}`;
    if (isSilent) reasons.push(`The camera was silent for ${between(before.taken_at, end)}; ${limit}.`);
  }
  const details = { before: before && nearest(before), after: after && nearest(after) };
  return [{ at: null, step: "file_seen", status: "stopped", text: reasons.join(" "), details }];
}

function nearest({ id, taken_at, path }: Image): Record<string, unknown> {
  return { image_id: id, taken_at, path };
}

function silence(before: Image | undefined, after: Image | undefined, { at }: Moment): string {
  if (!before && !after) return "homesec has no picture of this camera at all.";
  const earlier = before ? `${instant(before.taken_at)}, ${between(before.taken_at, at)} earlier (image ${before.id})` : "none";
  const later = after ? `${instant(after.taken_at)}, ${between(at, after.taken_at)} later (image ${after.id})` : "none";
  return `Nearest picture before: ${earlier}; after: ${later}.`;
}

/** Describes a picture in one step. */
function pictureLine(picture: PictureFacts, now: Date): Step {
  const steps = pictureSteps(picture, now);
  const last = steps.findLast(({ step }) => step !== "parked");
  const { image } = picture;
  const events = [...new Set(picture.detections.flatMap(({ event_id }) => event_id ?? []))];
  const parked = steps.flatMap(({ step, text }) => (step === "parked" ? [` ${text}`] : [])).join("");
  const part = events.length === 0 ? "" : ` Part of event ${events.join(", ")}.`;
  return {
    at: image.taken_at,
    step: "detection",
    status: last?.status ?? "note",
    text: `Image ${image.id}, ${basename(image.path)}: ${sentence(last?.text ?? image.status)}${parked}${part}`,
    details: last?.details ?? {},
  };
}

/** Describes each event in one step; only the first ones say what they led to. */
async function eventLines(sql: Sql, events: readonly Event[], now: Date): Promise<readonly Step[]> {
  return await Promise.all(
    events.map(async (event, index) => {
      const step = eventStep(event, true);
      // the outcome does not depend on the breaker
      const chain = index < max.chains ? await chainOfEvent(sql, event.id, { now, breaker: undefined }) : undefined;
      return { ...step, at: event.started_at, text: chain ? `${step.text} ${outcomeOfEvent(chain)}` : step.text };
    }),
  );
}
