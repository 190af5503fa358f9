import { ChevronLeft, ChevronRight } from "lucide-react";
import { type ReactNode, useState } from "react";
import { Link, useLocation, useParams, useSearchParams } from "wouter";
import { riskLevels } from "../../src/contract/constants.ts";
import { systemRoutes } from "../../src/contract/routes/system.ts";
import { For } from "../api/use-may.tsx";
import { useReply } from "../api/use-reply.ts";
import { useKeys } from "../keys/keys.tsx";
import { EventRow } from "../parts/event-row.tsx";
import { Page } from "../parts/page.tsx";
import { Risk } from "../parts/risk.tsx";
import { Empty, Failure, Missing } from "../parts/states.tsx";
import { useFormat, useNow } from "../texts/format.tsx";
import { useMoreTexts } from "../texts/more.ts";
import { useTexts } from "../texts/texts.tsx";
import type { Cluster } from "./day/clusters.ts";
import { type DaySpan, daySpan } from "./day/span.ts";
import { Summary } from "./day/summary.tsx";
import { Timeline } from "./day/timeline.tsx";
import { type Day, useDay } from "./day/use-day.ts";

/** A day: a lane for each camera with its events and the times without pictures. Without a date in the address it is today. */
export default function DayPage() {
  const format = useFormat();
  const home = useReply(systemRoutes.getHome, {});
  const { date } = useParams();
  // the day depends on the zone of the home, so the page waits for it
  if (!home.data && !home.error) return <div className="min-h-dvh" />;
  const span = daySpan(date ?? format.dayCode(new Date()), format.zone);
  return span ? <Shown key={span.date} span={span} /> : <Missing />;
}

function Shown({ span }: { readonly span: DaySpan }) {
  const texts = useTexts();
  const more = useMoreTexts();
  const format = useFormat();
  const now = useNow();
  const day = useDay(span);
  const [search] = useSearchParams();
  const current = Number(search.get("event") ?? Number.NaN);
  const [pointed, setPointed] = useState<Cluster>();
  useDayKeys(day, current, span);
  const isToday = span.date === format.dayCode(now);
  return (
    <Page title={format.day(span.start)} actions={<DayChoice span={span} today={format.dayCode(now)} />}>
      {day.error && <Failure error={day.error} onRetry={day.retry} />}
      {!day.error && (
        <div className="mb-3 flex min-h-6 flex-wrap gap-x-4 text-soft">
          <p>
            {day.isLoading ? texts.common.loading : more.day.summary(day.events.length, isToday)}
            {!day.isLoading && span.hours.length !== 24 && ` ${more.day.clockChange(span.hours.length)}`}
          </p>
          {day.events.length > 0 && <Levels day={day} />}
        </div>
      )}
      {!day.error && !day.isLoading && day.lanes.length === 0 && <Empty title={texts.now.noCameras} hint={texts.now.noCamerasHint} />}
      {day.lanes.length > 0 && (
        <Timeline day={day} span={span} now={now} current={current} hrefOf={(id) => addressOf(span, id)} onPreview={setPointed} />
      )}
      {!day.isLoading && (
        <>
          <Preview day={day} current={current} pointed={pointed} />
          <GapList day={day} span={span} />
          <For who="resident">
            <Summary date={span.date} />
          </For>
        </>
      )}
    </Page>
  );
}

/** How many events of each level there are; it explains the shapes, too. */
function Levels({ day }: { readonly day: Day }) {
  const format = useFormat();
  return riskLevels.map((level) => (
    <span key={level} className="inline-flex items-center gap-1">
      <Risk level={level} />{" "}
      <span className="text-sm">{format.number(day.events.filter(({ risk_level }) => risk_level === level).length)}</span>
    </span>
  ));
}

const addressOf = ({ date }: DaySpan, eventId: number): string => `/day/${date}?event=${eventId}`;

