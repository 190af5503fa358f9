import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useRef } from "react";
import type { z } from "zod";
import type { JournalMessage } from "../../../src/contract/live.ts";
import { cameraRoutes } from "../../../src/contract/routes/cameras.ts";
import { eventRoutes } from "../../../src/contract/routes/events.ts";
import { imageRoutes } from "../../../src/contract/routes/images.ts";
import { useList } from "../../api/use-list.ts";
import { replyKey, useReply } from "../../api/use-reply.ts";
import { useMessages } from "../../live/live.tsx";
import type { EventRecord } from "../../parts/event-row.tsx";
import { everyCamera } from "../../parts/names.tsx";
import type { DaySpan } from "./span.ts";

/** The times without pictures of one camera. */
export type CameraGaps = z.output<typeof imageRoutes.listPictureGaps.reply>["cameras"][number];

/** One camera on a day. */
export interface DayLane {
  readonly id: string;
  readonly name: string;
  /** Oldest first. */
  readonly events: readonly EventRecord[];
  readonly gaps: CameraGaps | undefined;
}

/** Everything that happened on a day. */
export interface Day {
  readonly lanes: readonly DayLane[];
  /** Of all cameras, oldest first. */
  readonly events: readonly EventRecord[];
  readonly isLoading: boolean;
  readonly error: Error | null;
  readonly retry: () => void;
}

/** Reads all events of a day and the times without pictures. The reply is complete when `isLoading` is false. */
export function useDay(span: DaySpan): Day {
  const last = new Date(span.end.getTime() - 1);
  const request = { query: { start_date: span.start, end_date: last, kind: "all" as const, limit: 1000 } };
  const list = useList(eventRoutes.listEvents, request);
  const cameras = useReply(cameraRoutes.listCameras, everyCamera);
  const gaps = useReply(imageRoutes.listPictureGaps, { query: { start_date: span.start, end_date: last } }, { everyMs: 60_000 });
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = list;
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);
  useNewEvents(span, replyKey(eventRoutes.listEvents, request));
  const events = useMemo(() => list.data?.pages.flatMap(({ items }) => items).toReversed() ?? [], [list.data]);
  const lanes = useMemo(() => lanesOf(cameras.data?.cameras ?? [], events, gaps.data?.cameras ?? []), [cameras.data, events, gaps.data]);
  return {
    lanes,
    events,
    isLoading: !list.data || hasNextPage || !cameras.data,
    error: list.data ? null : (list.error ?? cameras.error),
    retry: () => {
      void list.refetch();
      void cameras.refetch();
    },
  };
}

/** A camera that was deleted since keeps its lane on days with events. */
function lanesOf(
  cameras: readonly { readonly camera_id: string; readonly name: string }[],
  events: readonly EventRecord[],
  gaps: readonly CameraGaps[],
): readonly DayLane[] {
  const names = new Map(events.map(({ camera_id }) => [camera_id, camera_id]));
  for (const { camera_id, name } of cameras) names.set(camera_id, name);
  const lanes = [...names].map(([id, name]) => ({
    id,
    name,
    events: events.filter(({ camera_id }) => camera_id === id),
    gaps: gaps.find(({ camera_id }) => camera_id === id),
  }));
  return lanes.sort((one, other) => one.name.localeCompare(other.name));
}

/** An event that arrives on the shown day gets its mark at once: nothing moves by it. */
function useNewEvents(span: DaySpan, queryKey: readonly unknown[]): void {
  const cache = useQueryClient();
  const latest = useRef({ span, queryKey });
  latest.current = { span, queryKey };
  useMessages(
    useCallback(
      (message: JournalMessage) => {
        const { start, end } = latest.current.span;
        const isHere = message.type === "event" && message.data.started_at >= start && message.data.started_at < end;
        if (isHere || message.type === "event.deleted") void cache.invalidateQueries({ queryKey: latest.current.queryKey });
      },
      [cache],
    ),
  );
}
