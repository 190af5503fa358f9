import type { ClaimedJob } from "../work/jobs/jobs-repository.ts";
import type { Sender } from "../work/jobs/sender.ts";
import type { Stage } from "./stage.ts";

/** What can be delivered, by the first word of a job's subject. */
export type Senders = Readonly<Record<"delivery" | "notification", Sender>>;

/** Makes the stage that delivers: outbound webhooks and notifications, each to its own sender. */
export function createDeliverStage(senders: Senders): Stage {
  const senderOf = (job: ClaimedJob): { readonly sender: Sender; readonly id: string } => {
    const [kind = "", id = ""] = job.subject.split(":");
    const sender = kind === "delivery" || kind === "notification" ? senders[kind] : undefined;
    if (!sender) throw new Error(`nothing delivers ${job.subject}`);
    return { sender, id };
  };
  return {
    run: async (job, signal) => {
      const { sender, id } = senderOf(job);
      await sender.run(id, job, signal);
    },
    giveUp: async (job, error) => {
      const { sender, id } = senderOf(job);
      await sender.giveUp(id, job, error);
    },
  };
}
