import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useMemo, useState } from "react";
import { useLocation } from "wouter";
import type { JournalMessage } from "../../src/contract/live.ts";
import { eventRoutes } from "../../src/contract/routes/events.ts";
import { useList } from "../api/use-list.ts";
import { For, useMay } from "../api/use-may.tsx";
import { forget } from "../api/use-reply.ts";
import { useKeys } from "../keys/keys.tsx";
import { useMessages } from "../live/live.tsx";
import { Button } from "../parts/button.tsx";
import type { EventRecord } from "../parts/event-row.tsx";
import { NewPill } from "../parts/new-pill.tsx";
import { Page } from "../parts/page.tsx";
import { Empty, Failure } from "../parts/states.tsx";
import { useTexts } from "../texts/texts.tsx";
import { Filters, useFilter } from "./review/filters.tsx";
import { EventList } from "./review/list.tsx";
import { useReviewing } from "./review/reviewing.ts";
import { useSilence } from "./silence-hour.ts";

/** The inbox: every event to review, by thumb or by keys, one by one or many at once. */
export default function ReviewPage() {
  const texts = useTexts();
  const filter = useFilter();
  const request = useMemo(() => ({ query: { ...filter.query, limit: 100 } }), [filter.query]);
  const list = useList(eventRoutes.listEvents, request);
  const events = useMemo(() => list.data?.pages.flatMap(({ items }) => items) ?? [], [list.data]);
  const shown = filter.onlyUnreviewed ? events.filter(({ reviewed }) => !reviewed) : events;
  const total = list.data?.pages.at(-1)?.pagination.total ?? 0;
  const [selected, setSelected] = useState<ReadonlySet<number>>(new Set());
  const [at, setAt] = useState(0);
  const reviewing = useReviewing(filter.query);
  const arrived = useArrived(filter.accepts);

  const toggle = useCallback((id: number) => setSelected((before) => toggled(before, id)), []);
  const act = (work: (ids: readonly number[]) => void): void => {
    const current = shown[at];
    const ids = selected.size > 0 ? [...selected] : current ? [current.id] : [];
    setSelected(new Set());
    if (ids.length > 0) work(ids);
  };
  useReviewKeys({ shown, at, setAt, toggle, act, reviewing });

  return (
    <Page title={texts.review.title} actions={<Filters filter={filter} />}>
      <For who="resident">
        <BulkBar
          selected={selected.size}
          total={filter.onlyUnreviewed ? total - (events.length - shown.length) : 0}
          onClear={() => setSelected(new Set())}
          onSelected={() => act((ids) => void reviewing.mark(ids, true))}
          onAll={() => void reviewing.markAll()}
          onDelete={() => act((ids) => void reviewing.remove(ids))}
        />
      </For>
      <NewPill count={arrived.count} onShow={() => arrived.show()} />
      {list.error && !list.data && <Failure error={list.error} onRetry={() => void list.refetch()} />}
      {list.data && shown.length === 0 && !list.hasNextPage ? (
        <Empty title={texts.review.empty} hint={texts.review.emptyHint} />
      ) : (
        <EventList
          events={shown}
          at={at}
          selected={selected}
          onToggle={toggle}
          onReviewed={(event) => void reviewing.mark([event.id], !event.reviewed)}
          onEnd={() => list.hasNextPage && !list.isFetchingNextPage && void list.fetchNextPage()}
        />
      )}
    </Page>
  );
}

function toggled(before: ReadonlySet<number>, id: number): ReadonlySet<number> {
  const after = new Set(before);
  if (!after.delete(id)) after.add(id);
  return after;
}

/** Counts events that arrived after the list was read. */
function useArrived(accepts: (event: EventRecord) => boolean) {
  const cache = useQueryClient();
  const [count, setCount] = useState(0);
  useMessages(
    useCallback(
      (message: JournalMessage) => {
        if (message.type === "event" && accepts(message.data)) setCount((before) => before + 1);
      },
      [accepts],
    ),
  );
  const show = (): void => {
    setCount(0);
    scrollTo({ top: 0 });
    void forget(cache, eventRoutes.listEvents);
  };
  return { count, show };
}

interface ReviewKeys {
  readonly shown: readonly EventRecord[];
  readonly at: number;
  readonly setAt: (at: number) => void;
  readonly toggle: (id: number) => void;
  readonly act: (work: (ids: readonly number[]) => void) => void;
  readonly reviewing: ReturnType<typeof useReviewing>;
}

function useReviewKeys({ shown, at, setAt, toggle, act, reviewing }: ReviewKeys): void {
  const [, go] = useLocation();
  const silence = useSilence();
  const mayReview = useMay("resident");
  const mayRemove = useMay("owner");
  const current = shown[at];
  useKeys({
    next: () => setAt(Math.min(at + 1, shown.length - 1)),
    previous: () => setAt(Math.max(at - 1, 0)),
    open: () => current && go(`/events/${current.id}`),
    ...(mayReview && {
      select: () => current && toggle(current.id),
      reviewed: () => act((ids) => void reviewing.mark(ids, true)),
      silence: () => current && void silence(current.camera_id),
    }),
    ...(mayRemove && { dismiss: () => act((ids) => void reviewing.remove(ids)) }),
  });
}

interface BulkBarProps {
  readonly selected: number;
  readonly total: number;
  readonly onClear: () => void;
  readonly onSelected: () => void;
  readonly onAll: () => void;
  readonly onDelete: () => void;
}

/** Stands above the list, within reach: what can be done with the selected events, or with all. */
function BulkBar({ selected, total, onClear, onSelected, onAll, onDelete }: BulkBarProps) {
  const texts = useTexts();
  if (selected === 0 && total < 1) return null;
  return (
    <div className="sticky top-0 z-10 -mx-4 mb-3 flex min-h-14 flex-wrap items-center gap-2 border-b border-line bg-page px-4 py-2 md:mx-0 md:px-0">
      {selected > 0 ? (
        <>
          <span className="mr-auto text-sm font-medium">{texts.review.selected(selected)}</span>
          <Button look="main" onClick={onSelected}>
            {texts.event.markReviewed}
          </Button>
          <For who="owner">
            <Button look="danger" onClick={onDelete}>
              {texts.event.remove}
            </Button>
          </For>
          <Button onClick={onClear}>{texts.common.cancel}</Button>
        </>
      ) : (
        <Button className="ml-auto" onClick={onAll}>
          {texts.review.all(total)}
        </Button>
      )}
    </div>
  );
}
