import { Link } from "wouter";
import type { z } from "zod";
import { objectTypes } from "../../src/contract/constants.ts";
import { cameraRoutes } from "../../src/contract/routes/cameras.ts";
import { type Entity, entityRoutes } from "../../src/contract/routes/entities.ts";
import { useList } from "../api/use-list.ts";
import { useReply } from "../api/use-reply.ts";
import { Button } from "../parts/button.tsx";
import { className, everyCamera, useCameraNames } from "../parts/names.tsx";
import { Page } from "../parts/page.tsx";
import { ParamChoice, ParamDay, useParam } from "../parts/param-choice.tsx";
import { Empty, Failure } from "../parts/states.tsx";
import { Thumbnail } from "../parts/thumbnail.tsx";
import { Ago, useFormat } from "../texts/format.tsx";
import { useMoreTexts } from "../texts/more.ts";
import { useTexts } from "../texts/texts.tsx";
import { daySpan } from "./day/span.ts";

type EntityRecord = z.output<typeof Entity>;

/** People and objects that cameras have recognised, with filters in the address. */
export default function PeoplePage() {
  const texts = useTexts();
  const more = useMoreTexts();
  const { data } = useReply(cameraRoutes.listCameras, everyCamera);
  return (
    <Page title={more.people.title}>
      <div className="mb-4 flex flex-wrap items-center gap-2">
        <ParamChoice
          name="class"
          label={texts.review.kind}
          first={more.people.everyKind}
          options={objectTypes.map((label) => [label, className(texts, label)])}
        />
        <ParamChoice
          name="camera"
          label={texts.review.camera}
          first={texts.common.allCameras}
          options={data?.cameras.map(({ camera_id, name }) => [camera_id, name] as const) ?? []}
        />
        <ParamDay name="from" label={more.people.from} />
        <ParamDay name="to" label={more.people.to} />
      </div>
      <Found />
    </Page>
  );
}

/** The filter of the address; days are those of the home. */
function useQuery() {
  const { zone } = useFormat();
  const [[label], [camera], [from], [to]] = [useParam("class"), useParam("camera"), useParam("from"), useParam("to")];
  const [start, end] = [daySpan(from, zone)?.start, daySpan(to, zone)?.end];
  return {
    limit: 48,
    ...(label !== "" && { object_type: [label] }),
    ...(camera !== "" && { camera_id: [camera] }),
    ...(start && { start_date: start }),
    ...(end && { end_date: new Date(end.getTime() - 1) }),
  };
}

function Found() {
  const texts = useTexts();
  const more = useMoreTexts();
  const query = useQuery();
  const list = useList(entityRoutes.listEntities, { query });
  const entities = list.data?.pages.flatMap(({ items }) => items) ?? [];
  if (list.error && !list.data) return <Failure error={list.error} onRetry={() => void list.refetch()} />;
  if (!list.data) return <p className="text-soft">{texts.common.loading}</p>;
  if (entities.length === 0) {
    const isFiltered = Object.keys(query).length > 1;
    return isFiltered ? <Empty title={more.people.none} /> : <Empty title={more.people.empty} hint={more.people.emptyHint} />;
  }
  return (
    <>
      <p className="mb-2 text-sm text-soft">{more.people.found(list.data.pages[0]?.pagination.total ?? entities.length)}</p>
      <ul className="grid grid-cols-2 gap-3 sm:grid-cols-3 lg:grid-cols-4">
        {entities.map((entity) => (
          <li key={entity.id}>
            <EntityCard entity={entity} />
          </li>
        ))}
      </ul>
      {list.hasNextPage && (
        <Button className="mt-3 w-full" onClick={() => void list.fetchNextPage()}>
          {texts.common.more}
        </Button>
      )}
    </>
  );
}

/** One person or object: the best picture, how often, where, and when first and last. */
function EntityCard({ entity }: { readonly entity: EntityRecord }) {
  const texts = useTexts();
  const more = useMoreTexts();
  const format = useFormat();
  const nameOf = useCameraNames();
  const kind = className(texts, entity.object_type);
  return (
    <Link href={`/people/${entity.id}`} className="block h-full rounded-xl border border-line bg-card p-2 hover:bg-raised">
      <Thumbnail of={entity} alt="" />
      <span className="mt-2 block font-medium first-letter:uppercase">{kind}</span>
      <span className="block text-sm">{more.people.seen(entity.detection_count)}</span>
      <span className="block text-sm text-soft">
        {more.people.last} <Ago time={entity.last_seen_at} />
      </span>
      <span className="block text-sm text-soft">
        {more.people.first} <time dateTime={entity.first_seen_at.toISOString()}>{format.time(entity.first_seen_at)}</time>
      </span>
      <span className="block truncate text-sm text-soft">{entity.camera_ids.map(nameOf).join(", ")}</span>
    </Link>
  );
}
