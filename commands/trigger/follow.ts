import { setTimeout as sleep } from "node:timers/promises";
import type { ReplyOf } from "../../src/contract/routes/index.ts";
import { leftOutText } from "../../src/monitoring/upstream/left-out.ts";
import type { Io } from "../io.ts";
import { exactly, type Paint } from "../output/terminal-format.ts";
import { fieldsOf, type View } from "../output/view.ts";

type Image = ReplyOf<"getImage">;

const pauseMs = 250;

/** Waits for the final image record of a file; undefined if it does not come in time. Notes once if the picture is deferred. */
export async function follow(io: Io, camera: string, path: string, waitSeconds: number): Promise<Image | undefined> {
  const { clock, signal } = io.host;
  const deadline = clock.monotonic() + waitSeconds * 1000;
  const name = path.slice(path.lastIndexOf("/") + 1);
  let id: number | undefined;
  let isNoted = false;
  while (clock.monotonic() < deadline && !signal.aborted) {
    const image = id === undefined ? await find(io, camera, name) : await io.call("getImage", { params: { image_id: id } });
    id = image?.id;
    if (image && image.status !== "pending" && image.status !== "deferred") return image;
    if (image?.status === "deferred" && !isNoted) {
      io.output.note(`deferred: ${image.detail ?? image.reason ?? "the detector does not answer"}`);
      isNoted = true;
    }
    await sleep(pauseMs);
  }
  return undefined;
}

/** Compares names, since the folder can be a link; the name is unique. */
async function find(io: Io, camera: string, name: string): Promise<Image | undefined> {
  const { items } = await io.call("listImages", { query: { camera_id: [camera], limit: 100 } });
  return items.find((image) => image.path.endsWith(`/${name}`));
}

const paints: Partial<Record<Image["status"], Paint>> = { processed: "green", skipped: "yellow", failed: "red" };

export const imageView: View<Image> = {
  plural: "pictures",
  fields: fieldsOf("getImage"),
  id: ({ id }) => id,
  columns: [],
  details: (image, terminal) => [
    ["picture", { text: String(image.id), paint: "bold" }],
    ["camera", { text: image.camera_id }],
    ["file", { text: image.path }],
    ["status", { text: image.detail === null ? image.status : `${image.status}: ${image.detail}`, paint: paints[image.status] }],
    ["detections", { text: String(image.detection_count) }],
    ...(image.left_out.length === 0 ? [] : [["left out", { text: leftOutText(image.left_out), paint: "yellow" }] as const]),
    ["processed", { text: exactly(terminal, image.finished_at) }],
    ["detector", { text: image.detector === null ? "-" : `${image.detector}, ${Math.round(image.inference_ms ?? 0)} ms` }],
  ],
};
