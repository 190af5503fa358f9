import { memo } from "react";
import type { JournalMessage } from "../../../src/contract/live.ts";
import { tailLine } from "../../events/tail-line.ts";
import type { People } from "../../output/terminal-format.ts";
import { steadied } from "../steadied.ts";
import { Panel } from "./panel.tsx";

interface Props {
  readonly people: People;
  readonly width: number;
  readonly height: number;
  readonly focused: boolean;
  /** The newest last. */
  readonly log: readonly JournalMessage[];
}

/** What happens, as `events tail` prints it, the newest on top. */
export const LogList = memo(function LogList({ people, width, height, focused, log }: Props) {
  const newest = log.slice(-(height - 1)).reverse();
  const lines = newest.map((message) => `  ${tailLine(steadied(message), people).trimEnd()}`);
  return <Panel {...{ people, width, height, focused }} title="what happens" lines={lines.length > 0 ? lines : ["  nothing yet"]} />;
});
