import { durationText } from "../../base/text/format.ts";
import { clockText } from "../../monitoring/camera-times/clock-offset.ts";
import type { Camera } from "../../monitoring/cameras/camera.ts";
import type { EvidenceDetection } from "./evidence-repository.ts";

interface ClockFacts {
  readonly camera: Camera;
  readonly detections: readonly EvidenceDetection[];
  /** Time zone of the daemon. */
  readonly timeZone: string;
  readonly now: Date;
}

/** Writes what is known about the clocks behind the times in a pack. */
export function clockStatement({ camera, detections, timeZone, now }: ClockFacts): string {
  const offset = camera.clock_offset_seconds;
  return [
    "CLOCKS",
    "",
    "Times in this pack are UTC (they end with Z); index.html also shows them in the time zone of the machine. Three clocks are involved.",
    "",
    "1. The machine that runs homesec",
    `   Its time zone is ${timeZone}. It showed ${now.toISOString()} when this pack was made.`,
    "   All times of arrival, events, alerts and messages come from this clock.",
    "   homesec does not check this clock against a time server.",
    "",
    `2. The camera ${camera.name} (${camera.camera_id})`,
    `   homesec reads its times in the time zone ${camera.time_zone ?? `${timeZone} (that of the machine)`}.`,
    offset === null
      ? "   homesec does not know how far this clock is off: too few pictures state a time, or their delays differ."
      : `   By its last pictures, ${clockText(offset)} (${offset.toFixed(1)} s ahead of arrival).`,
    "   The time that a camera writes into a picture comes from this clock.",
    "",
    "3. Files",
    "   A picture that arrived while homesec was watching has the time of its arrival.",
    "   A picture that a later scan found has the time of its file, which the camera or the upload may have set.",
    "",
    "PICTURES",
    "",
    ...picturesOf(detections).flatMap(pictureLines),
  ].join("\n");
}

function picturesOf(detections: readonly EvidenceDetection[]): readonly EvidenceDetection[] {
  return [...new Map(detections.map((detection) => [`${detection.imageId} ${detection.filePath}`, detection])).values()];
}

function pictureLines({ filePath, takenAt, foundBy, foundAt, capturedAt, detectedAt }: EvidenceDetection): string[] {
  if (takenAt === null || foundAt === null) {
    return [filePath, `  time given with the detection: ${detectedAt.toISOString()}; homesec has no entry of this file`, ""];
  }
  const own = foundBy === "watch" ? "arrived" : "time of the file";
  const ahead = capturedAt && capturedAt.getTime() - takenAt.getTime();
  const distance = ahead === null ? "" : ` (${durationText(Math.abs(ahead))} ${ahead > 0 ? "after" : "before"} it)`;
  return [
    filePath,
    `  ${own}: ${takenAt.toISOString()}`,
    `  recorded by homesec: ${foundAt.toISOString()}`,
    `  by the camera's clock: ${capturedAt ? `${capturedAt.toISOString()}${distance}` : "the picture states no time that homesec can read"}`,
    "",
  ];
}
