import type { Image } from "../../monitoring/images/ledger-repository.ts";
import { leftOutText } from "../../monitoring/upstream/left-out.ts";
import type { Sql } from "../../platform/database/database.ts";
import { chainOfEvent } from "./event.ts";
import type { Known } from "./event-steps.ts";
import { outcomeOfEvent } from "./outcome.ts";
import { batchStep, foundNothing, hiddenText, type PictureFacts, pictureSteps } from "./picture-steps.ts";
import { picturesOf } from "./pictures.ts";
import { findBatches } from "./pictures-repository.ts";
import { type Explanation, type Step, sentence } from "./step.ts";

/** A picture belongs to several events only if its detections were moved. */
const maxEvents = 3;

/** Explains a picture, up to the alerts of its event. */
export async function explainImage(sql: Sql, image: Image, known: Known): Promise<Pick<Explanation, "trace" | "outcome" | "steps">> {
  const { now } = known;
  const [picture] = await picturesOf(sql, [image.id]);
  if (!picture) return { trace: null, outcome: `Image ${image.id} was deleted.`, steps: [] };
  const trace = picture.detections.find(({ batch_id }) => batch_id !== null)?.batch_id ?? null;
  const steps = pictureSteps(picture, now);
  const eventIds = [...new Set(picture.detections.flatMap(({ event_id }) => event_id ?? []))].slice(0, maxEvents);
  if (eventIds.length === 0) {
    const open = await openBatches(sql, picture, now);
    return { trace, outcome: outcomeOf(picture, steps, open), steps: [...steps, ...open] };
  }
  const chains = (await Promise.all(eventIds.map((id) => chainOfEvent(sql, id, known)))).filter((chain) => chain !== undefined);
  return {
    trace,
    outcome: chains.map((chain) => `The picture is part of event ${chain.event.id}. ${outcomeOfEvent(chain)}`).join(" "),
    steps: [...steps, ...chains.flatMap(({ after }) => after)],
  };
}

async function openBatches(sql: Sql, { detections }: PictureFacts, now: Date): Promise<readonly Step[]> {
  const ids = [...new Set(detections.flatMap(({ batch_id }) => batch_id ?? []))];
  return ids.length === 0 ? [] : (await findBatches(sql, ids)).map((batch) => batchStep(batch, now));
}

function outcomeOf({ image, detections }: PictureFacts, steps: readonly Step[], open: readonly Step[]): string {
  const last = open.at(-1) ?? steps.at(-1);
  const text = last?.text ?? "";
  switch (image.status) {
    case "processed":
      if (image.detection_count === 0) {
        return `The picture led to no event: the detector ${foundNothing(image)}. ${leftOutText(image.left_out)}`.trim();
      }
      if (detections.length > 0 && detections.every(({ parked }) => parked !== null)) {
        return `The picture led to no event: it shows parked objects only. ${last?.text ?? ""}`.trim();
      }
      if (detections.length > 0 && detections.every(({ mask_id }) => mask_id !== null))
        return `The picture led to no event. ${hiddenText(detections)}`;
      return open.length > 0
        ? `The detections of the picture are not an event yet. ${text}`
        : "The detections of the picture belong to no event; it may have been deleted.";
    case "skipped":
    case "failed":
      return `${image.status === "failed" ? "Processing the picture failed" : "homesec skipped the picture"}. ${sentence(image.detail ?? image.reason ?? "")}`;
    default:
      return `The picture has not been processed yet. ${text}`;
  }
}
