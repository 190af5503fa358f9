import type { Box } from "./detector-boxes.ts";
import type { EventFacts } from "./facts.ts";
import { type Picture, pictureForm } from "./multipart.ts";

/*
 * Small requests that every working service accepts. If a service refuses a picture or an event and then its reference request too, the
 * refusal says nothing about the picture or the event.
 */

/** Name of the file and the camera in reference requests. No camera has it, and nothing about it is stored. */
export const referenceName = "homesec-reference";

/** Everything of the reference picture before its 300 blocks of 6 bits: all of them are zero, which is grey. */
const head = Buffer.from(
  "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQH/" +
    "wAARCAB4AKADAREAAhEAAxEA/8QAFAABAAAAAAAAAAAAAAAAAAAAAP/EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAMAwEAAgADAAA/AA==",
  "base64",
);

/** A grey JPEG of 160 x 120 pixels. */
export const referencePicture: Picture = {
  bytes: Buffer.concat([head, Buffer.alloc((300 * 6) / 8), Buffer.from([0xff, 0xd9])]),
  fileName: `${referenceName}.jpg`,
  mediaType: "image/jpeg",
};

/** A box inside of the reference picture. */
export const referencePlace: Box = { x: 20, y: 20, width: 60, height: 80 };

/** Returns the form with the reference picture and a part of it. */
export function referencePart(): Buffer {
  return pictureForm(referencePicture, { bbox: JSON.stringify(referencePlace) });
}

/** An invented event: one person for a moment at noon. */
export const referenceFacts: EventFacts = {
  camera: { id: referenceName, name: referenceName },
  startedAt: "2026-01-31T12:00:00Z",
  endedAt: "2026-01-31T12:00:05Z",
  local: { hour: 12, minute: 0, weekday: "saturday", timeZone: "UTC" },
  dwellSeconds: 5,
  frames: 1,
  objects: [{ type: "person", detections: 1, maxConfidence: 0.9, meanConfidence: 0.9, maxSimultaneous: 1, largestShareOfPicture: 0.1 }],
  anomaly: null,
  readings: [],
};
