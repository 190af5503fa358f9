import { ArrowLeft, ArrowRight } from "lucide-react";
import { eventRoutes } from "../../../src/contract/routes/events.ts";
import { useReply } from "../../api/use-reply.ts";
import { type EventRecord, EventRow } from "../../parts/event-row.tsx";
import { useTexts } from "../../texts/texts.tsx";
import type { FullEvent } from "../event.tsx";

/** How far a later event is looked for: the API lists the newest first. */
const aheadMs = 12 * 3_600_000;

/** The events before and after an event at any camera. */
export interface EventNeighbours {
  readonly earlier: EventRecord | undefined;
  readonly later: EventRecord | undefined;
}

/** Returns the events before and after an event. */
export function useNeighbours(event: FullEvent): EventNeighbours {
  const before = useReply(eventRoutes.listEvents, { query: { end_date: event.started_at, limit: 5 } });
  const until = new Date(event.started_at.getTime() + aheadMs);
  const after = useReply(eventRoutes.listEvents, { query: { start_date: event.started_at, end_date: until, limit: 1000 } });
  const isEarlier = ({ id, started_at }: EventRecord): boolean =>
    started_at < event.started_at || (started_at.getTime() === event.started_at.getTime() && id < event.id);
  return {
    earlier: before.data?.items.find(isEarlier),
    later: after.data?.items.findLast((each) => each.id !== event.id && !isEarlier(each)),
  };
}

/** Links to the events before and after. */
export function Neighbours({ neighbours: { earlier, later } }: { readonly neighbours: EventNeighbours }) {
  const texts = useTexts();
  return (
    <div className="mt-6 grid min-w-0 grid-cols-1 content-start gap-2 sm:grid-cols-2 lg:mt-0">
      {earlier && (
        <div>
          <p className="flex items-center gap-1 text-sm text-soft">
            <ArrowLeft aria-hidden size={14} /> {texts.event.earlier}
          </p>
          <EventRow event={earlier} />
        </div>
      )}
      {later && (
        <div>
          <p className="flex items-center gap-1 text-sm text-soft">
            {texts.event.later} <ArrowRight aria-hidden size={14} />
          </p>
          <EventRow event={later} />
        </div>
      )}
    </div>
  );
}
