import { Box } from "ink";
import { paint, type TerminalFormat } from "../../output/terminal-format.ts";
import { cellWidth } from "../text.ts";
import { Lines } from "./lines.tsx";

export interface PanelProps {
  readonly terminal: TerminalFormat;
  readonly title: string;
  /** Whether the panel has the focus. */
  readonly focused?: boolean | undefined;
  readonly width: number;
  /** Includes the title. */
  readonly height: number;
  readonly lines: readonly string[];
}

/** A title line with lines below. */
export function Panel({ terminal, title, focused = false, width, height, lines }: PanelProps) {
  const rule = focused ? "━" : "─";
  const end = rule.repeat(Math.max(0, width - cellWidth(title) - 4));
  const heading = `${paint(terminal, "dim", rule.repeat(2))} ${paint(terminal, focused ? "cyan" : "bold", title)} ${paint(terminal, "dim", end)}`;
  return (
    <Box flexDirection="column" width={width} height={height}>
      <Lines width={width} height={height} lines={[heading, ...lines]} />
    </Box>
  );
}
