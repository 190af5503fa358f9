import { className } from "../../parts/names.tsx";
import { useFormat } from "../../texts/format.tsx";
import { useMoreTexts } from "../../texts/more.ts";
import { useLanguage, useTexts } from "../../texts/texts.tsx";
import type { Period } from "./period.ts";
import { type Insights, medianAnswerMs } from "./use-insights.ts";
import type { Week } from "./week.tsx";

/** A smaller difference between two periods is chance. */
const leastDifference = 3;
/** Monday, 5 January 2026. */
const monday = Date.UTC(2026, 0, 5);

interface ChangesProps {
  readonly insights: Insights;
  readonly week: Week;
  readonly period: Period;
}

/** The period in sentences: what changed against the one before, and what stands out. */
export function Changes(props: ChangesProps) {
  const more = useMoreTexts();
  const sentences = useSentences(props);
  return (
    <section aria-label={more.insights.changes} className="mb-6 min-h-48 rounded-xl border border-line bg-card p-4">
      <h2 className="mb-1 font-semibold">{more.insights.changes}</h2>
      <ul className="list-disc space-y-1 pl-5">
        {sentences.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
    </section>
  );
}

function useSentences({ insights, week, period }: ChangesProps): readonly string[] {
  const more = useMoreTexts().insights;
  const format = useFormat();
  const changes = useLargestChanges(insights, period.days);
  const busiest = useBusiest(week);
  const { events, eventsBefore, alerts, alertsBefore, unreviewed } = insights;
  const sentences: string[] = [];
  if (events.data && eventsBefore.data) {
    const [now, before] = [events.data, eventsBefore.data];
    sentences.push(more.eventsChange(now.total_events, before.total_events, period.days));
    const grave = (counts: typeof now.events_by_risk_level): number => counts.high + counts.critical;
    sentences.push(more.graveChange(grave(now.events_by_risk_level), grave(before.events_by_risk_level)));
  }
  sentences.push(...changes);
  if (busiest) sentences.push(busiest);
  if (!alerts.isLoading && alertsBefore.data) {
    const answer = medianAnswerMs(alerts.items);
    sentences.push(more.alertsChange(alerts.total, alertsBefore.data.pagination.total));
    if (answer !== undefined) sentences.push(more.answered(format.duration(Math.max(1_000, answer))));
  }
  const left = unreviewed.data?.pagination.total;
  if (left !== undefined && events.data && events.data.total_events > 0) sentences.push(more.unreviewed(left));
  const silent = insights.gaps.data?.cameras
    .map(({ camera_name, gaps }) => ({
      camera_name,
      ms: gaps.reduce((sum, gap) => sum + gap.ended_at.getTime() - gap.started_at.getTime(), 0),
    }))
    .toSorted((one, other) => other.ms - one.ms)[0];
  if (silent && silent.ms > 0) sentences.push(more.silent(silent.camera_name, format.duration(silent.ms), insights.gapDays));
  return sentences;
}

interface Change {
  readonly name: string;
  readonly now: number;
  readonly difference: number;
}

/** The camera and the class whose numbers changed most. */
function useLargestChanges({ events, eventsBefore, detections, detectionsBefore }: Insights, days: number): readonly string[] {
  const texts = useTexts();
  const more = useMoreTexts().insights;
  const sentences: string[] = [];
  if (events.data && eventsBefore.data) {
    const before = eventsBefore.data.events_by_camera;
    const names = new Map([...before, ...events.data.events_by_camera].map(({ camera_id, camera_name }) => [camera_id, camera_name]));
    const countOf = (list: typeof before, id: string): number => list.find(({ camera_id }) => camera_id === id)?.event_count ?? 0;
    const { events_by_camera } = events.data;
    const camera = largest([...names].map(([id, name]) => ({ name, now: countOf(events_by_camera, id), before: countOf(before, id) })));
    if (camera) sentences.push(more.cameraChange(camera.name, camera.now, camera.difference));
  }
  if (detections.data && detectionsBefore.data) {
    const [now, before] = [detections.data.detections_by_class, detectionsBefore.data.detections_by_class];
    const labels = new Set([...Object.keys(now), ...Object.keys(before)]);
    const label = largest([...labels].map((name) => ({ name, now: now[name] ?? 0, before: before[name] ?? 0 })));
    if (label) sentences.push(more.classChange(className(texts, label.name, label.now), label.now, label.difference, days));
  }
  return sentences;
}

function largest(rows: readonly { readonly name: string; readonly now: number; readonly before: number }[]): Change | undefined {
  const [first] = rows
    .map(({ name, now, before }) => ({ name, now, difference: now - before }))
    .toSorted((one, other) => Math.abs(other.difference) - Math.abs(one.difference));
  return first && Math.abs(first.difference) >= leastDifference ? first : undefined;
}

/** The hour of the day with most events, if there are enough to say so. */
function useBusiest({ counts }: Week): string | undefined {
  const more = useMoreTexts().insights;
  const weekday = new Intl.DateTimeFormat(useLanguage(), { weekday: "long", timeZone: "UTC" });
  const sumOf = (matches: (at: number) => boolean): number => counts.reduce((sum, count, at) => sum + (matches(at) ? count : 0), 0);
  const byHour = Array.from({ length: 24 }, (_, hour) => sumOf((at) => at % 24 === hour));
  const byDay = Array.from({ length: 7 }, (_, day) => sumOf((at) => Math.floor(at / 24) === day));
  if (sumOf(() => true) < 10) return undefined;
  const hour = byHour.indexOf(Math.max(...byHour));
  const day = byDay.indexOf(Math.max(...byDay));
  return more.busiest(weekday.format(monday + day * 86_400_000), hour);
}
