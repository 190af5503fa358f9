import { Hexagon } from "lucide-react";
import { type FocusEvent, useEffect, useMemo } from "react";
import { Link } from "wouter";
import { levelColours, levelShapes } from "../../parts/risk.tsx";
import { useFormat } from "../../texts/format.tsx";
import { useMoreTexts } from "../../texts/more.ts";
import { useTexts } from "../../texts/texts.tsx";
import { type Cluster, clustersOf } from "./clusters.ts";
import { type DaySpan, placeIn } from "./span.ts";
import type { DayLane } from "./use-day.ts";

const percent = (share: number): string => `${share * 100}%`;

interface LaneProps {
  readonly lane: DayLane;
  readonly span: DaySpan;
  /** Events that begin within this time of each other share a mark. */
  readonly closeMs: number;
  readonly now: Date;
  /** The event that the keys have reached. */
  readonly current: number | undefined;
  /** Address of the page with this event as the current one. */
  readonly hrefOf: (eventId: number) => string;
  readonly onPreview: (cluster: Cluster | undefined) => void;
}

/** One camera over the day: its name, its marks, and the times without pictures. */
export function Lane({ lane, span, closeMs, now, current, hrefOf, onPreview }: LaneProps) {
  const more = useMoreTexts();
  const { recorded_since } = lane.gaps ?? {};
  const clusters = useMemo(() => clustersOf(lane.events, closeMs), [lane.events, closeMs]);
  const reached = clusters.find(({ events }) => events.some(({ id }) => id === current));
  useEffect(() => {
    if (reached) onPreview(reached);
  }, [reached, onPreview]);
  const unknownUntil = recorded_since ? placeIn(span, recorded_since) : 0;
  return (
    <section aria-label={more.day.lane(lane.name, lane.events.length)} className="border-t border-line">
      <h2 className="sticky left-0 w-fit max-w-[80vw] truncate pt-1.5 pr-2 text-sm font-medium">{lane.name}</h2>
      <div className="relative h-14 overflow-hidden rounded-md bg-raised">
        {unknownUntil > 0 && <span className="absolute inset-y-0 left-0 bg-page" style={{ width: percent(unknownUntil) }} />}
        <span className="absolute inset-y-0 right-0 bg-page opacity-70" style={{ left: percent(placeIn(span, now)) }} />
        {span.hours.slice(1).map((hour) => (
          <span
            key={hour.getTime()}
            className="absolute inset-y-0 w-px bg-line"
            style={{ left: percent(placeIn(span, hour)) }}
            aria-hidden
          />
        ))}
        <Gaps lane={lane} span={span} />
        {lane.events.map((event) => (
          <Duration key={event.id} span={span} from={event.started_at} to={event.ended_at} level={event.risk_level} />
        ))}
        <ol>
          {clusters.map((cluster) => (
            <Mark
              key={cluster.events[0]?.id}
              cluster={cluster}
              span={span}
              isCurrent={cluster === reached}
              hrefOf={hrefOf}
              onPreview={onPreview}
            />
          ))}
        </ol>
      </div>
    </section>
  );
}

/** The times without pictures, hatched, with words where there is room. */
function Gaps({ lane, span }: { readonly lane: DayLane; readonly span: DaySpan }) {
  const format = useFormat();
  const more = useMoreTexts();
  return lane.gaps?.gaps.map(({ started_at, ended_at, ongoing }) => {
    const [left, right] = [placeIn(span, started_at), placeIn(span, ended_at)];
    const words = more.day.gap(format.clock(started_at), ongoing ? undefined : format.clock(ended_at));
    return (
      <span
        key={started_at.getTime()}
        title={words}
        className="hatched absolute inset-y-0 overflow-hidden border-x border-medium"
        style={{ left: percent(left), width: percent(right - left) }}
      >
        <span className="sr-only">{words}</span>
        {right - left > 0.08 && (
          <span aria-hidden className="m-1 inline-block rounded bg-card px-1 text-xs whitespace-nowrap text-medium">
            {more.day.silent}
          </span>
        )}
      </span>
    );
  });
}

const bars = { low: "bg-low", medium: "bg-medium", high: "bg-high", critical: "bg-critical" } as const;

interface DurationProps {
  readonly span: DaySpan;
  readonly from: Date;
  readonly to: Date;
  readonly level: keyof typeof bars | null;
}

/** When exactly an event was, as a thin bar at the foot of the lane. */
function Duration({ span, from, to, level }: DurationProps) {
  const left = placeIn(span, from);
  return (
    <span
      aria-hidden
      className={`absolute bottom-0 h-1.5 min-w-0.5 ${level === null ? "bg-soft" : bars[level]}`}
      style={{ left: percent(left), width: percent(placeIn(span, to) - left) }}
    />
  );
}

interface MarkProps {
  readonly cluster: Cluster;
  readonly span: DaySpan;
  readonly isCurrent: boolean;
  readonly hrefOf: (eventId: number) => string;
  readonly onPreview: (cluster: Cluster | undefined) => void;
}

/** A shape that opens its event; with a number it stands for several events and shows them below. */
function Mark({ cluster, span, isCurrent, hrefOf, onPreview }: MarkProps) {
  const texts = useTexts();
  const more = useMoreTexts();
  const format = useFormat();
  const { events, top, level } = cluster;
  const Shape = level === null ? Hexagon : levelShapes[level];
  const first = events[0] ?? top;
  const verdict = top.kind === "camera_health" ? texts.event.incident : level === null ? texts.event.unscored : texts.event.risk[level];
  const name =
    events.length === 1
      ? `${format.clock(top.started_at)}, ${verdict}: ${top.summary || texts.event.summaryPending}`
      : more.day.cluster(events.length, format.clock(first.started_at), format.clock((events.at(-1) ?? top).started_at), verdict);
  const show = (event?: FocusEvent): void => {
    onPreview(cluster);
    event?.currentTarget.scrollIntoView({ block: "nearest", inline: "nearest" });
  };
  return (
    <li
      className="absolute inset-y-0"
      style={{ left: `clamp(1.375rem, ${percent(placeIn(span, first.started_at))}, calc(100% - 1.375rem))` }}
    >
      <Link
        href={events.length === 1 ? `/events/${top.id}` : hrefOf(first.id)}
        replace={events.length > 1}
        aria-label={name}
        aria-current={isCurrent ? "true" : undefined}
        data-events={events.map(({ id }) => id).join(" ")}
        onFocus={show}
        onPointerEnter={(event) => event.pointerType === "mouse" && show()}
        className={`absolute top-0 flex h-12 w-11 -translate-x-1/2 items-center justify-center ${level === null ? "text-soft" : levelColours[level]}`}
      >
        <span
          className={`flex size-8 items-center justify-center rounded-full bg-card shadow ${isCurrent ? "outline-2 outline-accent" : ""}`}
        >
          <Shape aria-hidden size={20} strokeWidth={3} />
        </span>
        {events.length > 1 && (
          <span
            aria-hidden
            className="absolute top-0 right-0 min-w-5 rounded-full bg-text px-1 text-center text-xs font-semibold text-page"
          >
            {events.length}
          </span>
        )}
      </Link>
    </li>
  );
}
