import { Link } from "wouter";
import type { z } from "zod";
import type { Camera } from "../../src/contract/routes/cameras.ts";
import { Ago } from "../texts/format.tsx";
import { useTexts } from "../texts/texts.tsx";
import { Thumbnail } from "./thumbnail.tsx";

/** A camera as the API returns it. */
export type CameraRecord = z.output<typeof Camera>;

/**
 * The address of a camera's last picture; it changes with each picture. Null before the first one. A camera that a live message has changed
 * has no `preview_url` until the list is read again.
 */
export function snapshotOf({ camera_id, last_seen_at, preview_url }: CameraRecord, width: 320 | 1280): string | null {
  if (preview_url) return preview_url.replace("width=320", `width=${width}`);
  return last_seen_at && `/api/cameras/${encodeURIComponent(camera_id)}/snapshot?width=${width}&v=${last_seen_at.getTime()}`;
}

/** A camera with its last picture and the age of that picture. */
export function CameraTile({ camera }: { readonly camera: CameraRecord }) {
  const texts = useTexts();
  const { camera_id, name, status, last_seen_at } = camera;
  const isUnwell = status === "offline" || status === "error";
  return (
    <Link
      href={`/cameras/${encodeURIComponent(camera_id)}`}
      className={`block rounded-xl border bg-card p-2 hover:bg-raised ${isUnwell ? "border-high" : "border-line"}`}
    >
      <Thumbnail of={camera} src={snapshotOf(camera, 320)} alt="" />
      <span className="mt-2 block truncate font-medium">{name}</span>
      <span className={`block text-sm ${isUnwell ? "font-semibold text-high" : "text-soft"}`}>
        {isUnwell && `${texts.camera.status[status]}, `}
        {last_seen_at ? <Ago time={last_seen_at} /> : texts.camera.neverSeen}
      </span>
    </Link>
  );
}
