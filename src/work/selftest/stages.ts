import type { z } from "zod";
import type { SelftestReply, selftestStages } from "../../contract/routes/system-selftest.ts";
import type { SelftestProgress } from "./selftest-repository.ts";

/** The result of a self-test. */
export type SelftestReport = z.output<typeof SelftestReply>;
export type SelftestStage = (typeof selftestStages)[number];

/** The state of one stage: done, not done yet, or failed for good. */
export type StageState =
  | { readonly state: "passed"; readonly detail: string | null }
  | { readonly state: "waiting"; readonly why: string }
  | { readonly state: "failed"; readonly why: string };

const passed = (detail: string | null = null): StageState => ({ state: "passed", detail });
const waiting = (why: string): StageState => ({ state: "waiting", why });
const failed = (why: string): StageState => ({ state: "failed", why });

/** The stages that leave rows, in order. */
export const storedStages: readonly {
  readonly name: Exclude<SelftestStage, "workers">;
  readonly check: (progress: SelftestProgress) => StageState;
}[] = [
  { name: "registered", check: ({ image }) => (image ? passed() : waiting("the file watcher has not found the picture")) },
  { name: "detected", check: detected },
  { name: "batched", check: ({ batches }) => (batches > 0 ? passed() : waiting("the detections have no batch")) },
  { name: "event_stored", check: ({ event }) => (event ? passed() : waiting("the batch was not closed")) },
  { name: "judged", check: judged },
  { name: "alert_evaluated", check: evaluated },
  {
    name: "published",
    check: ({ sequence }) => (sequence === null ? waiting("the journal has not numbered the message") : passed(`message ${sequence}`)),
  },
];

function detected({ image, detections, job_error }: SelftestProgress): StageState {
  const why = image?.detail ?? image?.reason ?? job_error;
  if (image?.status === "skipped" || image?.status === "failed")
    return failed(`the picture was ${image.status}: ${why ?? "no reason is known"}`);
  if (image?.status !== "processed") return waiting(`the detector has not processed the picture${why === null ? "" : `: ${why}`}`);
  const [best] = detections;
  if (best) return passed(`${best.object_type}, confidence ${Math.round(best.confidence * 100)} %`);
  return failed(
    "the detector answered but found no person in a picture that shows one; lower DETECTION_CONFIDENCE_THRESHOLD or check the detector's model",
  );
}

function judged({ event, analysis_error, job_error }: SelftestProgress): StageState {
  if (event?.analysis_status === "completed") return passed(`risk ${event.risk_score} by ${event.analyzed_by}`);
  const why = analysis_error ?? job_error;
  if (event?.analysis_status === "failed") return failed(`the language model's answer could not be used: ${why ?? "no reason is known"}`);
  return waiting(`the language model has not scored the event${why === null ? "" : `: ${why}`}`);
}

function evaluated({ verdict }: SelftestProgress): StageState {
  if (!verdict) return waiting("no rule was evaluated for the event");
  if (verdict.outcome === "raised") return passed("an alert was raised");
  return failed(`a rule that matches every event raised no alert: ${verdict.outcome} (${verdict.failed_conditions.join(", ")})`);
}
