import type { ReplyOf } from "../../src/contract/routes/index.ts";
import type { Io } from "../io.ts";
import { harmless } from "../output/terminal-format.ts";

/** Interval between two looks, of two requests each: the daemon allows 60 a minute, and other commands need some of them. */
const everyMs = 4_000;

type Picture = ReplyOf<"listImages">["items"][number];

/** The login of a camera whose first picture is awaited. */
interface Awaited {
  readonly camera_id: string;
  readonly created_at: Date;
}

/**
 * Waits until the camera's first picture since the login was created is processed, and reports faults of its deliveries meanwhile. Resolves
 * to whether one arrived in time; Ctrl-C ends the wait.
 */
export async function awaitFirstPicture(io: Io, { camera_id, created_at }: Awaited, seconds: number): Promise<boolean> {
  const { host, output } = io;
  const say = (line: string): void => void host.stderr.write(`${harmless(line)}\n`);
  say(`Waiting for the first picture of ${camera_id}; Ctrl-C stops waiting, and the login stays.`);
  const deadline = Date.now() + seconds * 1_000;
  const reported = new Set<string>();
  let isConnected = false;
  while (Date.now() < deadline && !host.signal.aborted) {
    const { logins, recent_faults } = await io.call("listReceivers", { query: { camera_id } });
    const hasLoggedIn = logins.some(({ last_connected_at }) => last_connected_at !== null && last_connected_at >= created_at);
    if (hasLoggedIn && !isConnected) say("The camera logged in.");
    isConnected ||= hasLoggedIn;
    for (const { client, message } of recent_faults.filter(({ occurred_at }) => occurred_at >= created_at).toReversed()) {
      const line = `${client}: ${message}`;
      if (!reported.has(line)) say(line);
      reported.add(line);
    }
    const picture = await firstPicture(io, { camera_id, created_at });
    if (picture) {
      output.note(resultText(camera_id, picture));
      return picture.status === "processed";
    }
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
  if (!host.signal.aborted) output.note(`No picture arrived within ${seconds} s; docs/cameras.md lists the usual reasons`);
  return false;
}

/** Returns the camera's newest picture since the login was created once its processing has ended. */
async function firstPicture(io: Io, { camera_id, created_at }: Awaited): Promise<Picture | undefined> {
  const { items } = await io.call("listImages", { query: { camera_id: [camera_id], limit: 5 } });
  return items.find(({ found_at, status }) => found_at >= created_at && ["processed", "skipped", "failed"].includes(status));
}

function resultText(cameraId: string, picture: Picture): string {
  if (picture.status !== "processed") return `${cameraId} sent a file that homesec could not read: ${picture.detail ?? picture.reason}`;
  const size = picture.width === null ? "a picture" : `${picture.width} x ${picture.height}`;
  const found = picture.detection_count === 1 ? "1 detection" : `${picture.detection_count} detections`;
  const time = picture.inference_ms === null ? "" : `, ${(picture.inference_ms / 1_000).toFixed(1)} s`;
  return `${cameraId} works: ${size}, ${found}${time}`;
}
