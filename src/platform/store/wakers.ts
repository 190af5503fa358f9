import type { ConsumeOptions, Consumer, JobDispatcher } from "./job-dispatcher.ts";

/** A consumer that other code can wake when there may be new jobs. */
export interface WakeableConsumer extends Consumer {
  wake(): void;
}

/** The part that all dispatchers share: it wakes the consumers of a queue. `consumeFrom` creates the consumers. */
export function wakers(
  consumeFrom: <J extends { readonly jobId: number }>(queue: string, options: ConsumeOptions<J>) => WakeableConsumer,
): Pick<JobDispatcher, "wake" | "consume"> {
  const consumers = new Map<string, Set<WakeableConsumer>>();
  return {
    wake: (queue) => {
      for (const consumer of consumers.get(queue) ?? []) consumer.wake();
    },
    consume: (queue, options) => {
      const consumer = consumeFrom(queue, options);
      const ofQueue = consumers.get(queue) ?? new Set();
      consumers.set(queue, ofQueue.add(consumer));
      return {
        running: consumer.running,
        heartbeat: consumer.heartbeat,
        stop: async () => {
          ofQueue.delete(consumer);
          await consumer.stop();
        },
      };
    },
  };
}
