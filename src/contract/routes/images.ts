import { z } from "zod";
import { imageStatuses, leftOutReasons, objectTypes, ranges } from "../constants.ts";
import { listOf, pageQuery } from "../page.ts";
import { pictureFields } from "../preview.ts";
import { routesOf } from "../route.ts";
import { CameraIdText, EndInstant, EnumText, IdText, Instant, NumberBetween, StartInstant } from "../values.ts";

const route = routesOf("images");

const LeftOut = z
  .object({
    reason: z.enum(leftOutReasons).meta({
      description: "Why. With `bad_box`, `empty_box` and `outside` the detection was kept without its box; with the others it was left out",
    }),
    count: z.int().meta({ description: "Number of detections", example: 2 }),
    example: z.string().nullable().meta({ description: "The first one, as the detector sent it; null if the reason needs none" }),
  })
  .meta({
    id: "LeftOut",
    description: "Detections of an answer that homesec left out, or kept without their box",
    example: { reason: "unknown_class", example: '{"class":"vehicle","confidence":0.88}' },
  });

/** One file: an entry of the ledger with its outcome. */
export const Image = z
  .object({
    id: z.int().meta({ description: "Id of the entry", example: 55830 }),
    camera_id: CameraIdText,
    path: z.string().meta({ description: "Path on the daemon's disk" }),
    size_bytes: z.int().meta({ description: "Size of the file in bytes", example: 184226 }),
    modified_at: Instant.meta({ description: "Time of the file, cut to milliseconds", example: "2026-01-31T22:15:00.104Z" }),
    media_type: z.string().nullable().meta({ description: "MIME type by content; null when unknown", example: "image/jpeg" }),
    width: z.int().nullable().meta({ description: "Width in pixels; null when unknown", example: 768 }),
    height: z.int().nullable().meta({ description: "Height in pixels; null when unknown", example: 576 }),
    sha256: z.string().nullable().meta({ description: "SHA-256 of the content in hexadecimal" }),
    found_by: z.enum(["watch", "scan"]).meta({ description: "`watch`: noticed on arrival; `scan`: found by a scan of the folder" }),
    found_at: Instant.meta({
      description: "Time of its entry in the ledger: when the file was complete, or homesec stopped waiting for it",
    }),
    taken_at: Instant.meta({
      description: "Time of the picture: its arrival, or the file time when a scan found it. For a video, the time of its end",
    }),
    captured_at: Instant.nullable().meta({
      description: "Time by the camera's clock, from EXIF or the file name, however wrong that clock is; null if the file states none",
      example: "2026-01-31T22:14:59.000Z",
    }),
    status: z.enum(imageStatuses).meta({ description: "`processed`, `skipped` and `failed` are final; `pending` and `deferred` are not" }),
    reason: z.string().nullable().meta({ description: "Why it was not processed, as one word of a closed list" }),
    detail: z
      .string()
      .nullable()
      .meta({ description: "Explanation of the reason with a fix; for a video also the parts that were not analysed" }),
    same_content_as: z.int().nullable().meta({ description: "The first entry of this camera with the same content" }),
    detection_count: z.int().meta({ description: "Number of stored detections", example: 1 }),
    detector: z.string().nullable().meta({ description: "`built-in`, or the URL of the detector; null until the analysis" }),
    inference_ms: z.number().nullable().meta({ description: "Inference time of the detector, in milliseconds", example: 331.4 }),
    left_out: z.array(LeftOut).meta({ description: "Parts of the detector's answer that homesec left out, by reason" }),
    started_at: Instant.nullable().meta({ description: "Start of processing; null until then", example: "2026-01-31T22:15:00.141Z" }),
    finished_at: Instant.nullable().meta({ description: "End of processing; null until then", example: "2026-01-31T22:15:00.512Z" }),
    blur_hash: pictureFields("of the picture").blur_hash,
  })
  .meta({
    id: "Image",
    description: "An entry of the ledger: one file with its outcome",
    example: {
      path: "/var/lib/homesec/cameras/front-door/2026-01-31_22-15-00.jpg",
      sha256: "5b1f6c0e8a94d7723f0c2b6de1458a9f70c3d29e41b85f67a2d0e9138c7b46fa",
      status: "processed",
      detector: "built-in",
      blur_hash: "HPkJFYRSaHivh4egeXiEiV5zb/iY",
    },
  });

