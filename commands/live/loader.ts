import type { Io } from "../io.ts";
import { decode } from "./picture/decode.ts";
import { steadied } from "./steadied.ts";
import type { Store } from "./store.ts";
import { subjectOf } from "./ui/chosen.ts";
import { hasPreview } from "./ui/layout.ts";
import type { Loaded, PixelImage, State, Subject } from "./ui/ui.ts";

/** Between two loads that nobody asked for with a key: requests are limited. */
const restMs = 3_000;

/** What is to be loaded, and a text that differs when it has to be loaded again. */
interface Wanted {
  readonly subject: Subject;
  readonly picture: number;
  readonly whole: boolean;
  readonly key: string;
}

/** Loads what the details show, when they show something else or it has changed. Returns how to end that. */
export function startLoader({ io, store }: { readonly io: Io; readonly store: Store }): () => void {
  let loadedKey = "";
  let lastAt = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;
  let underWay = false;

  const look = (): void => {
    const wanted = wantedBy(store.shown());
    if (wanted === undefined || wanted.key === loadedKey || underWay || timer !== undefined) return;
    const waitMs = wanted.whole && !loadedKey.startsWith(nameOf(wanted)) ? 0 : Math.max(0, lastAt + restMs - performance.now());
    timer = setTimeout(async () => {
      timer = undefined;
      const now = wantedBy(store.shown());
      if (now === undefined) return;
      underWay = true;
      loadedKey = now.key;
      lastAt = performance.now();
      await load(io, store, now);
      underWay = false;
      look();
    }, waitMs);
  };
  const unsubscribe = store.subscribe(look);
  return () => {
    clearTimeout(timer);
    unsubscribe();
  };
}

const nameOf = ({ subject, picture, whole }: Omit<Wanted, "key">): string => `${subject.kind} ${subject.id} ${picture} ${whole}`;

function wantedBy(state: State): Wanted | undefined {
  const { ui, data } = state;
  const subject = ui.details !== undefined || hasPreview(state) ? subjectOf(state) : undefined;
  if (subject === undefined) return undefined;
  const wanted = { subject, picture: ui.details?.picture ?? 0, whole: ui.details !== undefined };
  const event = subject.kind === "event" ? data.events.find(({ id }) => String(id) === subject.id) : undefined;
  const seen = subject.kind === "camera" ? data.cameras.get(subject.id)?.last_seen_at?.getTime() : undefined;
  const version = event === undefined ? seen : `${event.analysis_status} ${event.risk_score} ${event.reviewed} ${event.detection_count}`;
  return { ...wanted, key: `${nameOf(wanted)} ${version}` };
}

async function load(io: Io, store: Store, { subject, picture, whole }: Wanted): Promise<void> {
  const before = store.current().ui.loaded;
  let loaded: Loaded =
    before?.subject.id === subject.id && before.subject.kind === subject.kind ? { ...before, picture } : { subject, picture };
  const tell = (more: Partial<Loaded>): void => {
    loaded = { ...loaded, ...more };
    store.dispatch({ kind: "loaded", loaded });
  };
  try {
    if (subject.kind === "camera") return await loadCamera(io, subject.id, tell);
    const params = { event_id: Number(subject.id) };
    const found = await io.call("getEvent", { params });
    const detections = found.detections.toSorted((a, b) => b.confidence - a.confidence);
    tell({ event: { ...found, detections }, trouble: undefined });
    const detection = detections[picture];
    if (detection === undefined) tell({ image: undefined, noImage: found.kind === "event" ? "there is no picture" : "" });
    else tell(await imageOf(() => io.call("getDetectionThumbnail", { params: { detection_id: detection.id } })));
    if (whole) tell({ explanation: steadied(await io.call("explainEvent", { params })) });
  } catch (error) {
    // what was shown before stays; without anything the reason takes its place
    if (loaded.event === undefined) tell({ trouble: messageOf(error) });
  }
}

async function loadCamera(io: Io, id: string, tell: (more: Partial<Loaded>) => void): Promise<void> {
  tell(await imageOf(() => io.call("getCameraSnapshot", { params: { camera_id: id } })));
}

async function imageOf(
  ask: () => Promise<{ readonly bytes: Uint8Array }>,
): Promise<{ image: PixelImage | undefined; noImage: string | undefined }> {
  try {
    return { image: await decode((await ask()).bytes), noImage: undefined };
  } catch (error) {
    return { image: undefined, noImage: messageOf(error) };
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
