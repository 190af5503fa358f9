import { useSearchParams } from "wouter";
import type { z } from "zod";
import { type DeadLetter, dlqRoutes } from "../../../src/contract/routes/dlq.ts";
import { useList } from "../../api/use-list.ts";
import { useAction, useReply } from "../../api/use-reply.ts";
import { useAttempt } from "../../parts/attempt.ts";
import { Button } from "../../parts/button.tsx";
import { ConfirmButton } from "../../parts/confirm-button.tsx";
import { channelName, useCameraNames } from "../../parts/names.tsx";
import { Section } from "../../parts/page.tsx";
import { Failure, Loaded } from "../../parts/states.tsx";
import { useAdminTexts } from "../../texts/admin.ts";
import { DaemonText } from "../../texts/daemon-text.tsx";
import { Ago } from "../../texts/format.tsx";
import { useTexts } from "../../texts/texts.tsx";

type Letter = z.output<typeof DeadLetter>;

const replies = [dlqRoutes.getDlqStats, dlqRoutes.listDeadLetters];

/** Work that failed for good: by queue, to be tried again or deleted. The open queue stands in the address. */
export function DeadLetters() {
  const { system } = useAdminTexts();
  const [address, setAddress] = useSearchParams();
  const open = address.get("queue");
  const stats = useReply(dlqRoutes.getDlqStats, {}, { everyMs: 5_000 });
  return (
    <Section title={system.deadLetters}>
      <Loaded reply={stats} waiting={<div className="h-16" />}>
        {({ queues, total_count }) =>
          total_count === 0 ? (
            <p className="text-soft">{system.noDeadLetters}</p>
          ) : (
            <>
              <p className="mb-2 text-sm text-soft">{system.deadLettersHint}</p>
              <ul className="grid gap-3">
                {Object.entries(queues)
                  .filter(([, count]) => count > 0)
                  .map(([queue, count]) => (
                    <li key={queue} className="rounded-xl border border-line bg-card p-4">
                      <Queue
                        queue={queue}
                        count={count}
                        isOpen={open === queue}
                        onToggle={() => setAddress(open === queue ? {} : { queue }, { replace: true })}
                      />
                    </li>
                  ))}
              </ul>
            </>
          )
        }
      </Loaded>
    </Section>
  );
}

interface QueueProps {
  readonly queue: string;
  readonly count: number;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

function Queue({ queue, count, isOpen, onToggle }: QueueProps) {
  const { system } = useAdminTexts();
  const name = system.queue[queue as keyof typeof system.queue] ?? queue;
  return (
    <>
      <div className="flex flex-wrap items-center justify-between gap-2">
        <Button look="quiet" aria-expanded={isOpen} onClick={onToggle}>
          {name}: {system.dead(count)}
        </Button>
        <Actions queue={queue} of={system.allOf(name, count)} />
      </div>
      {isOpen && <List queue={queue} />}
    </>
  );
}

/** Buttons to try again and to delete: one job, or all of a queue. */
function Actions({ queue, jobId, of }: { readonly queue: string; readonly jobId?: number; readonly of: string }) {
  const texts = useTexts();
  const { system } = useAdminTexts();
  const attempt = useAttempt();
  const requeue = useAction(dlqRoutes.requeueDeadLetters, replies);
  const purge = useAction(dlqRoutes.purgeDeadLetters, replies);
  const request = { params: { queue }, query: jobId === undefined ? {} : { job_id: jobId } };
  return (
    <div className="flex flex-wrap gap-2">
      <Button
        isBusy={requeue.isRunning}
        aria-label={`${system.requeue}: ${of}`}
        onClick={() => void attempt(requeue.run(request), ({ requeued }) => system.requeued(requeued))}
      >
        {system.requeue}
      </Button>
      <ConfirmButton
        text={texts.event.remove}
        label={`${texts.event.remove}: ${of}`}
        title={system.purgeTitle(of)}
        disabled={purge.isRunning}
        onConfirm={() => void attempt(purge.run(request), ({ purged }) => system.purged(purged))}
      >
        {system.purgeHint}
      </ConfirmButton>
    </div>
  );
}

function List({ queue }: { readonly queue: string }) {
  const texts = useTexts();
  const subjectOf = useSubject();
  const list = useList(dlqRoutes.listDeadLetters, { params: { queue }, query: { limit: 20 } });
  if (list.error && !list.data) return <Failure error={list.error} onRetry={() => void list.refetch()} />;
  return (
    <>
      <ul className="mt-3">
        {list.data?.pages
          .flatMap(({ items }) => items)
          .map((letter) => (
            <li key={letter.job_id} className="flex flex-wrap items-start justify-between gap-2 border-t border-line py-3">
              <About letter={letter} subject={subjectOf(letter)} />
              <Actions queue={queue} jobId={letter.job_id} of={subjectOf(letter)} />
            </li>
          ))}
      </ul>
      {list.hasNextPage && (
        <Button className="w-full" onClick={() => void list.fetchNextPage()}>
          {texts.common.more}
        </Button>
      )}
    </>
  );
}

function About({ letter, subject }: { readonly letter: Letter; readonly subject: string }) {
  const { system } = useAdminTexts();
  return (
    <div className="min-w-0 flex-1 basis-60">
      <p className="font-medium break-words">{subject}</p>
      <p className="text-sm break-words">{letter.error !== null && <DaemonText>{letter.error}</DaemonText>}</p>
      <p className="text-sm text-soft">
        {system.attempts(letter.attempts)}
        {letter.failed_at && (
          <>
            {" · "}
            <Ago time={letter.failed_at} />
          </>
        )}
      </p>
    </div>
  );
}

/** Returns a function that says what a job was about: the file, the webhook, the alerts, or its plain subject. */
function useSubject(): (letter: Letter) => string {
  const { system } = useAdminTexts();
  const texts = useTexts();
  const nameOf = useCameraNames();
  return ({ subject, image, delivery, notification, event }) => {
    if (image) return image.path.split("/").slice(-2).join("/");
    if (delivery) return `${delivery.webhook_name}, ${delivery.event_type.replaceAll("_", " ")}`;
    if (notification) {
      const { channel, rule_name, camera_id, recipient, alert_count } = notification;
      const isSeveral = alert_count !== null && alert_count > 1;
      const parts = [
        channelName(texts, channel),
        alert_count === null ? undefined : system.heldFor(alert_count, recipient ?? ""),
        rule_name ?? (isSeveral ? system.severalRules : undefined),
        camera_id === null ? (isSeveral ? system.severalCameras : undefined) : nameOf(camera_id),
      ];
      return parts.filter(Boolean).join(", ");
    }
    return event ? `#${event.event_id}` : subject;
  };
}
