import { keepPreviousData, type QueryClient, type UseQueryResult, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { ClientReply, ClientRequest } from "../../src/contract/client.ts";
import type { Route } from "../../src/contract/route.ts";
import { call } from "./client.ts";

/** The place of a reply in the cache: the path of its route and the request. */
export function replyKey<R extends Route>(route: R, request?: ClientRequest<R>): readonly unknown[] {
  return request === undefined ? [route.path] : [route.path, request];
}

interface ReplyOptions {
  /** Asks again after this many milliseconds. */
  readonly everyMs?: number;
  readonly enabled?: boolean;
  /** While the reply to a changed request is on its way, the one before stands in for it. */
  readonly keepsPrevious?: boolean;
}

/** Returns the reply of a reading operation, from the cache if it is there. The request must be JSON-like, because it is a part of the key. */
export function useReply<R extends Route>(route: R, request: ClientRequest<R>, options: ReplyOptions = {}): UseQueryResult<ClientReply<R>> {
  return useQuery({
    queryKey: replyKey(route, request),
    queryFn: ({ signal }) => call(route, request, signal),
    enabled: options.enabled ?? true,
    ...(options.keepsPrevious && { placeholderData: keepPreviousData as never }),
    ...(options.everyMs !== undefined && { refetchInterval: options.everyMs }),
  }) as UseQueryResult<ClientReply<R>>;
}

/** An operation that changes something. */
export interface Action<R extends Route> {
  readonly run: (request: ClientRequest<R>) => Promise<ClientReply<R>>;
  readonly isRunning: boolean;
  readonly error: Error | null;
}

/** Returns an operation that changes something. `changes` are the routes whose replies it may change: they are asked again. */
export function useAction<R extends Route>(route: R, changes: readonly Route[]): Action<R> {
  const cache = useQueryClient();
  const { mutateAsync, isPending, error } = useMutation({
    mutationFn: (request: ClientRequest<R>) => call(route, request),
    onSettled: () => Promise.all(changes.map((changed) => forget(cache, changed))),
  });
  return { run: mutateAsync as Action<R>["run"], isRunning: isPending, error };
}

/** Asks again for the replies of a route that are on the screen, and forgets the others. */
export function forget(cache: QueryClient, route: Route): Promise<void> {
  return cache.invalidateQueries({ queryKey: replyKey(route) });
}
