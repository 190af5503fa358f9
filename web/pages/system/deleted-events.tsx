import { Link } from "wouter";
import { eventRoutes } from "../../../src/contract/routes/events.ts";
import { useList } from "../../api/use-list.ts";
import { useAction } from "../../api/use-reply.ts";
import { useAttempt } from "../../parts/attempt.ts";
import { Button } from "../../parts/button.tsx";
import { useCameraNames } from "../../parts/names.tsx";
import { Section } from "../../parts/page.tsx";
import { useAdminTexts } from "../../texts/admin.ts";
import { useFormat } from "../../texts/format.tsx";
import { useTexts } from "../../texts/texts.tsx";

/** Deleted events, which can be restored until the cleanup; nothing without one. */
export function DeletedEvents() {
  const texts = useTexts();
  const { system, cameras } = useAdminTexts();
  const format = useFormat();
  const nameOf = useCameraNames();
  const attempt = useAttempt();
  const list = useList(eventRoutes.listDeletedEvents, { query: { limit: 20 } });
  const restore = useAction(eventRoutes.restoreEvent, [eventRoutes.listDeletedEvents, eventRoutes.listEvents, eventRoutes.getEvent]);
  const events = list.data?.pages.flatMap(({ items }) => items) ?? [];
  if (events.length === 0) return null;
  return (
    <Section title={system.deletedEvents}>
      <ul className="rounded-xl border border-line bg-card px-4">
        {events.map(({ id, camera_id, started_at, summary }) => (
          <li key={id} className="flex flex-wrap items-center justify-between gap-2 border-b border-line py-2 last:border-0">
            <div className="min-w-0 flex-1 basis-60">
              <p className="font-medium">
                <Link href={`/events/${id}`} className="underline-offset-4 hover:underline">
                  {nameOf(camera_id)}
                </Link>{" "}
                · {format.time(started_at)}
              </p>
              <p className="text-sm text-soft">{summary}</p>
            </div>
            <Button
              isBusy={restore.isRunning}
              aria-label={`${cameras.restore}: ${nameOf(camera_id)}, ${format.time(started_at)}`}
              onClick={() => void attempt(restore.run({ params: { event_id: id } }), system.eventRestored)}
            >
              {cameras.restore}
            </Button>
          </li>
        ))}
      </ul>
      {list.hasNextPage && (
        <Button className="mt-3 w-full" onClick={() => void list.fetchNextPage()}>
          {texts.common.more}
        </Button>
      )}
    </Section>
  );
}
