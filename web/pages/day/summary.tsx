import type { ReactNode } from "react";
import type { z } from "zod";
import { type DaySummary, summaryRoutes } from "../../../src/contract/routes/summaries.ts";
import { useReply } from "../../api/use-reply.ts";
import { className } from "../../parts/names.tsx";
import { DaemonText } from "../../texts/daemon-text.tsx";
import { useFormat } from "../../texts/format.tsx";
import { useMoreTexts } from "../../texts/more.ts";
import { useTexts } from "../../texts/texts.tsx";

type Day = z.output<typeof DaySummary>;

/** What was seen, alerted, hidden and wrong on a day, as the daily summary says it. */
export function Summary({ date }: { readonly date: string }) {
  const { summary } = useMoreTexts();
  const { data } = useReply(summaryRoutes.getSummary, { query: { date } }, { everyMs: 60_000 });
  if (!data) return null;
  return (
    <section aria-label={summary.title} className="mt-6">
      <h2 className="mb-1 font-semibold">{summary.title}</h2>
      <dl className="grid gap-x-4 gap-y-0.5 rounded-xl border border-line bg-card p-4 text-sm sm:grid-cols-[10rem_1fr] sm:gap-y-2">
        <Part title={summary.seen}>
          <Seen day={data} />
        </Part>
        <Part title={summary.alerts}>{summary.alertCounts(data.alerts)}</Part>
        {Object.values(data.hidden).some((count) => count > 0) && <Part title={summary.hidden}>{summary.hiddenCounts(data.hidden)}</Part>}
        <Part title={summary.problems}>
          <Problems day={data} />
        </Part>
        <Part title={summary.pending}>{summary.pendingCounts(data.pending)}</Part>
      </dl>
    </section>
  );
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <>
      <dt className="mt-2 text-soft first:mt-0 sm:mt-0">{title}</dt>
      <dd className="min-w-0 break-words">{children}</dd>
    </>
  );
}

function Seen({ day }: { readonly day: Day }) {
  const texts = useTexts();
  const { summary } = useMoreTexts();
  const cameras = day.cameras.filter(({ events }) => events > 0);
  if (cameras.length === 0) return summary.nothing;
  return (
    <ul>
      {cameras.map(({ camera_id, camera_name, events, classes }) => {
        const counts = classes.map(({ object_type, events: count }) => `${className(texts, object_type)} ${count}`).join(", ");
        return (
          <li key={camera_id}>
            <span className="font-medium">{camera_name}</span>: {summary.events(events)}
            {counts !== "" && ` (${counts})`}
          </li>
        );
      })}
    </ul>
  );
}

function Problems({ day }: { readonly day: Day }) {
  const { summary } = useMoreTexts();
  const format = useFormat();
  if (day.problems.length === 0) return summary.noProblems;
  return (
    <ul>
      {day.problems.map(({ camera_id, camera_name, reason, started_at, ended_at }) => (
        <li key={`${camera_id} ${reason} ${started_at.getTime()}`}>
          <span className="font-medium">{camera_name}</span>: <DaemonText>{reason}</DaemonText> (
          {summary.span(format.time(started_at), ended_at === null ? undefined : format.time(ended_at))})
        </li>
      ))}
    </ul>
  );
}
