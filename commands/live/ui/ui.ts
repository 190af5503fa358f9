import type { Paint } from "../../output/terminal-format.ts";
import { type LiveData, noData } from "../data/data.ts";
import type { EventWithDetections, Explanation } from "../records.ts";
import type { Effect } from "./effect.ts";
import type { Pick } from "./selection.ts";

export const views = ["overview", "cameras", "events", "alerts", "system", "log", "help"] as const;
export type ViewName = (typeof views)[number];

/** What can be chosen from. */
export const lists = ["cameras", "alerts", "events"] as const;
export type ListName = (typeof lists)[number];

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** What details are shown of. */
export interface Subject {
  readonly kind: "event" | "camera";
  readonly id: string;
}

export interface Details {
  readonly subject: Subject;
  /** Lines that are above the screen. */
  readonly scroll: number;
  /** Which of the pictures of the event is shown. */
  readonly picture: number;
}

/** Points of colour, three bytes each, line by line. */
export interface PixelImage {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array;
}

/** What was asked for to show a subject, as far as it has come. */
export interface Loaded {
  readonly subject: Subject;
  readonly picture: number;
  readonly event?: EventWithDetections | undefined;
  readonly explanation?: Explanation | undefined;
  readonly image?: PixelImage | undefined;
  /** Why there is no picture. */
  readonly noImage?: string | undefined;
  /** Why there are no details. */
  readonly trouble?: string | undefined;
}

/** What the keys go to instead of the lists. */
export type Prompt =
  | { readonly kind: "filter"; readonly text: string; readonly before: string }
  | { readonly kind: "view"; readonly text: string }
  | { readonly kind: "confirm"; readonly question: string; readonly effect: Effect }
  | { readonly kind: "silence"; readonly cameraId: string; readonly span: number; readonly reason: string };

/** A remark in the last line, gone after some seconds. */
export interface Note {
  readonly text: string;
  readonly paint?: Paint | undefined;
  readonly until: Date;
}

/** What the person at the keys does with it. */
export interface Ui {
  readonly size: Size;
  readonly view: ViewName;
  /** The list that the keys go to in the overview. */
  readonly focus: ListName;
  readonly picks: Readonly<Partial<Record<ListName, Pick>>>;
  readonly details: Details | undefined;
  readonly loaded: Loaded | undefined;
  /** Lines of the system view that are above the screen. */
  readonly scroll: number;
  readonly filter: string;
  readonly prompt: Prompt | undefined;
  readonly note: Note | undefined;
}

/** All that is shown. */
export interface State {
  readonly now: Date;
  readonly data: LiveData;
  readonly ui: Ui;
}

/** The state before anything is known and any key is pressed. */
export function firstState(now: Date, size: Size): State {
  return {
    now,
    data: noData(now),
    ui: {
      ...{ size, view: "overview", focus: "events", picks: {}, details: undefined, loaded: undefined },
      ...{ scroll: 0, filter: "", prompt: undefined, note: undefined },
    },
  };
}

/** The list that the keys go to; undefined in views without one. */
export function listOf({ view, focus }: Ui): ListName | undefined {
  if (view === "overview") return focus;
  return lists.find((list) => list === view);
}
