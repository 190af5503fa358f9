import { memo } from "react";
import { type People, statePaint } from "../../output/people.ts";
import { sparkline } from "../data/activity.ts";
import type { LiveData } from "../data/data.ts";
import type { Camera } from "../records.ts";
import { firstShown } from "../ui/pick.ts";
import { Panel } from "./panel.tsx";
import { leftOf, row } from "./row.ts";
import { age, countText } from "./words.ts";

export interface ListProps {
  readonly people: People;
  readonly width: number;
  readonly height: number;
  readonly focused: boolean;
  /** The chosen row; -1 in an empty list. */
  readonly chosen: number;
}

interface Props extends ListProps {
  readonly cameras: readonly Camera[];
  readonly activity: LiveData["activity"];
  /** How many there are without a filter. */
  readonly all: number;
}

/** Cameras: whether they are alive, how old their newest picture is, and how much they saw in the last minutes. */
export const CameraList = memo(function CameraList({ people, width, height, focused, chosen, cameras, activity, all }: Props) {
  const first = firstShown(cameras.length, chosen, height - 1);
  const widths = cameraWidths(width);
  const lines = cameras.slice(first, first + height - 1).map((camera, at) =>
    row(people, { chosen: first + at === chosen, focused }, [
      { text: camera.camera_id, width: widths.id, paint: "bold" },
      { text: camera.name, width: widths.name },
      { text: camera.status, width: widths.status, paint: statePaint(camera.status) },
      { text: age(camera.last_seen_at, people.now), width: widths.age, paint: camera.last_seen_at === null ? "dim" : undefined },
      { text: sparkline(activity.get(camera.camera_id), people.now, widths.spark), width: widths.spark, paint: "cyan" },
    ]),
  );
  const nothing = all === 0 ? "  no camera yet: a new folder under the camera root becomes one" : "  no camera fits the filter";
  const title = `cameras ${countText(cameras.length, all)}`;
  return <Panel {...{ people, width, height, focused, title }} lines={lines.length > 0 ? lines : [nothing]} />;
});

function cameraWidths(width: number) {
  const [status, ageWidth] = [7, 6];
  const spark = Math.max(6, Math.min(30, Math.floor(width * 0.3)));
  const rest = leftOf(width, [status, ageWidth, spark]);
  const id = rest >= 30 ? Math.min(32, Math.floor(rest / 2)) : rest;
  return { id, name: rest - id > 1 ? rest - id - 1 : 0, status, age: ageWidth, spark };
}