/** The keys go from event to event, over all cameras, in order of time. */
function useDayKeys({ events }: Day, current: number, span: DaySpan): void {
  const [, go] = useLocation();
  const at = events.findIndex(({ id }) => id === current);
  const show = (index: number): void => {
    const event = events[index];
    if (!event) return;
    go(addressOf(span, event.id), { replace: true });
    document.querySelector<HTMLElement>(`[data-events~="${event.id}"]`)?.focus();
  };
  useKeys({
    next: () => show(at + 1),
    previous: () => show(at < 0 ? events.length - 1 : at - 1),
    open: () => at >= 0 && go(`/events/${current}`),
  });
}

function DayChoice({ span, today }: { readonly span: DaySpan; readonly today: string }) {
  const more = useMoreTexts();
  const [, go] = useLocation();
  return (
    <div className="flex items-center gap-2">
      <Step date={span.previous} label={more.day.previous}>
        <ChevronLeft aria-hidden size={22} />
      </Step>
      <input
        type="date"
        aria-label={more.day.choose}
        value={span.date}
        max={today}
        onChange={({ target }) => target.value !== "" && go(`/day/${target.value}`)}
        className="min-h-11 rounded-lg border border-line bg-card px-2"
      />
      {span.date < today ? (
        <Step date={span.next} label={more.day.next}>
          <ChevronRight aria-hidden size={22} />
        </Step>
      ) : (
        <span className="size-11" />
      )}
    </div>
  );
}

function Step({ date, label, children }: { readonly date: string; readonly label: string; readonly children: ReactNode }) {
  return (
    <Link
      href={`/day/${date}`}
      aria-label={label}
      className="flex size-11 items-center justify-center rounded-lg border border-line bg-card hover:bg-raised"
    >
      {children}
    </Link>
  );
}

interface PreviewProps {
  readonly day: Day;
  readonly current: number;
  readonly pointed: Cluster | undefined;
}

/** The events of the mark that is pointed at, or of the current one. It has its height before, so that nothing moves. */
function Preview({ day, current, pointed }: PreviewProps) {
  const more = useMoreTexts();
  const chosen = day.events.find(({ id }) => id === current);
  const shown = pointed?.events ?? (chosen ? [chosen] : []);
  if (day.events.length === 0) return null;
  return (
    <section aria-label={more.day.preview} className="mt-3 mb-6 min-h-28 rounded-xl border border-line bg-card p-2">
      {shown.length === 0 ? (
        <p className="p-2 text-sm text-soft">
          {more.day.hint} <span className="hidden md:inline">{more.day.keys}</span>
        </p>
      ) : (
        <div className="grid gap-1 lg:grid-cols-2">
          {shown.map((event) => (
            <div key={event.id} className={event.id === current && shown.length > 1 ? "rounded-xl outline-2 outline-accent" : ""}>
              <EventRow event={event} />
            </div>
          ))}
        </div>
      )}
    </section>
  );
}

/** The times without pictures in words. */
function GapList({ day, span }: { readonly day: Day; readonly span: DaySpan }) {
  const more = useMoreTexts();
  const format = useFormat();
  const lines = day.lanes.flatMap(({ id, name, gaps }) => {
    if (!gaps) return [];
    const { recorded_since: since } = gaps;
    const words = gaps.gaps.map(({ started_at, ended_at, ongoing }) =>
      more.day.gap(format.clock(started_at), ongoing ? undefined : format.clock(ended_at)),
    );
    if (!since || since >= span.end) words.push(more.day.unknown);
    else if (since > span.start) words.unshift(more.day.unknownUntil(format.clock(since)));
    return words.length > 0 ? [{ id, name, words }] : [];
  });
  if (lines.length === 0) return null;
  return (
    <section aria-label={more.day.gaps}>
      <h2 className="mb-1 flex items-center gap-2 font-semibold">
        <span aria-hidden className="hatched inline-block h-4 w-6 border-x border-medium" /> {more.day.gaps}
      </h2>
      <ul className="text-sm">
        {lines.map(({ id, name, words }) => (
          <li key={id}>
            <span className="font-medium">{name}</span>: {words.join(", ")}
          </li>
        ))}
      </ul>
    </section>
  );
}
