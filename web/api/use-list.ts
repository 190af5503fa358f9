import { type InfiniteData, type UseInfiniteQueryResult, useInfiniteQuery } from "@tanstack/react-query";
import type { ClientReply, ClientRequest } from "../../src/contract/client.ts";
import type { Route } from "../../src/contract/route.ts";
import { call } from "./client.ts";
import { replyKey } from "./use-reply.ts";

interface Page {
  readonly pagination: { readonly next_cursor: string | null; readonly total: number };
}

/** Returns the pages of a list that have been read so far, and a way to read the next one. */
export function useList<R extends Route>(route: R, request: ClientRequest<R>): UseInfiniteQueryResult<InfiniteData<ClientReply<R>>> {
  return useInfiniteQuery({
    queryKey: [...replyKey(route, request), "pages"],
    queryFn: ({ pageParam, signal }) => call(route, withCursor(request, pageParam), signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page: unknown) => (page as Page).pagination.next_cursor ?? undefined,
  }) as UseInfiniteQueryResult<InfiniteData<ClientReply<R>>>;
}

function withCursor<R extends Route>(request: ClientRequest<R>, cursor: string | undefined): ClientRequest<R> {
  if (cursor === undefined) return request;
  const { query, ...rest } = request as { readonly query?: object };
  return { ...rest, query: { ...query, cursor } } as unknown as ClientRequest<R>;
}
