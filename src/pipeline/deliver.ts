import type { ClaimedJob } from "../jobs/jobs-repository.ts";
import type { Stage } from "./stage.ts";

/** Sends one kind of thing to the outside: makes one attempt, and ends or releases the job in the transaction that stores the outcome. */
export interface Sender {
  /** `id` is the row's, from the job's subject `KIND:ID`. */
  run(id: string, job: ClaimedJob, signal: AbortSignal): Promise<void>;
  /** Ends what failed too often without an outcome: it may be what kills the process. */
  giveUp(id: string, job: ClaimedJob, error: string): Promise<void>;
}

/** What can be delivered, by the first word of a job's subject. */
export type Senders = Readonly<Partial<Record<"delivery" | "notification", Sender>>>;

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
