import { memo } from "react";
import { statePaint, type TerminalFormat } from "../../output/terminal-format.ts";
import { sparkline } from "../data/activity.ts";
import type { LiveData } from "../data/data.ts";
import { type Camera, type Silence, silencesOf } from "../records.ts";
import { firstShown } from "../ui/selection.ts";
import { Panel } from "./panel.tsx";
import { columnTitles, leftOf, listRows, row } from "./row.ts";
import { age, countText, emptyText } from "./words.ts";

export interface ListProps {
  readonly terminal: TerminalFormat;
  readonly width: number;
  readonly height: number;
  readonly focused: boolean;
  /** The selected row; -1 in an empty list. */
  readonly selected: number;
  /** Whether the lists have been loaded. */
  readonly isLoaded: boolean;
}

interface Props extends ListProps {
  readonly cameras: readonly Camera[];
  readonly activity: LiveData["activity"];
  readonly silences: readonly Silence[];
  /** Number of cameras without the filter. */
  readonly all: number;
}

/** The cameras, newest picture first: status, age of the last picture, and detections of the last minutes. */
export const CameraList = memo(function CameraList({
  terminal,
  width,
  height,
  focused,
  selected,
  cameras,
  activity,
  silences,
  all,
  isLoaded,
}: Props) {
  const room = listRows(height);
  const first = firstShown(cameras.length, selected, room);
  const shown = cameras.slice(first, first + room);
  const marks = shown.map(({ camera_id }) => silencedText(silencesOf(silences, camera_id, terminal.now), terminal.now, width));
  const widths = cameraWidths(
    width,
    marks.some((mark) => mark !== ""),
  );
  const lines = shown.map((camera, at) =>
    row(terminal, { selected: first + at === selected, focused }, [
      { text: camera.camera_id, width: widths.id, paint: "bold" },
      { text: camera.name, width: widths.name },
      { text: camera.status, width: widths.status, paint: statePaint(camera.status) },
      { text: age(camera.last_seen_at, terminal.now), width: widths.age, paint: camera.last_seen_at === null ? "dim" : undefined },
      { text: marks[at] ?? "", width: widths.silenced, paint: "yellow" },
      { text: sparkline(activity.get(camera.camera_id), terminal.now, widths.spark), width: widths.spark, paint: "cyan" },
    ]),
  );
  const columns = columnTitles(terminal, height, lines.length, [
    { text: "CAMERA", width: widths.id },
    { text: "NAME", width: widths.name },
    { text: "STATUS", width: widths.status },
    { text: "SEEN", width: widths.age },
    { text: "", width: widths.silenced },
    { text: `${widths.spark < 11 ? "" : "LAST "}${widths.spark} MIN`, width: widths.spark },
  ]);
  const nothing = emptyText(isLoaded, all, "no cameras yet: a new folder below CAMERA_ROOT becomes one", "no cameras match the filter");
  const title = isLoaded ? `cameras ${countText(cameras.length, all)}` : "cameras";
  return <Panel {...{ terminal, width, height, focused, title, columns }} lines={lines.length > 0 ? lines : [nothing]} />;
});

/** The least width that shows how long a camera stays muted. */
const roomForTime = 70;

/** `muted` with the remaining time; empty if the camera is not muted. */
function silencedText([longest]: readonly Silence[], now: Date, width: number): string {
  if (longest === undefined) return "";
  return width < roomForTime ? "muted" : `muted ${age(now, longest.ends_at)}`;
}

function cameraWidths(width: number, someSilenced: boolean) {
  const [status, ageWidth] = [7, 6];
  const silenced = someSilenced ? (width < roomForTime ? 8 : 15) : 0;
  const spark = Math.max(6, Math.min(30, Math.floor(width * 0.3) - silenced));
  const rest = leftOf(width, [status, ageWidth, silenced, spark]);
  const id = rest >= 30 ? Math.min(32, Math.floor(rest / 2)) : rest;
  return { id, name: rest - id > 1 ? rest - id - 1 : 0, status, age: ageWidth, silenced, spark };
}
