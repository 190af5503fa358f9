import { useMemo } from "react";
import { riskLevels } from "../../../src/contract/constants.ts";
import { className } from "../../parts/names.tsx";
import { useFormat } from "../../texts/format.tsx";
import { useMoreTexts } from "../../texts/more.ts";
import { useLanguage, useTexts } from "../../texts/texts.tsx";
import { BarTable } from "./bar-table.tsx";
import type { ChartData } from "./chart.tsx";
import { Figure } from "./figure.tsx";
import type { Insights } from "./use-insights.ts";

/** The bounds of the levels in the history of risk, which are fixed. */
const bounds = { low: "0–29", medium: "30–59", high: "60–84", critical: "85–100" } as const;

/** Returns how to write a day that the API gives as a date: "27 Nov". */
function useDayNames(): (date: string) => string {
  const format = new Intl.DateTimeFormat(useLanguage(), { day: "numeric", month: "short", timeZone: "UTC" });
  return (date) => format.format(Date.parse(date));
}

/** The days of the analytics begin at midnight UTC; where that differs from the home, the chart says so. */
function useDayNote(): string | undefined {
  const more = useMoreTexts();
  const { zone } = useFormat();
  return zone === "UTC" ? undefined : more.insights.utcNote;
}

/** Events by day and level, the average score, and how scores are spread. */
export function EventFigures({ insights: { risk, scores, distribution } }: { readonly insights: Insights }) {
  const texts = useTexts();
  const more = useMoreTexts();
  const dayName = useDayNames();
  const note = useDayNote();
  const byLevel = useStable<ChartData>({
    kind: "stacked",
    axis: more.insights.day,
    labels: risk.data?.data_points.map(({ date }) => dayName(date)) ?? [],
    series: riskLevels.map((level) => ({
      name: `${texts.event.risk[level]} ${bounds[level]}`,
      colour: level,
      values: risk.data?.data_points.map((point) => point[level]) ?? [],
    })),
  });
  const average = useStable<ChartData>({
    kind: "line",
    axis: more.insights.day,
    top: 100,
    labels: scores.data?.data_points.map(({ date }) => dayName(date)) ?? [],
    series: [
      {
        name: more.insights.averageScore,
        colour: "accent",
        values: scores.data?.data_points.map(({ avg_score, count }) => (count === 0 ? null : avg_score)) ?? [],
      },
    ],
  });
  const spread = useStable<ChartData>({
    kind: "bars",
    axis: more.insights.score,
    labels: distribution.data?.buckets.map(({ min_score, max_score }) => `${min_score}–${max_score}`) ?? [],
    series: [{ name: more.insights.eventsTitle, colour: "accent", values: distribution.data?.buckets.map(({ count }) => count) ?? [] }],
  });
  return (
    <>
      <Figure id="events-by-day" title={more.insights.eventsByDay} note={note} data={byLevel} />
      <Figure id="average-score" title={more.insights.averageByDay} note={note} data={average} />
      <Figure id="scores" title={more.insights.scores} note={more.insights.scoresNote} data={spread} />
    </>
  );
}

/** Detections by day and by class. */
export function DetectionFigures({ insights }: { readonly insights: Insights }) {
  const texts = useTexts();
  const more = useMoreTexts();
  const format = useFormat();
  const dayName = useDayNames();
  const note = useDayNote();
  const { detectionDays, detections, detectionsBefore, objects } = insights;
  const byDay = useStable<ChartData>({
    kind: "bars",
    axis: more.insights.day,
    labels: detectionDays.data?.data_points.map(({ date }) => dayName(date)) ?? [],
    series: [
      { name: more.insights.detectionsTitle, colour: "accent", values: detectionDays.data?.data_points.map(({ count }) => count) ?? [] },
    ],
  });
  const shares = new Map(objects.data?.object_types.map(({ object_type, percentage }) => [object_type, percentage]));
  const confidence = detections.data?.average_confidence ?? null;
  return (
    <>
      <Figure id="detections-by-day" title={more.insights.detectionsByDay} note={note} data={byDay} />
      <BarTable
        title={more.insights.byClass}
        note={confidence === null ? undefined : more.insights.confidence(format.percent(confidence))}
        columns={[texts.review.kind, more.insights.now, more.insights.before]}
        empty={more.insights.nothing}
        rows={(detections.data?.object_class_distribution ?? []).map(({ object_class, count }) => ({
          key: object_class,
          name: className(texts, object_class, 2),
          value: count,
          before: detectionsBefore.data?.detections_by_class[object_class] ?? 0,
          detail: shares.has(object_class) ? format.percent((shares.get(object_class) ?? 0) / 100) : undefined,
        }))}
      />
    </>
  );
}

/** The same object as long as its content is the same, so that a chart is not drawn again for nothing. */
function useStable<T extends object>(value: T): T {
  const text = JSON.stringify(value);
  return useMemo(() => JSON.parse(text) as T, [text]);
}
