import { useId, useState } from "react";
import { useSearchParams } from "wouter";
import { eventRoutes } from "../../src/contract/routes/events.ts";
import { useList } from "../api/use-list.ts";
import { Button } from "../parts/button.tsx";
import { EventRow } from "../parts/event-row.tsx";
import { Page } from "../parts/page.tsx";
import { Empty, Failure } from "../parts/states.tsx";
import { useTexts } from "../texts/texts.tsx";

/** Finds events by words; the words stand in the address. */
export default function SearchPage() {
  const texts = useTexts();
  const [search, setSearch] = useSearchParams();
  const q = search.get("q") ?? "";
  const [draft, setDraft] = useState(q);
  const id = useId();
  return (
    <Page title={texts.search.title}>
      <search>
        <form
          className="mb-4 flex gap-2"
          onSubmit={(submitted) => {
            submitted.preventDefault();
            setSearch(draft.trim() === "" ? {} : { q: draft.trim() });
          }}
        >
          <label htmlFor={id} className="sr-only">
            {texts.search.title}
          </label>
          <input
            id={id}
            type="search"
            // biome-ignore lint/a11y/noAutofocus: the page is for typing, and the key "/" leads here
            autoFocus
            maxLength={1000}
            value={draft}
            placeholder={texts.search.hint}
            onChange={({ target }) => setDraft(target.value)}
            className="min-h-11 min-w-0 flex-1 rounded-lg border border-line bg-card px-3"
          />
          <Button type="submit" look="main">
            {texts.search.title}
          </Button>
        </form>
      </search>
      {q === "" ? <p className="text-soft">{texts.search.start}</p> : <Results key={q} q={q} />}
    </Page>
  );
}

function Results({ q }: { readonly q: string }) {
  const texts = useTexts();
  const list = useList(eventRoutes.searchEvents, { query: { q, limit: 50 } });
  const found = list.data?.pages.flatMap(({ items }) => items) ?? [];
  if (list.error && !list.data) return <Failure error={list.error} onRetry={() => void list.refetch()} />;
  if (!list.data) return <p className="text-soft">{texts.common.loading}</p>;
  if (found.length === 0) return <Empty title={texts.search.empty} hint={texts.search.emptyHint} />;
  return (
    <>
      <p className="mb-2 text-sm text-soft">{texts.search.results(list.data.pages[0]?.pagination.total ?? found.length)}</p>
      <div className="grid gap-1 lg:grid-cols-2">
        {found.map((event) => (
          <EventRow key={event.id} event={event} />
        ))}
      </div>
      {list.hasNextPage && (
        <Button className="mt-3 w-full" onClick={() => void list.fetchNextPage()}>
          {texts.common.more}
        </Button>
      )}
    </>
  );
}
