import { type InfiniteData, useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";
import type { z } from "zod";
import type { ClientRequest } from "../../../src/contract/client.ts";
import { eventRoutes } from "../../../src/contract/routes/events.ts";
import { call } from "../../api/client.ts";
import { forget } from "../../api/use-reply.ts";
import { useToast } from "../../parts/toast.tsx";
import { useTexts } from "../../texts/texts.tsx";

type EventQuery = NonNullable<ClientRequest<typeof eventRoutes.listEvents>["query"]>;
type Lists = InfiniteData<z.output<typeof eventRoutes.listEvents.reply>>;

/** The API takes so many items at once. */
const batch = 100;

function* batches(ids: readonly number[]): Generator<readonly number[]> {
  for (let from = 0; from < ids.length; from += batch) yield ids.slice(from, from + batch);
}

async function setReviewed(ids: readonly number[], reviewed: boolean): Promise<void> {
  for (const some of batches(ids)) await call(eventRoutes.updateEvents, { body: { events: some.map((id) => ({ id, reviewed })) } });
}

/** Reads the ids of all events that match a query. */
async function everyId(query: EventQuery): Promise<readonly number[]> {
  const ids: number[] = [];
  let cursor: string | undefined;
  do {
    const page = await call(eventRoutes.listEvents, { query: { ...query, limit: 1000, ...(cursor !== undefined && { cursor }) } });
    ids.push(...page.items.map(({ id }) => id));
    cursor = page.pagination.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return ids;
}

/** Marks and deletes events: the list shows it at once, and each step can be undone. */
export function useReviewing(query: EventQuery) {
  const cache = useQueryClient();
  const texts = useTexts();
  const toast = useToast();
  const failed = (error: unknown): void => {
    toast(texts.fault(error));
    void forget(cache, eventRoutes.listEvents);
  };

  const turn = useRef<Promise<void>>(Promise.resolve());

  const mark = async (ids: readonly number[], reviewed: boolean): Promise<void> => {
    const chosen = new Set(ids);
    cache.setQueriesData<Lists>(
      { queryKey: [eventRoutes.listEvents.path], predicate: ({ queryKey }) => queryKey.includes("pages") },
      (data) =>
        data && {
          ...data,
          pages: data.pages.map((page) => ({
            ...page,
            items: page.items.map((item) => (chosen.has(item.id) ? { ...item, reviewed } : item)),
          })),
        },
    );
    toast(reviewed ? texts.review.marked(ids.length) : texts.review.unmarked(ids.length), () => void mark(ids, !reviewed));
    // an undo begins before a long list is stored, and must have the last word
    turn.current = turn.current.then(() => setReviewed(ids, reviewed)).catch(failed);
    await turn.current;
    // a list that was read in between no longer has the events that an undo brings back
    if (!reviewed) await forget(cache, eventRoutes.listEvents);
  };

  const markAll = async (): Promise<void> => {
    const ids = await everyId({ ...query, reviewed: false }).catch(failed);
    if (ids && ids.length > 0) await mark(ids, true);
  };

  const remove = async (ids: readonly number[]): Promise<void> => {
    const restore = async (): Promise<void> => {
      for (const event_id of ids) await call(eventRoutes.restoreEvent, { params: { event_id } }).catch(failed);
      await forget(cache, eventRoutes.listEvents);
    };
    for (const some of batches(ids)) await call(eventRoutes.deleteEvents, { body: { event_ids: [...some] } }).catch(failed);
    toast(texts.review.removed(ids.length), () => void restore());
    await forget(cache, eventRoutes.listEvents);
  };
  return { mark, markAll, remove };
}
