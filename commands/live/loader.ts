import { Problem } from "../../src/contract/problem.ts";
import type { Io } from "../io.ts";
import type { PixelImage } from "../picture/terminal.ts";
import type { Store } from "./store.ts";
import { steadied } from "./text.ts";
import { hasPreview } from "./ui/layout.ts";
import { subjectOf } from "./ui/selection.ts";
import type { Loaded, State, Subject } from "./ui/ui.ts";

interface LoaderOptions {
  readonly io: Io;
  readonly store: Store;
  /** Decodes a picture. Throws if it is none. */
  decode(bytes: Uint8Array): Promise<PixelImage>;
}

/** Shortest time between loads without a key press, because of the rate limit. */
const restMs = 3_000;

/** What to load; a changed `key` means to load it again. */
interface Wanted {
  readonly subject: Subject;
  readonly picture: number;
  readonly whole: boolean;
  readonly key: string;
}

/**
 * Loads what the details show: when the subject changes, after a failure, and after a reconnect. Returns a function that stops
 * it.
 */
export function startLoader(given: LoaderOptions): () => void {
  const { store } = given;
  let loadedKey = "";
  let isLoaded = false;
  let connectedSince: Date | undefined;
  let lastAt = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;
  let isLoading = false;
  let hasEnded = false;

  const check = (): void => {
    clearTimeout(timer);
    const shown = store.shown();
    const { link } = shown.data;
    if (link.kind === "connected" && link.since !== connectedSince) {
      connectedSince = link.since;
      isLoaded = false;
    }
    const wanted = wantedBy(shown);
    if (wanted === undefined || (isLoaded && wanted.key === loadedKey) || isLoading) return;
    const waitMs = wanted.whole && !loadedKey.startsWith(nameOf(wanted)) ? 0 : Math.max(0, lastAt + restMs - performance.now());
    timer = setTimeout(async () => {
      const now = wantedBy(store.shown());
      if (now === undefined) return;
      isLoading = true;
      loadedKey = now.key;
      lastAt = performance.now();
      isLoaded = await load(given, now);
      isLoading = false;
      if (!hasEnded) check();
    }, waitMs);
  };
  const unsubscribe = store.subscribe(check);
  return () => {
    hasEnded = true;
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

/** Resolves to true if the daemon answered every request; "not found" is an answer too. */
async function load({ io, store, decode }: LoaderOptions, { subject, picture, whole }: Wanted): Promise<boolean> {
  const before = store.current().ui.loaded;
  let loaded: Loaded =
    before?.subject.id === subject.id && before.subject.kind === subject.kind ? { ...before, picture } : { subject, picture };
  const show = (more: Partial<Loaded>): void => {
    loaded = { ...loaded, ...more };
    store.dispatch({ kind: "loaded", loaded });
  };
  const showImage = async (ask: () => Promise<{ readonly bytes: Uint8Array }>): Promise<boolean> => {
    let isAnswered = false;
    try {
      const { bytes } = await ask();
      isAnswered = true;
      show({ image: await decode(bytes), noImage: undefined });
    } catch (error) {
      isAnswered ||= isAnswer(error);
      show({ image: undefined, noImage: messageOf(error) });
    }
    return isAnswered;
  };
  try {
    if (subject.kind === "camera") return await showImage(() => io.call("getCameraSnapshot", { params: { camera_id: subject.id } }));
    const params = { event_id: Number(subject.id) };
    const found = await io.call("getEvent", { params });
    const detections = found.detections.toSorted((a, b) => b.confidence - a.confidence);
    show({ event: { ...found, detections }, trouble: undefined });
    const detection = detections[picture];
    let hasImage = true;
    if (detection === undefined) show({ image: undefined, noImage: found.kind === "event" ? "no picture" : "" });
    else hasImage = await showImage(() => io.call("getDetectionThumbnail", { params: { detection_id: detection.id } }));
    if (whole) show({ explanation: steadied(await io.call("explainEvent", { params })) });
    return hasImage;
  } catch (error) {
    // Keep what is shown; show the error only if there is nothing
    if (loaded.event === undefined) show({ trouble: messageOf(error) });
    return isAnswer(error);
  }
}

/** Whether the error is a definite answer: a retry gives the same. */
function isAnswer(error: unknown): boolean {
  return error instanceof Problem && (error.kind === "not_found" || error.kind === "bad_request");
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
