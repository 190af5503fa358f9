import { Fragment, type ReactNode } from "react";
import { Link, useParams } from "wouter";
import type { z } from "zod";
import { type EntityDetails, entityRoutes } from "../../src/contract/routes/entities.ts";
import { useReply } from "../api/use-reply.ts";
import { className, useCameraNames } from "../parts/names.tsx";
import { Page, Section } from "../parts/page.tsx";
import { Loaded } from "../parts/states.tsx";
import { Thumbnail } from "../parts/thumbnail.tsx";
import { Ago, useFormat } from "../texts/format.tsx";
import { useMoreTexts } from "../texts/more.ts";
import { useTexts } from "../texts/texts.tsx";

type Details = z.output<typeof EntityDetails>;
type Sighting = Details["detections"][number];

/** One person or object: the best picture, the cameras that saw it, and when. */
export default function PersonPage() {
  const id = decodeURIComponent(useParams()["id"] ?? "");
  const entity = useReply(entityRoutes.getEntity, { params: { entity_id: id } });
  return <Loaded reply={entity}>{(data) => <Shown key={data.id} entity={data} />}</Loaded>;
}

function Shown({ entity }: { readonly entity: Details }) {
  const texts = useTexts();
  const more = useMoreTexts();
  const format = useFormat();
  const kind = className(texts, entity.object_type);
  const best = entity.representative_detection_id;
  return (
    <Page title={`${kind.charAt(0).toUpperCase()}${kind.slice(1)}, ${more.people.seen(entity.detection_count)}`}>
      <div className="mb-8 gap-6 md:grid md:grid-cols-2">
        <div>
          {best === null ? (
            <Thumbnail src={null} alt="" />
          ) : (
            <a href={`/api/detections/${best}/image`} className="block">
              <Thumbnail of={entity} alt={more.people.bestPicture} />
            </a>
          )}
        </div>
        <dl className="mt-4 self-start rounded-xl border border-line bg-card px-4 md:mt-0">
          <Fact name={more.people.sightings}>{format.number(entity.detection_count)}</Fact>
          <Fact name={more.people.lastSeen}>
            {format.exact(entity.last_seen_at)} <Ago time={entity.last_seen_at} className="block text-sm text-soft" />
          </Fact>
          <Fact name={more.people.firstSeen}>
            {format.exact(entity.first_seen_at)} <Ago time={entity.first_seen_at} className="block text-sm text-soft" />
          </Fact>
          <Fact name={more.people.recognised}>{format.exact(entity.discovered_at)}</Fact>
        </dl>
      </div>
      <Cameras entity={entity} />
      <Sightings entity={entity} />
    </Page>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div className="flex flex-wrap justify-between gap-x-4 border-b border-line py-2 last:border-0">
      <dt className="font-medium">{name}</dt>
      <dd className="text-right">{children}</dd>
    </div>
  );
}

/** Where it was seen, and how often. */
function Cameras({ entity }: { readonly entity: Details }) {
  const texts = useTexts();
  const more = useMoreTexts();
  const format = useFormat();
  const nameOf = useCameraNames();
  return (
    <Section title={texts.now.cameras}>
      <table className="w-full text-left">
        <thead className="text-sm text-soft">
          <tr>
            <th className="py-1 font-normal">{texts.review.camera}</th>
            <th className="py-1 text-right font-normal">{more.people.sightings}</th>
            <th className="py-1 text-right font-normal">{more.people.firstSeen}</th>
            <th className="py-1 text-right font-normal">{more.people.lastSeen}</th>
          </tr>
        </thead>
        <tbody>
          {entity.cameras.map((visit) => (
            <tr key={visit.camera_id} className="border-t border-line">
              <th scope="row" className="py-2 font-medium">
                <Link href={`/cameras/${encodeURIComponent(visit.camera_id)}`} className="text-accent underline-offset-4 hover:underline">
                  {nameOf(visit.camera_id)}
                </Link>
              </th>
              <td className="py-2 text-right tabular-nums">{format.number(visit.detection_count)}</td>
              <td className="py-2 pl-2 text-right text-sm">{format.time(visit.first_seen_at)}</td>
              <td className="py-2 pl-2 text-right text-sm">{format.time(visit.last_seen_at)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Section>
  );
}

/** The newest sightings by day. */
function Sightings({ entity }: { readonly entity: Details }) {
  const more = useMoreTexts();
  const format = useFormat();
  const byDay = new Map<string, Sighting[]>();
  for (const sighting of entity.detections) {
    const date = format.dayCode(sighting.detected_at);
    byDay.set(date, [...(byDay.get(date) ?? []), sighting]);
  }
  const { length } = entity.detections;
  return (
    <Section title={more.people.appearances}>
      {length === 0 && <p className="text-soft">{more.people.allDeleted}</p>}
      {length > 0 && length < entity.detection_count && <p className="mb-2 text-sm text-soft">{more.people.newest(length)}</p>}
      {[...byDay].map(([date, sightings]) => (
        <Fragment key={date}>
          <h3 className="mt-4 mb-2 font-medium">
            <Link href={`/day/${date}`} className="underline-offset-4 hover:underline">
              {format.day((sightings[0] as Sighting).detected_at)}
            </Link>
          </h3>
          <ul className="grid grid-cols-3 gap-2 sm:grid-cols-4 lg:grid-cols-6">
            {sightings.map((sighting) => (
              <li key={sighting.id}>
                <SightingTile sighting={sighting} />
              </li>
            ))}
          </ul>
        </Fragment>
      ))}
    </Section>
  );
}

/** One picture with its time and camera; it opens the event. */
function SightingTile({ sighting }: { readonly sighting: Sighting }) {
  const format = useFormat();
  const nameOf = useCameraNames();
  const content = (
    <>
      <Thumbnail of={sighting} alt="" />
      <span className="mt-1 block text-sm font-medium">{format.clock(sighting.detected_at)}</span>
      <span className="block truncate text-sm text-soft">{nameOf(sighting.camera_id)}</span>
    </>
  );
  if (sighting.event_id === null) return <span className="block p-1">{content}</span>;
  return (
    <Link href={`/events/${sighting.event_id}`} className="block rounded-lg p-1 hover:bg-raised">
      {content}
    </Link>
  );
}
