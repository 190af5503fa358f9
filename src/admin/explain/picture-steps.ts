import { basename } from "node:path";
import { pluralize } from "../../base/text/format.ts";
import type { Image } from "../../monitoring/images/ledger-repository.ts";
import { imageReasons } from "../../monitoring/images/reasons.ts";
import type { DeliveryNote } from "../../monitoring/receivers/notes-repository.ts";
import { leftOutText } from "../../monitoring/upstream/left-out.ts";
import type { WaitingJob } from "./jobs-repository.ts";
import type { BatchFacts, DetectionFacts } from "./pictures-repository.ts";
import { between, duration, instant, type Step, sentence } from "./step.ts";

/** All facts about one picture. */
export interface PictureFacts {
  readonly image: Image;
  readonly job: WaitingJob | undefined;
  /** Its detections that still exist, or the most confident ones of many. */
  readonly detections: readonly DetectionFacts[];
  /** The first picture with the same content. */
  readonly original: Image | undefined;
  /** The words of the camera that came with it, such as the subject of a mail. */
  readonly note: DeliveryNote | undefined;
}

/** Steps of a picture, from the file to its detections. */
export function pictureSteps(facts: PictureFacts, now: Date): Step[] {
  const { image, original, note } = facts;
  const steps = [seen(image), ...complete(image)];
  if (note) {
    // The words may come from anyone with the camera's login, so they stand in quotation marks
    const text = `With the picture, the camera said: ${JSON.stringify(note.note)}.`;
    steps.push({ at: note.noted_at, step: "delivery_note", status: "note", text, details: { image_id: image.id, note: note.note } });
  }
  if (original) {
    steps.push({
      at: original.found_at,
      step: "same_content",
      status: image.reason === "reupload" || image.reason === "moved" ? "stopped" : "note",
      text: `It has the same content as image ${original.id}, ${original.path}.`,
      details: { same_content_as: original.id, path: original.path },
    });
  }
  steps.push(detected(facts, now));
  return [...steps, ...parkedSteps(facts)];
}

function seen(image: Image): Step {
  const { found_by, found_at, taken_at, captured_at, size_bytes, width, height } = image;
  const measures = width === null || height === null ? "" : `, ${width} x ${height}`;
  const what = `${basename(image.path)} (${size_bytes} bytes${image.media_type === null ? "" : `, ${image.media_type}`}${measures})`;
  const text =
    found_by === "watch"
      ? `${what} arrived at camera ${image.camera_id}, and the watcher saw it immediately.`
      : `${what} was found by a scan of the folder of camera ${image.camera_id}, using ${instant(taken_at)} as its time.`;
  const { path, camera_id } = image;
  const details = {
    image_id: image.id,
    camera_id,
    path,
    size_bytes,
    modified_at: image.modified_at,
    found_by,
    taken_at,
    captured_at,
    found_at,
  };
  return { at: found_by === "watch" ? taken_at : found_at, step: "file_seen", status: "done", text: `${text}${claimed(image)}`, details };
}

/** The camera's own time, as a sentence after another one; events do not go by it. */
function claimed({ captured_at, taken_at, found_by }: Image): string {
  if (captured_at === null) return "";
  const ms = captured_at.getTime() - taken_at.getTime();
  const reference = found_by === "watch" ? "its arrival" : "the time of its file";
  const distance = Math.abs(ms) < 1_000 ? `the same as ${reference}` : `${duration(ms)} ${ms < 0 ? "before" : "after"} ${reference}`;
  return ` The camera's clock says ${instant(captured_at)}, ${distance}.`;
}

/** Reasons of files that never became complete, or could not be read. */
const neverComplete = new Set(["empty", "incomplete", "not_an_image", "unsupported", "unreadable", "outside_root"]);

function complete(image: Image): Step[] {
  if (image.started_at === null && image.reason !== null && neverComplete.has(image.reason)) return [];
  const after = image.found_by === "watch" ? `, ${between(image.taken_at, image.found_at)} after its arrival` : "";
  return [
    {
      at: image.found_at,
      step: "file_complete",
      status: "done",
      text: `It was complete and recorded as image ${image.id}${after}.`,
      details: { image_id: image.id, sha256: image.sha256 },
    },
  ];
}

function detected({ image, job, detections }: PictureFacts, now: Date): Step {
  const common = { image_id: image.id, outcome: image.status, reason: image.reason };
  switch (image.status) {
    case "processed": {
      const took = image.started_at && image.finished_at ? `, ${between(image.started_at, image.finished_at)} in total` : "";
      const inference = image.inference_ms === null ? "" : ` (${duration(image.inference_ms)} of inference${took})`;
      const kept =
        image.detection_count === 0
          ? foundNothing(image)
          : `found ${pluralize(image.detection_count, "detection")}${classesOf(detections)}`;
      const gone = image.detection_count - (detections[0]?.on_image ?? 0);
      const notes = [
        gone > 0 ? `${gone} of them were deleted.` : "",
        hiddenText(detections),
        leftOutText(image.left_out),
        image.detail ?? "",
      ];
      return {
        at: image.finished_at,
        step: "detection",
        status: image.detection_count === 0 ? "stopped" : "done",
        text: [`The detector ${image.detector ?? "(unnamed)"} processed it${inference} and ${kept}.`, ...notes]
          .filter((note) => note !== "")
          .join(" "),
        details: {
          ...common,
          detector: image.detector,
          inference_ms: image.inference_ms,
          started_at: image.started_at,
          finished_at: image.finished_at,
          detection_count: image.detection_count,
          left_out: image.left_out,
          detections: detections.map(({ id, object_type, confidence }) => ({ id, object_type, confidence })),
        },
      };
    }
    case "skipped":
    case "failed":
      return {
        at: image.finished_at ?? image.found_at,
        step: "detection",
        status: image.status === "failed" ? "failed" : "stopped",
        text: `${image.status === "failed" ? "Processing failed" : "homesec skipped it"} (${image.reason ?? "no reason stored"}): ${sentence(image.detail ?? meaningOf(image.reason))}`,
        details: { ...common, detail: image.detail },
      };
    case "pending":
    case "deferred":
      return {
        at: job?.created_at ?? image.found_at,
        step: "detection",
        status: "waiting",
        text: waiting(image, job, now),
        details: { ...common, detail: image.detail, job: job && jobDetails(job) },
      };
  }
}

