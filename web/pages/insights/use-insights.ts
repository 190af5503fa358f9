import { useEffect, useMemo } from "react";
import type { z } from "zod";
import { type Alert, alertRoutes } from "../../../src/contract/routes/alerts.ts";
import { analyticsRoutes } from "../../../src/contract/routes/analytics.ts";
import { eventRoutes } from "../../../src/contract/routes/events.ts";
import { imageRoutes } from "../../../src/contract/routes/images.ts";
import { statisticsRoutes } from "../../../src/contract/routes/statistics.ts";
import { useList } from "../../api/use-list.ts";
import { useReply } from "../../api/use-reply.ts";
import type { Period } from "./period.ts";

/** An alert of the period. */
export type AlertRecord = z.output<typeof Alert>;

/** At most this many pages of 1,000 alerts are read; the counts of rules say so when there are more. */
const mostAlertPages = 5;
/** The API finds gaps in at most this many days. */
const mostGapDays = 31;

/** Reads everything that the page shows, for a period and the one before. */
export function useInsights(period: Period) {
  const { before, utc, days } = period;
  const range = { start_date: period.start, end_date: period.end };
  const rangeBefore = { start_date: before.start, end_date: before.end };
  const gapStart = new Date(Math.max(period.start.getTime(), period.end.getTime() - mostGapDays * 86_400_000));
  return {
    events: useReply(statisticsRoutes.getEventStats, { query: range }),
    eventsBefore: useReply(statisticsRoutes.getEventStats, { query: rangeBefore }),
    detections: useReply(statisticsRoutes.getDetectionStats, { query: range }),
    detectionsBefore: useReply(statisticsRoutes.getDetectionStats, { query: rangeBefore }),
    risk: useReply(analyticsRoutes.getRiskHistory, { query: utc }),
    scores: useReply(analyticsRoutes.getRiskScoreTrends, { query: utc }),
    distribution: useReply(analyticsRoutes.getRiskScoreDistribution, { query: { ...utc, bucket_size: 10 } }),
    detectionDays: useReply(analyticsRoutes.getDetectionTrends, { query: utc }),
    objects: useReply(analyticsRoutes.getObjectDistribution, { query: utc }),
    uptime: useReply(analyticsRoutes.getCameraUptime, { query: utc }),
    gaps: useReply(imageRoutes.listPictureGaps, { query: { start_date: gapStart, end_date: period.end } }),
    gapDays: Math.min(days, mostGapDays),
    unreviewed: useReply(eventRoutes.listEvents, { query: { ...range, reviewed: false, limit: 1 } }),
    alerts: useAlerts(range),
    alertsBefore: useReply(alertRoutes.listAlerts, { query: { ...rangeBefore, limit: 1 } }),
  };
}

/** What the page shows. */
export type Insights = ReturnType<typeof useInsights>;

/** All alerts of a period, up to a limit. */
export interface PeriodAlerts {
  readonly items: readonly AlertRecord[];
  readonly total: number;
  readonly isLoading: boolean;
}

function useAlerts(range: { readonly start_date: Date; readonly end_date: Date }): PeriodAlerts {
  const list = useList(alertRoutes.listAlerts, { query: { ...range, limit: 1000 } });
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage } = list;
  const mayReadMore = hasNextPage && (data?.pages.length ?? 0) < mostAlertPages;
  useEffect(() => {
    if (mayReadMore && !isFetchingNextPage) void fetchNextPage();
  }, [mayReadMore, isFetchingNextPage, fetchNextPage]);
  const items = useMemo(() => data?.pages.flatMap((page) => page.items) ?? [], [data]);
  return { items, total: data?.pages[0]?.pagination.total ?? 0, isLoading: !data || mayReadMore };
}

/** Half of the closed alerts were acknowledged or dismissed within this time; undefined without any. */
export function medianAnswerMs(alerts: readonly AlertRecord[]): number | undefined {
  const times = alerts
    .flatMap(({ created_at, acknowledged_at, dismissed_at }) => {
      const closed = acknowledged_at ?? dismissed_at;
      return closed ? [closed.getTime() - created_at.getTime()] : [];
    })
    .toSorted((one, other) => one - other);
  return times[Math.floor((times.length - 1) / 2)];
}
