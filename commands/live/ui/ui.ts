import type { Paint } from "../../output/terminal-format.ts";
import type { PixelImage, Size } from "../../picture/terminal.ts";
import { type LiveData, noData } from "../data/data.ts";
import type { Alert, EventWithDetections, Explanation } from "../records.ts";
import type { Selection } from "./selection.ts";

export const views = ["overview", "cameras", "events", "alerts", "system", "log", "help"] as const;
export type ViewName = (typeof views)[number];

/** The lists with a selection. */
export const lists = ["cameras", "alerts", "events"] as const;
export type ListName = (typeof lists)[number];

/** The subject of the details. */
export interface Subject {
  readonly kind: "event" | "camera";
  readonly id: string;
}

export interface Details {
  readonly subject: Subject;
  /** Lines scrolled off the top. */
  readonly scroll: number;
  /** Index of the shown picture of the event. */
  readonly picture: number;
}

/** The loaded parts of the details. */
export interface Loaded {
  readonly subject: Subject;
  readonly picture: number;
  readonly event?: EventWithDetections | undefined;
  readonly explanation?: Explanation | undefined;
  readonly image?: PixelImage | undefined;
  /** The reason for a missing picture. */
  readonly noImage?: string | undefined;
  /** The reason for missing details. */
  readonly trouble?: string | undefined;
}

/** The effect of a key outside the screen state. */
export type Effect =
  | { readonly kind: "quit" }
  | { readonly kind: "interrupt" }
  | { readonly kind: "redraw" }
  | { readonly kind: "settle"; readonly operation: "acknowledgeAlert" | "dismissAlert"; readonly alerts: readonly Alert[] }
  | { readonly kind: "review"; readonly eventId: number; readonly reviewed: boolean }
  | { readonly kind: "silence"; readonly cameraId: string; readonly seconds: number; readonly reason: string };

/** An open prompt, which receives the keys. */
export type Prompt =
  | { readonly kind: "filter"; readonly text: string; readonly before: string }
  | { readonly kind: "view"; readonly text: string }
  | { readonly kind: "confirm"; readonly question: string; readonly effect: Effect }
  | { readonly kind: "silence"; readonly cameraId: string; readonly span: number; readonly reason: string };

/** A note in the last line, shown for some seconds. */
export interface Note {
  readonly text: string;
  readonly paint?: Paint | undefined;
  readonly until: Date;
}

/** The state of the user interface. */
export interface Ui {
  readonly size: Size;
  readonly view: ViewName;
  /** The focused list of the overview. */
  readonly focus: ListName;
  readonly selections: Readonly<Partial<Record<ListName, Selection>>>;
  readonly details: Details | undefined;
  readonly loaded: Loaded | undefined;
  /** Lines of the system view scrolled off the top. */
  readonly scroll: number;
  readonly filter: string;
  readonly prompt: Prompt | undefined;
  readonly note: Note | undefined;
}

/** The state of the live view. */
export interface State {
  readonly now: Date;
  readonly data: LiveData;
  readonly ui: Ui;
}

/** The initial state. */
export function firstState(now: Date, size: Size): State {
  return {
    now,
    data: noData(now),
    ui: {
      ...{ size, view: "overview", focus: "events", selections: {}, details: undefined, loaded: undefined },
      ...{ scroll: 0, filter: "", prompt: undefined, note: undefined },
    },
  };
}

/** The focused list; undefined in views without lists. */
export function listOf({ view, focus }: Ui): ListName | undefined {
  if (view === "overview") return focus;
  return lists.find((list) => list === view);
}

const noteMs = 6_000;

/** The state with a note in its last line, shown for 6 s. */
export function withNote(state: State, text: string, paint?: Paint): State {
  const until = new Date(state.now.getTime() + noteMs);
  return { ...state, ui: { ...state.ui, note: { text, paint, until } } };
}