/** A step for each parked object, which says why it is no event. */
function parkedSteps({ image, detections }: PictureFacts): readonly Step[] {
  return detections.flatMap(({ id, object_type, event_id, parked }) =>
    parked === null
      ? []
      : [
          {
            at: image.finished_at,
            step: "parked",
            status: "stopped" as const,
            text: parkedText(object_type, parked, event_id),
            details: { detection_id: id, object_type, ...parked },
          },
        ],
  );
}

/** `Car at 0.20, 0.60 is parked there since ..., seen in 38 of 40 pictures: no event.` Its last picture belongs to the event of its departure. */
function parkedText(
  objectType: string,
  { since, seen, pictures, x, y }: NonNullable<DetectionFacts["parked"]>,
  eventId: number | null,
): string {
  const place = x === null || y === null ? "" : ` at ${x.toFixed(2)}, ${y.toFixed(2)}`;
  const result = eventId === null ? "no event" : `event ${eventId} says that it left`;
  return sentence(
    `${objectType}${place} is parked there since ${instant(new Date(since))}, seen in ${seen} of ${pictures} pictures: ${result}`,
  );
}

/** Says which detections masks hide, as a sentence; empty if none. */
export function hiddenText(detections: readonly DetectionFacts[]): string {
  const hidden = detections.filter(({ mask_id }) => mask_id !== null);
  if (hidden.length === 0) return "";
  const masks = [...new Set(hidden.map(({ mask_id }) => mask_id))];
  const what = hidden.map(({ object_type, id }) => `${object_type} (detection ${id})`).join(", ");
  return `${masks.length === 1 ? `Mask ${masks[0]} hides` : `Masks ${masks.join(", ")} hide`} ${what}, so it opens no event; \`homesec cameras masks list\` shows masks.`;
}

/** Says why a processed picture has no detections, as a part of a sentence about the detector. */
export function foundNothing({ left_out }: Image): string {
  const reasons = new Set(left_out.map(({ reason }) => reason));
  const isWeak = reasons.delete("below_threshold");
  if (reasons.delete("second_opinion")) return "found nothing that the second detector saw too";
  if (reasons.size === 0) return "found nothing that reached the confidence threshold; homesec stores nothing below it";
  if (isWeak) return "found nothing that homesec can use and that reached the confidence threshold";
  return reasons.size === 1 && reasons.has("other_class")
    ? "found nothing of a class that homesec counts"
    : "sent nothing that homesec can use";
}

function meaningOf(reason: string | null): string {
  return reason !== null && Object.hasOwn(imageReasons, reason)
    ? imageReasons[reason as keyof typeof imageReasons]
    : "No details were stored";
}

function waiting(image: Image, job: WaitingJob | undefined, now: Date): string {
  const why =
    image.status === "deferred"
      ? `Its detection is deferred (${image.reason ?? "unknown"}): ${sentence(image.detail ?? "The detector does not answer")}`
      : "It waits for the detector.";
  if (!job) return `${why} Its job is changing state; run this again in a moment.`;
  if (job.status === "running") return "The detector is processing it now.";
  const next = job.available_at > now ? ` The next attempt is in ${between(now, job.available_at)}` : " It is next in the queue";
  return `${why}${next}${job.deferrals > 0 ? `; it was deferred ${pluralize(job.deferrals, "time")} so far` : ""}.`;
}

/** The details of a job, as steps show them. */
export function jobDetails(job: WaitingJob): Record<string, unknown> {
  const { subject, created_at, ...details } = job;
  return details;
}

/** `: person 91 %, dog 55 %` of the most confident ones. */
function classesOf(detections: readonly DetectionFacts[]): string {
  const best = detections.toSorted((a, b) => b.confidence - a.confidence).slice(0, 5);
  return best.length === 0
    ? ""
    : `: ${best.map(({ object_type, confidence }) => `${object_type} ${Math.round(confidence * 100)} %`).join(", ")}`;
}

const closings = { window: "its window ended", idle: "no more detections came", full: "it was full" } as const;

/** The step that grouped detections into a batch. */
export function batchStep(batch: BatchFacts, now: Date): Step {
  const { event_id: eventId, ...details } = batch;
  const span = `${pluralize(batch.detection_count, "detection")} within ${between(batch.started_at, batch.last_detection_at)}`;
  if (batch.status === "open") {
    const due = batch.due_at > now ? `in ${between(now, batch.due_at)} if no more detections come` : "in a moment";
    const next = eventId === null ? "It becomes an event" : `An immediate rule made it event ${eventId} already. It closes`;
    const text = `The batch is still open, with ${span}. ${next} ${due}.`;
    return { at: batch.opened_at, step: "batch", status: "waiting", text, details };
  }
  const text = `The batch had ${span} and closed because ${closings[batch.close_reason ?? "idle"]}.`;
  return { at: batch.closed_at, step: "batch", status: "done", text, details };
}
