import { basename } from "node:path";
import type { z } from "zod";
import { createSemaphore } from "../../base/async/semaphore.ts";
import { silentLog } from "../../base/log/log.ts";
import { notFound, Problem } from "../../contract/problem.ts";
import type { Request } from "../../contract/route.ts";
import type { DetectorComparison, imageRoutes } from "../../contract/routes/images.ts";
import { detectorAddress } from "../../platform/config/detector-address.ts";
import { refusalOf } from "../../platform/outbound/address.ts";
import type { OperationContext } from "../../work/operations/operation.ts";
import { resolveInside, rootsOf } from "../cameras/roots.ts";
import { Breaker } from "../upstream/breaker.ts";
import { confident, currentDetector, matchObjects } from "../upstream/compare-detectors.ts";
import { createDetector } from "../upstream/detector.ts";
import type { SeenObject } from "../upstream/detector-answer.ts";
import type { Picture } from "../upstream/multipart.ts";
import { imagesForJobs } from "./images-repository.ts";
import { sizeOf } from "./picture.ts";
import { inTurnOf, outgoingFile, previewOf } from "./preview.ts";

type Comparison = z.output<typeof DetectorComparison>;
type Side = Comparison["a"];
type Look = Pick<Side, "detector" | "took_ms" | "problem"> & { readonly found: readonly SeenObject[] };

/** Detectors have other work: this many comparisons at once, whoever asks. */
const comparing = createSemaphore({
  max: 2,
  timeout: { ms: 30_000, error: () => new Problem("unavailable", "Too many compare detectors just now; try again") },
});
const shownWidth = 640;

/** Sends one stored picture to two detectors, one after the other. Stores nothing. Ends when the caller is gone. */
export async function compareOnPicture(
  { params, body }: Request<typeof imageRoutes.compareDetectors>,
  context: OperationContext,
): Promise<Comparison> {
  const { db, config, caller, settings } = context;
  const [a, b] = [await addressOf(body.a, context), await addressOf(body.b, context)];
  const [image] = await db.query((sql) => imagesForJobs(sql, [params.image_id]));
  if (!image) throw notFound("Image", params.image_id, "old entries are forgotten when their files are gone");
  const resolved = await resolveInside(rootsOf(config), image.path);
  const isPicture = image.mediaType?.startsWith("image/") === true;
  const path = resolved.state === "inside" && isPicture ? resolved.path : undefined;
  return await inTurnOf(caller, () =>
    comparing.run(async () => {
      const sent = path && (await outgoingFile(path, image.mediaType ?? "image/jpeg", image.privateParts));
      if (!path || !sent)
        throw new Problem("not_found", `The file of image ${params.image_id} is no picture, or is gone: ${basename(image.path)}`);
      const size = await sizeOf(sent.bytes);
      const picture = { ...sent, fileName: basename(image.path), size };
      const [lookA, lookB] = [await look(a, body.a, picture, context), await look(b, body.b, picture, context)];
      const least = body.confidence ?? settings.current().detectionConfidenceThreshold;
      const [foundA, foundB] = [confident(lookA.found, least), confident(lookB.found, least)];
      const matched = matchObjects(foundA, foundB);
      const preview = await previewOf(path, image.privateParts, shownWidth);
      return {
        image_id: params.image_id,
        picture: preview ? `data:image/webp;base64,${preview.webp.toString("base64")}` : null,
        width: size?.width ?? null,
        height: size?.height ?? null,
        a: sideOf(lookA, foundA, matched.only_a),
        b: sideOf(lookB, foundB, matched.only_b),
      };
    }, caller?.gone),
  );
}

/** The address of a detector to compare. Throws `Problem` if it is none, must not be called, or may not be chosen by this caller. */
async function addressOf(given: string, { caller, runtime }: OperationContext): Promise<string> {
  if (given === currentDetector) {
    const detector = (await runtime?.probeUpstreams())?.find(({ name }) => name === "detector");
    if (!detector?.url) throw new Problem("unavailable", `The detector is unavailable: ${detector?.error ?? "it has not started"}`);
    return detector.url;
  }
  if (caller && !caller.isLocal && !caller.access)
    throw new Problem("forbidden", "An address can be given from this machine, or with an API key, only");
  const { url } = detectorAddress(given);
  if (!URL.canParse(url) || !/^https?:/i.test(url))
    throw new Problem("invalid", `${given} is no address; give one such as http://192.168.1.5:32168, or ${currentDetector}`);
  const refusal = await refusalOf(url);
  if (refusal !== undefined) throw new Problem("invalid", `${given} must not be called: ${refusal}`);
  return given;
}

async function look(url: string, given: string, picture: Picture, { clock, caller }: OperationContext): Promise<Look> {
  const detector = createDetector({ url, breaker: new Breaker("detector", { clock }), clock, log: silentLog });
  const startedAt = clock.monotonic();
  try {
    const result = await detector.detect(picture, caller?.gone);
    if (result.kind !== "detected") return { detector: given, took_ms: null, problem: result.detail, found: [] };
    return { detector: given, took_ms: Math.round(clock.monotonic() - startedAt), problem: null, found: result.detections };
  } finally {
    await detector.close();
  }
}

function sideOf({ detector, took_ms, problem }: Look, found: readonly SeenObject[], only: readonly SeenObject[]): Side {
  const objects = found.map((each) => ({
    object_type: each.objectType,
    confidence: each.confidence,
    bbox: each.box,
    only: only.includes(each),
  }));
  return { detector, took_ms, problem, objects };
}
