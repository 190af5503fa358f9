import type { FullEvent } from "../event.tsx";

type Detection = FullEvent["detections"][number];

/** What was found in a picture. */
export type Found = Pick<Detection, "object_type" | "confidence" | "bbox_x" | "bbox_y" | "bbox_width" | "bbox_height"> &
  Partial<Pick<Detection, "id" | "enrichment">>;

/** One picture with everything found in it, and its addresses. */
export interface Picture {
  readonly key: string;
  readonly at: Date;
  readonly image: string;
  readonly thumbnail: string;
  readonly blurHash: string | null;
  /** Null for a picture. */
  readonly video: string | null;
  readonly objects: readonly Found[];
}

/** Groups detections by picture, oldest first; frames of a video differ in their time. */
export function picturesOf(detections: readonly Detection[]): readonly Picture[] {
  const byKey = new Map<string, [Detection, ...Detection[]]>();
  for (const detection of detections) {
    const key = `${detection.file_path} ${detection.detected_at.getTime()}`;
    const known = byKey.get(key);
    if (known) known.push(detection);
    else byKey.set(key, [detection]);
  }
  return [...byKey]
    .map(([key, objects]) => {
      const [first] = objects;
      const path = `/api/detections/${first.id}`;
      const video = first.file_type?.startsWith("video/") ? `${path}/video` : null;
      const thumbnail = first.preview_url ?? `${path}/thumbnail`;
      const blurHash = objects.find(({ blur_hash }) => blur_hash)?.blur_hash ?? null;
      return { key, at: first.detected_at, image: `${path}/image`, thumbnail, blurHash, video, objects };
    })
    .toSorted((a, b) => a.at.getTime() - b.at.getTime());
}

/** The picture that shows most: people before other classes, then the surest and largest. */
export function bestOf(pictures: readonly Picture[]): number {
  const worth = ({ objects }: Picture): number =>
    Math.max(
      ...objects.map(({ object_type, confidence, bbox_width, bbox_height }) => {
        const side = Math.sqrt((bbox_width ?? 0) * (bbox_height ?? 0));
        return (object_type === "person" ? 10 : 0) + confidence + Math.min(1, side / 400);
      }),
    );
  const worths = pictures.map(worth);
  return worths.indexOf(Math.max(...worths));
}
