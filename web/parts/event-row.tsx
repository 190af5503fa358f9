import { Check, Pin } from "lucide-react";
import { Link } from "wouter";
import type { z } from "zod";
import type { Event } from "../../src/contract/routes/events.ts";
import { DaemonText } from "../texts/daemon-text.tsx";
import { Ago, useFormat } from "../texts/format.tsx";
import { useTexts } from "../texts/texts.tsx";
import { classNames, useCameraNames } from "./names.tsx";
import { Risk } from "./risk.tsx";
import { Thumbnail } from "./thumbnail.tsx";

/** An event as the API returns it. */
export type EventRecord = z.output<typeof Event>;

/** Describes the picture of an event for those who do not see it. */
export function usePictureText(): (event: EventRecord) => string {
  const texts = useTexts();
  const nameOf = useCameraNames();
  return (event) => `${classNames(texts, event.object_types) || texts.event.incident} ${texts.event.at(nameOf(event.camera_id))}`;
}

/** An event in a list: picture, camera, time, level and summary. `isCompact`: in rows of a fixed height. */
export function EventRow({ event, isCompact = false }: { readonly event: EventRecord; readonly isCompact?: boolean }) {
  const texts = useTexts();
  const format = useFormat();
  const nameOf = useCameraNames();
  const pictureText = usePictureText();
  return (
    <Link href={`/events/${event.id}`} className="flex min-w-0 gap-3 rounded-xl p-2 hover:bg-raised">
      <Thumbnail of={event} alt={pictureText(event)} className={`${isCompact ? "w-24" : "w-28"} shrink-0 self-start`} />
      <span className="min-w-0 flex-1">
        <span className={`flex items-baseline justify-between gap-x-3 ${isCompact ? "" : "flex-wrap"}`}>
          <span className="truncate font-medium">{nameOf(event.camera_id)}</span>
          {isCompact ? (
            <time dateTime={event.started_at.toISOString()} title={format.exact(event.started_at)} className="shrink-0 text-sm text-soft">
              {format.time(event.started_at)}
            </time>
          ) : (
            <Ago time={event.started_at} className="shrink-0 text-sm text-soft" />
          )}
        </span>
        <span className="flex flex-wrap items-center gap-x-3">
          {event.kind === "event" ? (
            <Risk level={event.risk_level} score={event.risk_score} failed={event.analysis_status === "failed"} />
          ) : (
            <span className="text-sm font-semibold text-medium">{texts.event.incident}</span>
          )}
          {!isCompact && <span className="text-sm text-soft">{format.time(event.started_at)}</span>}
          {event.reviewed && (
            <span className="inline-flex items-center gap-1 text-sm text-good">
              <Check aria-hidden size={14} /> {texts.event.reviewed}
            </span>
          )}
          {event.pinned && <Pin role="img" aria-label={texts.event.pinned} size={14} className="text-soft" />}
        </span>
        <span className={`${isCompact ? "line-clamp-1" : "line-clamp-2"} text-sm`}>
          {event.summary === "" ? texts.event.summaryPending : <DaemonText>{event.summary}</DaemonText>}
        </span>
      </span>
    </Link>
  );
}