/** The time without pictures of one camera in a range. */
const CameraGaps = z.object({
  camera_id: CameraIdText,
  camera_name: z.string().meta({ description: "Display name", example: "Front door" }),
  recorded_since: Instant.nullable().meta({
    description: "Time of its oldest picture in the ledger; nothing is known about the time before. Null without any picture",
    example: "2026-01-02T07:00:00.000Z",
  }),
  picture_count: z.int().meta({ description: "Number of pictures in the range", example: 8640 }),
  usual_gap_seconds: z.number().nullable().meta({
    description: "Usual time between two pictures; null for a camera that uploads at irregular times, such as on motion",
    example: 10,
  }),
  limit_seconds: z.number().meta({
    description:
      "A time without pictures is a gap when it is longer than this: CAMERA_OFFLINE_AFTER_SECONDS, or the limit of the learned rhythm, or a day",
    example: 180,
  }),
  gaps: z
    .array(
      z.object({
        started_at: Instant.meta({
          description: "Time of the last picture before the gap, or the start of the range",
          example: "2026-01-31T02:10:00.000Z",
        }),
        ended_at: Instant.meta({
          description: "Time of the first picture after it, the end of the range, or now",
          example: "2026-01-31T02:55:00.000Z",
        }),
        ongoing: z.boolean().meta({ description: "Whether no picture has come since", example: false }),
      }),
    )
    .meta({ description: "Oldest first" }),
});

const ComparedSide = z
  .object({
    detector: z.string().meta({ description: "The detector, as it was given", example: "current" }),
    took_ms: z.int().nullable().meta({ description: "Time until its answer, in milliseconds; null without one", example: 96 }),
    problem: z.string().nullable().meta({ description: "Why it did not process the picture; null if it did", example: null }),
    objects: z
      .array(
        z.object({
          object_type: z.enum(objectTypes).meta({ description: "Class", example: "person" }),
          confidence: z.number().meta({ description: "Confidence, 0 to 1", example: 0.91 }),
          bbox: z
            .object({
              x: z.int().meta({ description: "Left edge", example: 412 }),
              y: z.int().meta({ description: "Upper edge", example: 120 }),
              width: z.int().meta({ description: "Width", example: 88 }),
              height: z.int().meta({ description: "Height", example: 240 }),
            })
            .nullable()
            .meta({ description: "Box in pixels; null without one" }),
          only: z.boolean().meta({ description: "Whether the other detector did not find it", example: false }),
        }),
      )
      .meta({ description: "Objects of at least the given confidence" }),
  })
  .meta({ id: "ComparedDetector", description: "What one of two detectors found in a picture" });

export const DetectorComparison = z
  .object({
    image_id: z.int().meta({ description: "Id of the entry", example: 55830 }),
    picture: z.string().nullable().meta({ description: "The picture as a data URL, at most 640 pixels wide; null if it cannot be drawn" }),
    width: z.int().nullable().meta({ description: "Width of the picture in pixels, to which the boxes refer", example: 768 }),
    height: z.int().nullable().meta({ description: "Height of the picture in pixels", example: 576 }),
    a: ComparedSide,
    b: ComparedSide,
  })
  .meta({ id: "DetectorComparison", description: "What two detectors found in one picture" });

const detector = z.string().min(1).max(500);

export const imageRoutes = {
  listPictureGaps: route.get("/api/images/gaps", "List the times without pictures, per camera", {
    query: z.object({
      camera_id: z.array(z.string()).optional().meta({ description: "Only these cameras; may be given several times" }),
      start_date: StartInstant.meta({ description: "Start of the range: a date (its first instant in UTC) or a timestamp" }),
      end_date: EndInstant.meta({
        description: "End of the range, inclusive: a date (its last instant in UTC) or a timestamp; at most 31 days after the start",
      }),
    }),
    reply: z.object({ cameras: z.array(CameraGaps).meta({ description: "Cameras in order of id, without deleted ones" }) }),
    refusals: { 400: "`start_date` is after `end_date`, or the range is longer than 31 days" },
  }),
  listImages: route.get("/api/images", "List the ledger: every file with its outcome, newest first", {
    query: z.object({
      camera_id: z.array(z.string()).optional().meta({ description: "Only of these cameras; may be given several times" }),
      status: z.array(EnumText(imageStatuses)).optional().meta({ description: "Only with these statuses; may be given several times" }),
      start_date: StartInstant.optional(),
      end_date: EndInstant.optional(),
      ...pageQuery,
    }),
    reply: listOf(Image),
  }),
  getImage: route.get("/api/images/{image_id}", "Get an entry of the ledger", {
    params: z.object({ image_id: IdText }),
    reply: Image,
    refusals: { 404: "No entry has this id" },
  }),
  compareDetectors: route.post("/api/images/{image_id}/compare", "Send a stored picture to two detectors and compare what they find", {
    slow: true,
    params: z.object({ image_id: IdText }),
    body: z
      .strictObject({
        a: detector.meta({ description: "The first detector: its address, as in DETECTOR_URL, or `current`", example: "current" }),
        b: detector.meta({ description: "The second detector", example: "deepstack+http://192.168.1.5:32168" }),
        confidence: NumberBetween(...ranges.confidence)
          .optional()
          .meta({ description: "Objects below it do not count (default: `detection_confidence_threshold`)", example: 0.5 }),
      })
      .meta({ id: "DetectorsToCompare", description: "Two detectors" }),
    reply: DetectorComparison,
    refusals: {
      403: "An address can be given only from this machine or with an API key",
      404: "No entry has this id, or its file is no picture or is gone",
      503: "The detector has not started, or too many comparisons run",
    },
  }),
};
