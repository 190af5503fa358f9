import type { QueryClient } from "@tanstack/react-query";

/** What takes longer than this comes later, so that one slow reply does not hold back the page. */
const longestWaitMs = 2_000;
/** A reply may lead to the next request: the page is complete when none is under way for this long. */
const quietMs = 30;

/** Calls a function once the replies that a page asks for at first are there: at once if none is under way. Returns what ends the wait. */
export function afterFirstReplies(cache: QueryClient, then: () => void): () => void {
  const isWaiting = (): boolean => cache.isFetching({ predicate: ({ state }) => state.data === undefined }) > 0;
  if (!isWaiting()) {
    then();
    return () => {};
  }
  let quiet: ReturnType<typeof setTimeout> | undefined;
  const look = (): void => {
    if (isWaiting()) {
      clearTimeout(quiet);
      quiet = undefined;
    } else quiet ??= setTimeout(finish, quietMs);
  };
  const stop = cache.getQueryCache().subscribe(look);
  const end = (): void => {
    stop();
    clearTimeout(quiet);
    clearTimeout(deadline);
  };
  const finish = (): void => {
    end();
    then();
  };
  const deadline = setTimeout(finish, longestWaitMs);
  return end;
}
