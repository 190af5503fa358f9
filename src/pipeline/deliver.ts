import type { DeliveryEngine } from "../alerting/delivery/engine.ts";
import type { ClaimedJob } from "../work/jobs/jobs-repository.ts";
import type { Stage } from "./stage.ts";

/** The engines, by the first word of a job's subject. */
export type DeliveryEngines = Readonly<Record<"delivery" | "notification" | "edit", DeliveryEngine>>;

/** Makes the stage that delivers notifications and outbound webhooks, each through the engine of its channel. */
export function createDeliverStage(engines: DeliveryEngines): Stage {
  const engineOf = (job: ClaimedJob): { readonly engine: DeliveryEngine; readonly id: string } => {
    const [kind = "", id = ""] = job.subject.split(":");
    if (kind !== "delivery" && kind !== "notification" && kind !== "edit") throw new Error(`no channel delivers ${job.subject}`);
    return { engine: engines[kind], id };
  };
  return {
    run: async (job, signal) => {
      const { engine, id } = engineOf(job);
      await engine.run(id, job, signal);
    },
    stopRetrying: async (job, error) => {
      const { engine, id } = engineOf(job);
      await engine.stopRetrying(id, job, error);
    },
  };
}
