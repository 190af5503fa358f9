import { Problem } from "../../contract/problem.ts";
import { priorities } from "../../work/jobs/jobs-repository.ts";
import { requestJob } from "../../work/jobs/repeat-repository.ts";
import type { Operations } from "../../work/operations/operation.ts";
import { awaitAnalyses } from "./analysis-repository.ts";
import { findWithDetections } from "./event-detections-repository.ts";

/** A person waits for the new analysis, so it comes before the backlog. */
export const reanalysisOperations: Pick<Operations, "reanalyzeEvent"> = {
  reanalyzeEvent: async ({ params: { event_id: id } }, { db, clock, runtime }) => {
    const breaker = runtime?.breakers().find(({ name }) => name === "language_model");
    await db.transaction(async (sql) => {
      const event = await findWithDetections(sql, id);
      if (event.kind === "camera_health") {
        throw new Problem("conflict", `Event ${id} is an incident of camera ${event.camera_id}, which has no risk score`);
      }
      if (breaker?.state === "open") {
        throw new Problem("unavailable", "The language model does not answer, so the event cannot be analysed; try again when it does");
      }
      const now = clock.now();
      await requestJob(sql, "analyze", { subject: String(id), priority: priorities.live, position: event.started_at, availableAt: now });
      await awaitAnalyses(sql, [id], now);
    });
    return { event_id: id, status: "queued" as const };
  },
};
