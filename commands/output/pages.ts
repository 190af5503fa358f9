import type { Paged } from "./output.ts";

/** The largest value of --limit. */
export const mostRows = 1_000_000;
/** The largest page the API returns. */
const largestPage = 1000;

/** Fetches page after page until there are `limit` rows or the list ends. */
export async function* pages<B extends Paged>(
  limit: number,
  fetchPage: (page: { readonly limit: number; readonly cursor?: string }) => Promise<B>,
): AsyncGenerator<B> {
  let cursor: string | null = null;
  for (let left = limit; left > 0; left -= largestPage) {
    const size = Math.min(left, largestPage);
    const body: B = await fetchPage(cursor === null ? { limit: size } : { limit: size, cursor });
    yield body;
    cursor = body.pagination.next_cursor;
    if (cursor === null) return;
  }
}
