import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { Check, RotateCcw } from "lucide-react";
import { memo, useEffect, useRef } from "react";
import { useMay } from "../../api/use-may.tsx";
import { type EventRecord, EventRow, usePictureText } from "../../parts/event-row.tsx";
import { useTexts } from "../../texts/texts.tsx";

interface EventListProps {
  readonly events: readonly EventRecord[];
  /** The row that the keys act on. */
  readonly at: number;
  readonly selected: ReadonlySet<number>;
  readonly onToggle: (id: number) => void;
  readonly onReviewed: (event: EventRecord) => void;
  /** Called when the end of the list comes near. */
  readonly onEnd: () => void;
}

const rowHeight = 104;

/** A list of any length: only the rows on the screen are in the document. */
export function EventList({ events, at, selected, onToggle, onReviewed, onEnd }: EventListProps) {
  const element = useRef<HTMLUListElement>(null);
  const rows = useWindowVirtualizer({
    count: events.length,
    estimateSize: () => rowHeight,
    overscan: 6,
    scrollMargin: element.current?.offsetTop ?? 0,
    getItemKey: (index) => events[index]?.id ?? index,
  });
  const visible = rows.getVirtualItems();
  const last = visible.at(-1)?.index ?? 0;
  useEffect(() => {
    if (events.length > 0 && last >= events.length - 20) onEnd();
  }, [last, events.length, onEnd]);
  useEffect(() => {
    if (at > 0) rows.scrollToIndex(at, { align: "auto" });
  }, [at, rows]);
  return (
    <ul ref={element} className="relative" style={{ height: rows.getTotalSize() }}>
      {visible.map((row) => {
        const event = events[row.index];
        if (!event) return null;
        const top = row.start - rows.options.scrollMargin;
        return (
          <li key={row.key} className="absolute inset-x-0 top-0" style={{ height: rowHeight, transform: `translateY(${top}px)` }}>
            <Row
              event={event}
              isCurrent={row.index === at}
              isSelected={selected.has(event.id)}
              onToggle={onToggle}
              onReviewed={onReviewed}
            />
          </li>
        );
      })}
    </ul>
  );
}

interface RowProps {
  readonly event: EventRecord;
  readonly isCurrent: boolean;
  readonly isSelected: boolean;
  readonly onToggle: (id: number) => void;
  readonly onReviewed: (event: EventRecord) => void;
}

const Row = memo(function Row({ event, isCurrent, isSelected, onToggle, onReviewed }: RowProps) {
  const texts = useTexts();
  const name = usePictureText()(event);
  const Icon = event.reviewed ? RotateCcw : Check;
  const mayReview = useMay("resident");
  return (
    <div
      className={`flex h-full items-center gap-1 overflow-hidden rounded-xl border ${isCurrent ? "border-accent" : "border-transparent"} ${isSelected ? "bg-raised" : ""}`}
    >
      {mayReview && (
        <label className="flex size-11 shrink-0 items-center justify-center">
          <input
            type="checkbox"
            checked={isSelected}
            onChange={() => onToggle(event.id)}
            aria-label={`${texts.review.select}: ${name}`}
            className="size-5 accent-(--color-accent)"
          />
        </label>
      )}
      <div className="min-w-0 flex-1">
        <EventRow event={event} isCompact />
      </div>
      {mayReview && (
        <button
          type="button"
          onClick={() => onReviewed(event)}
          aria-label={`${event.reviewed ? texts.event.markUnreviewed : texts.event.markReviewed}: ${name}`}
          className="flex size-12 shrink-0 items-center justify-center rounded-lg text-accent hover:bg-raised"
        >
          <Icon aria-hidden size={24} />
        </button>
      )}
    </div>
  );
});
