import { useMemo } from "react";
import { offsetIn } from "../../../src/base/clock/time-zone.ts";
import { statisticsRoutes } from "../../../src/contract/routes/statistics.ts";
import { useReply } from "../../api/use-reply.ts";
import { useFormat } from "../../texts/format.tsx";
import { useMoreTexts } from "../../texts/more.ts";
import { useLanguage } from "../../texts/texts.tsx";
import type { Period } from "./period.ts";

const days = Array.from({ length: 7 }, (_, day) => day);
const hours = Array.from({ length: 24 }, (_, hour) => hour);
const hourMs = 3_600_000;
/** Monday, 5 January 2026: the week begins with it. */
const monday = Date.UTC(2026, 0, 5);

/** Events of a period by weekday, from Monday, and hour: `counts[day * 24 + hour]`. */
export interface Week {
  readonly counts: readonly number[];
  readonly isLoading: boolean;
}

/** Counts the events by weekday and hour of the home's zone. */
export function useWeek({ start, end }: Period): Week {
  const { zone } = useFormat();
  // the API answers at most 2,000 hours at once
  const middle = new Date(start.getTime() + Math.floor((end.getTime() - start.getTime()) / 2 / hourMs) * hourMs);
  const ask = (from: Date, to: Date) => ({
    query: { start_date: from.toISOString(), end_date: to.toISOString(), bucket_size: "hour" as const, timezone: zone },
  });
  const first = useReply(statisticsRoutes.getEventTimeline, ask(start, new Date(middle.getTime() - 1)));
  const second = useReply(statisticsRoutes.getEventTimeline, ask(middle, end));
  const counts = useMemo(() => {
    const offset = offsetIn(zone);
    const sums = Array.from({ length: 7 * 24 }, () => 0);
    for (const { timestamp, event_count } of [...(first.data?.buckets ?? []), ...(second.data?.buckets ?? [])]) {
      const local = new Date(timestamp.getTime() + offset(timestamp.getTime()));
      const at = ((local.getUTCDay() + 6) % 7) * 24 + local.getUTCHours();
      sums[at] = (sums[at] ?? 0) + event_count;
    }
    return sums;
  }, [first.data, second.data, zone]);
  return { counts, isLoading: !first.data || !second.data };
}

/** When in the week events happen: a table with shades. */
export function WeekTable({ week }: { readonly week: Week }) {
  const more = useMoreTexts();
  const format = useFormat();
  const language = useLanguage();
  const short = new Intl.DateTimeFormat(language, { weekday: "short", timeZone: "UTC" });
  const long = new Intl.DateTimeFormat(language, { weekday: "long", timeZone: "UTC" });
  const most = Math.max(1, ...week.counts);
  return (
    <section aria-label={more.insights.week} className="rounded-xl border border-line bg-card p-4">
      <h3 className="font-medium">{more.insights.week}</h3>
      <p className="mb-2 text-sm text-soft">{more.insights.weekNote}</p>
      <table className="w-full table-fixed border-separate border-spacing-px text-xs">
        <thead>
          <tr>
            <td className="w-8" />
            {hours.map((hour) => (
              <th key={hour} scope="col" className="h-5 overflow-visible p-0 text-left font-normal whitespace-nowrap text-soft">
                {hour % 6 === 0 ? `${hour}:00` : <span className="sr-only">{hour}:00</span>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {days.map((day) => (
            <tr key={day}>
              <th scope="row" className="text-left font-normal text-soft">
                {short.format(monday + day * 86_400_000)}
              </th>
              {hours.map((hour) => {
                const count = week.counts[day * 24 + hour] ?? 0;
                return (
                  <td
                    key={hour}
                    title={`${long.format(monday + day * 86_400_000)} ${hour}:00: ${more.insights.events(count)}`}
                    className="relative h-6 bg-raised p-0 md:h-7"
                  >
                    <span aria-hidden className="absolute inset-0 bg-accent" style={{ opacity: count / most }} />
                    <span className="sr-only">{format.number(count)}</span>
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
