import { Box } from "ink";
import type { TerminalFormat } from "../../output/terminal-format.ts";
import type { Display } from "../display.ts";
import { detailsLayout } from "../ui/layout.ts";
import type { State, Subject } from "../ui/ui.ts";
import { detailsText, isOf } from "./details-text.ts";
import { Lines } from "./lines.tsx";
import { Panel } from "./panel.tsx";
import { Picture } from "./picture.tsx";

interface Props {
  readonly terminal: TerminalFormat;
  readonly display: Display;
  readonly state: State;
  readonly subject: Subject;
  readonly width: number;
  readonly height: number;
  /** Lines scrolled off the top. */
  readonly scroll: number;
  readonly focused: boolean;
}

/** The details of one event or camera with its picture. */
export function DetailsPanel({ terminal, display, state, subject, width, height, scroll, focused }: Props) {
  const place = { columns: width, rows: height - 1 };
  const layout = display.noPictures ? { picture: undefined, beside: false, text: place } : detailsLayout(place);
  const { picture, beside, text } = layout;
  const lines = detailsText(state, subject, terminal, layout);
  const first = Math.min(scroll, Math.max(0, lines.length - text.rows));
  const more = lines.length - first - text.rows;
  return (
    <Box flexDirection="column" width={width} height={height}>
      <Panel {...{ terminal, width, focused, more }} title={`${subject.kind} ${subject.id}`} height={1} lines={[]} />
      <Box flexDirection={beside ? "row" : "column"} gap={beside ? 2 : 0}>
        {picture && <Picture {...{ terminal, display }} size={picture} loaded={isOf(state, subject) ? state.ui.loaded : undefined} />}
        <Lines width={text.columns} height={text.rows} lines={lines.slice(first)} />
      </Box>
    </Box>
  );
}
