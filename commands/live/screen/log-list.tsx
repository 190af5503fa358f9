import { memo } from "react";
import type { JournalMessage } from "../../../src/contract/live.ts";
import { tailLine } from "../../events/tail-line.ts";
import type { TerminalFormat } from "../../output/terminal-format.ts";
import { steadied } from "../steadied.ts";
import { Panel } from "./panel.tsx";

interface Props {
  readonly terminal: TerminalFormat;
  readonly width: number;
  readonly height: number;
  readonly focused: boolean;
  /** The newest last. */
  readonly log: readonly JournalMessage[];
}

/** What happens, as `events tail` prints it, the newest on top. */
export const LogList = memo(function LogList({ terminal, width, height, focused, log }: Props) {
  const newest = log.slice(-(height - 1)).reverse();
  const lines = newest.map((message) => `  ${tailLine(steadied(message), terminal).trimEnd()}`);
  return <Panel {...{ terminal, width, height, focused }} title="what happens" lines={lines.length > 0 ? lines : ["  nothing yet"]} />;
});
