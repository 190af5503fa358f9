import { memo } from "react";
import type { JournalMessage } from "../../../src/contract/live.ts";
import { tailLine } from "../../events/tail-line.ts";
import type { TerminalFormat } from "../../output/terminal-format.ts";
import { steadied } from "../text.ts";
import { Panel } from "./panel.tsx";

interface Props {
  readonly terminal: TerminalFormat;
  readonly width: number;
  readonly height: number;
  readonly focused: boolean;
  /** Newest last. */
  readonly log: readonly JournalMessage[];
}

/** The messages as in `events tail`, newest first. */
export const LogList = memo(function LogList({ terminal, width, height, focused, log }: Props) {
  const newest = log.slice(-(height - 1)).reverse();
  const lines = newest.map((message) => `  ${tailLine(steadied(message), terminal).trimEnd()}`);
  return <Panel {...{ terminal, width, height, focused }} title="log" lines={lines.length > 0 ? lines : ["  no messages yet"]} />;
});
