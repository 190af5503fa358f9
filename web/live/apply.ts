import type { InfiniteData, QueryClient } from "@tanstack/react-query";
import type { z } from "zod";
import type { JournalMessage } from "../../src/contract/live.ts";
import type { Route } from "../../src/contract/route.ts";
import { alertRoutes } from "../../src/contract/routes/alerts.ts";
import { cameraRoutes } from "../../src/contract/routes/cameras.ts";
import { detectionRoutes } from "../../src/contract/routes/detections.ts";
import { eventRoutes } from "../../src/contract/routes/events.ts";
import { explainRoutes } from "../../src/contract/routes/explain.ts";
import { modeRoutes } from "../../src/contract/routes/modes.ts";
import { silenceRoutes } from "../../src/contract/routes/silences.ts";
import { forget } from "../api/use-reply.ts";

type ListReply = { readonly items: readonly { readonly id: unknown }[] };

/** Changes the cached replies as a live message says. Lists get changed rows in place; a new row waits until the reader asks for it. */
export function applyMessage(cache: QueryClient, message: JournalMessage): void {
  switch (message.type) {
    case "event":
    case "event.updated":
      replaceInLists(cache, eventRoutes.listEvents, message.data);
      later(cache, eventRoutes.getEvent, message.data.id);
      later(cache, explainRoutes.explainEvent, message.data.id);
      return;
    case "event.deleted":
      later(cache, eventRoutes.getEvent, message.data.id);
      return;
    case "alert_created":
      void forget(cache, alertRoutes.listAlerts);
      return;
    case "alert_delivered":
    case "alert_acknowledged":
    case "alert_dismissed":
      replaceInLists(cache, alertRoutes.listAlerts, message.data);
      later(cache, explainRoutes.explainEvent, message.data.event_id);
      return;
    case "camera_status":
      replaceCamera(cache, message.data);
      return;
    case "detection.new":
      noteDetection(cache, message.data);
      return;
    case "silence.started":
    case "silence.ended":
      void forget(cache, silenceRoutes.listSilences);
      return;
    case "mode.changed":
      cache.setQueryData([modeRoutes.getMode.path, {}], message.data);
      void forget(cache, modeRoutes.listModeSwitches);
      return;
    default:
      return;
  }
}

/** Asks again for what is shown of one event. */
function later(cache: QueryClient, route: Route, eventId: number): void {
  void cache.invalidateQueries({ queryKey: [route.path, { params: { event_id: eventId } }] });
}

function replaceInLists(cache: QueryClient, route: Route, row: { readonly id: unknown }): void {
  const replaced = (list: ListReply): ListReply =>
    list.items.some(({ id }) => id === row.id) ? { ...list, items: list.items.map((item) => (item.id === row.id ? row : item)) } : list;
  cache.setQueriesData<ListReply | InfiniteData<ListReply>>({ queryKey: [route.path] }, (data) => {
    if (!data) return data;
    return "pages" in data ? { ...data, pages: data.pages.map(replaced) } : replaced(data);
  });
}

type CameraList = z.output<typeof cameraRoutes.listCameras.reply>;

type Camera = CameraList["cameras"][number];

/** Messages know nothing of a camera's picture: the address stays while the picture does, and the colours look nearly the same anyway. */
function pictureAfter(before: Camera, { last_seen_at: seen }: Pick<Camera, "last_seen_at">): Pick<Camera, "preview_url" | "blur_hash"> {
  const isSame = seen?.getTime() === before.last_seen_at?.getTime();
  return { preview_url: isSame ? before.preview_url : null, blur_hash: before.blur_hash };
}

function replaceCamera(cache: QueryClient, camera: Camera): void {
  let isKnown = false;
  const changed = (before: Camera): Camera => ({ ...camera, ...pictureAfter(before, camera) });
  cache.setQueriesData<CameraList>({ queryKey: [cameraRoutes.listCameras.path] }, (data) => {
    if (!data) return data;
    isKnown ||= data.cameras.some(({ camera_id }) => camera_id === camera.camera_id);
    return { ...data, cameras: data.cameras.map((each) => (each.camera_id === camera.camera_id ? changed(each) : each)) };
  });
  if (!isKnown) void forget(cache, cameraRoutes.listCameras);
}

type DetectionList = z.output<typeof detectionRoutes.listDetections.reply>;

/** The newest detection of a camera is shown on its tile. */
function noteDetection(cache: QueryClient, detection: DetectionList["items"][number]): void {
  const { camera_id } = detection;
  const queryKey = [detectionRoutes.listDetections.path, newestOf(camera_id)];
  cache.setQueryData<DetectionList>(queryKey, (data) => (data ? { ...data, items: [detection, ...data.items].slice(0, 1) } : data));
  cache.setQueriesData<CameraList>({ queryKey: [cameraRoutes.listCameras.path] }, (data) => {
    if (!data) return data;
    const seen = { last_seen_at: detection.created_at };
    const changed = (before: Camera): Camera => ({ ...before, ...seen, ...pictureAfter(before, seen) });
    return { ...data, cameras: data.cameras.map((each) => (each.camera_id === camera_id ? changed(each) : each)) };
  });
}

/** The request for the newest detection of a camera. */
export function newestOf(cameraId: string) {
  return { query: { camera_id: [cameraId], limit: 1 } };
}
