import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from "react";
import { useFormat } from "../../texts/format.tsx";
import { useMoreTexts } from "../../texts/more.ts";
import type { Cluster } from "./clusters.ts";
import { Lane } from "./lane.tsx";
import { type DaySpan, placeIn } from "./span.ts";
import type { Day } from "./use-day.ts";

/** Width of an hour where the day does not fit the screen. */
const narrowHour = 64;
/** The day is shown whole if an hour gets at least this width. */
const leastHour = 36;
/** Marks closer than this share one: on a narrow screen a thumb, otherwise a mouse points at them. */
const closePx = { narrow: 44, wide: 32 } as const;

interface TimelineProps {
  readonly day: Day;
  readonly span: DaySpan;
  readonly now: Date;
  readonly current: number | undefined;
  readonly hrefOf: (eventId: number) => string;
  readonly onPreview: (cluster: Cluster | undefined) => void;
}

/** All lanes below one axis of hours. On a narrow screen it scrolls sideways; the names stay. */
export function Timeline({ day, span, now, current, hrefOf, onPreview }: TimelineProps) {
  const more = useMoreTexts();
  const format = useFormat();
  const scroller = useRef<HTMLDivElement>(null);
  const { width, isNarrow } = useWidth(scroller, span.hours.length);
  useStartPlace(scroller, { day, span, now, current, isNarrow });
  const msPerPx = (span.end.getTime() - span.start.getTime()) / width;
  const step = isNarrow ? 1 : 2;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard, also on a day without events
    <section ref={scroller} aria-label={more.day.timeline} tabIndex={0} className="relative overflow-x-auto pb-2">
      <div style={{ width }}>
        <div aria-hidden className="relative h-6 text-xs text-soft">
          {span.hours.map((hour) =>
            Number.parseInt(format.clock(hour), 10) % step === 0 ? (
              <span key={hour.getTime()} className="absolute" style={{ left: `${placeIn(span, hour) * 100}%` }}>
                {format.clock(hour)}
              </span>
            ) : null,
          )}
        </div>
        {day.lanes.map((lane) => (
          <Lane
            key={lane.id}
            lane={lane}
            span={span}
            closeMs={msPerPx * (isNarrow ? closePx.narrow : closePx.wide)}
            now={now}
            current={current}
            hrefOf={hrefOf}
            onPreview={onPreview}
          />
        ))}
      </div>
    </section>
  );
}

/** The width of the day in pixels: that of the screen, or a wider one that scrolls. */
function useWidth(element: RefObject<HTMLElement | null>, hours: number) {
  const [available, setAvailable] = useState(0);
  useLayoutEffect(() => {
    const measured = element.current;
    if (!measured) return;
    const observer = new ResizeObserver(() => setAvailable(measured.clientWidth));
    setAvailable(measured.clientWidth);
    observer.observe(measured);
    return () => observer.disconnect();
  }, [element]);
  const isNarrow = available < hours * leastHour;
  return { width: isNarrow ? hours * narrowHour : available, isNarrow };
}

interface StartPlace extends Pick<TimelineProps, "day" | "span" | "now" | "current"> {
  readonly isNarrow: boolean;
}

/** Scrolls a day once to the current event, or to now, or to the first event. */
function useStartPlace(scroller: RefObject<HTMLElement | null>, { day, span, now, current, isNarrow }: StartPlace): void {
  const placed = useRef<string>(undefined);
  useEffect(() => {
    const element = scroller.current;
    if (!element || !isNarrow || day.isLoading || placed.current === span.date) return;
    placed.current = span.date;
    const isToday = now >= span.start && now < span.end;
    const event = day.events.find(({ id }) => id === current);
    const time = event?.started_at ?? (isToday ? now : (day.events[0]?.started_at ?? span.start));
    const ahead = event ? 0.5 : isToday ? 0.85 : 0.15;
    element.scrollLeft = placeIn(span, time) * element.scrollWidth - element.clientWidth * ahead;
  }, [scroller, day.events, day.isLoading, span, now, current, isNarrow]);
}
