import { Box } from "ink";
import { useContext } from "react";
import { pluralize } from "../../../src/base/text/format.ts";
import { paint, type TerminalFormat } from "../../output/terminal-format.ts";
import { cellWidth } from "../text.ts";
import { Lines } from "./lines.tsx";
import { StaleContext } from "./stale.tsx";
import { age } from "./words.ts";

export interface PanelProps {
  readonly terminal: TerminalFormat;
  readonly title: string;
  /** Number of lines below the visible ones. */
  readonly more?: number | undefined;
  /** The titles of the columns, above the lines. */
  readonly columns?: string | undefined;
  /** Whether the panel has the focus. */
  readonly focused?: boolean | undefined;
  readonly width: number;
  /** Includes the title. */
  readonly height: number;
  readonly lines: readonly string[];
}

/** A title line with lines below; the title of a stale panel has its age. */
export function Panel({ terminal, title: name, more = 0, columns, focused = false, width, height, lines }: PanelProps) {
  const stale = useContext(StaleContext);
  const old = stale === undefined ? "" : `, ${age(stale.since, terminal.now)} old`;
  const title = `${name}${old}${more > 0 ? `  ↓ ${pluralize(more, "more line")}` : ""}`;
  const rule = focused ? "━" : "─";
  const end = rule.repeat(Math.max(0, width - cellWidth(title) - 4));
  const heading = `${paint(terminal, "dim", rule.repeat(2))} ${paint(terminal, focused ? "cyan" : "bold", title)} ${paint(terminal, "dim", end)}`;
  return (
    <Box flexDirection="column" width={width} height={height}>
      <Lines width={width} height={height} lines={[heading, ...(columns === undefined ? [] : [columns]), ...lines]} />
    </Box>
  );
}
