import type { CameraNow } from "../../src/admin/mqtt/home.ts";
import { topicsBelow } from "../../src/admin/mqtt/topics.ts";
import { mailPicture } from "../../src/alerting/email/picture.ts";
import { rootsOf } from "../../src/monitoring/cameras/roots.ts";
import { detectionsBeside, findSource } from "../../src/monitoring/detections/detections-repository.ts";
import type { OperationContext } from "../../src/work/operations/operation.ts";
import type { Retained } from "./session.ts";

/** Shortest time between two pictures of a camera: each is decoded and drawn. */
const restMs = 5_000;
/** Larger pictures are not published: brokers and Home Assistant keep them in memory. */
const mostBytes = 1_000_000;
/** A disk that does not answer must not hold up the states. */
const readTimeoutMs = 5_000;

/** The pictures of cameras, as mails have them: small, upright, with boxes. A picture is drawn only if the broker does not have it. */
export class CameraPictures {
  readonly #context: OperationContext;
  readonly #drawnAt = new Map<string, number>();
  readonly #shown = new Map<string, number>();

  constructor(context: OperationContext) {
    this.#context = context;
  }

  /** Returns the messages with the pictures of cameras. A camera whose last picture is only seconds old keeps that for now. */
  of(cameras: readonly CameraNow[], prefix: string): readonly Retained[] {
    const topics = topicsBelow(prefix);
    return cameras.flatMap((camera) => {
      const { id, pictureOf, privateParts } = camera;
      const isResting = performance.now() - (this.#drawnAt.get(id) ?? Number.NEGATIVE_INFINITY) < restMs;
      const detectionId = isResting ? (this.#shown.get(id) ?? null) : pictureOf;
      if (detectionId === null) return [];
      return [
        {
          topic: topics.camera(id).picture,
          version: `${detectionId} ${privateParts.join(";")}`,
          content: () => this.#draw(camera, detectionId),
        },
      ];
    });
  }

  /** Returns the milliseconds until a camera's newest picture may be drawn; undefined if none waits. */
  msUntilDue(cameras: readonly CameraNow[]): number | undefined {
    const now = performance.now();
    const waits = cameras.flatMap(({ id, pictureOf }) => {
      const drawnAt = this.#drawnAt.get(id);
      return drawnAt === undefined || pictureOf === null || pictureOf === this.#shown.get(id) ? [] : [Math.max(0, drawnAt + restMs - now)];
    });
    return waits.length === 0 ? undefined : Math.min(...waits);
  }

  /**
   * Undefined if it is gone or cannot be read: the picture before stays. With private zones it is removed instead, since it may be from
   * before they were drawn.
   */
  async #draw({ id: cameraId, privateParts }: CameraNow, detectionId: number): Promise<Buffer | undefined> {
    const { db, config, log } = this.#context;
    this.#drawnAt.set(cameraId, performance.now());
    this.#shown.set(cameraId, detectionId);
    const [source, beside] = await db.query(
      async (sql) => [await findSource(sql, detectionId), await detectionsBeside(sql, detectionId)] as const,
    );
    const none = privateParts.length > 0 ? Buffer.alloc(0) : undefined;
    if (!source) return none;
    const picture = await mailPicture(source, rootsOf(config), new AbortController().signal, readTimeoutMs, beside);
    if ("jpeg" in picture && picture.jpeg.byteLength <= mostBytes) return picture.jpeg;
    log.debug({ camera: cameraId, detection: detectionId, why: "fault" in picture ? picture.fault : "too large" }, "no picture for MQTT");
    return none;
  }
}
