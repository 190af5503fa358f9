import { Box } from "ink";
import { useMemo } from "react";
import { paint, type TerminalFormat } from "../../output/terminal-format.ts";
import { cellsFor, halfBlocks } from "../../picture/half-blocks.ts";
import type { Size } from "../../picture/terminal.ts";
import type { Display } from "../display.ts";
import { broken, steady } from "../text.ts";
import type { Loaded } from "../ui/ui.ts";
import { Lines } from "./lines.tsx";
import { StaleContext } from "./stale.tsx";
import { captionOf } from "./words.ts";

interface Props {
  readonly terminal: TerminalFormat;
  readonly display: Display;
  readonly size: Size;
  /** Undefined until it is loaded. */
  readonly loaded: Loaded | undefined;
}

/** The picture of a subject with a caption. */
export function Picture({ terminal, display, size, loaded }: Props) {
  const { columns, rows } = size;
  const image = loaded?.image;
  const { depth, graphics } = display;
  const drawn = useMemo(() => {
    const place = { columns, rows };
    if (image === undefined) return [];
    return graphics === undefined ? halfBlocks(image, place, depth) : graphics.linesFor(image, cellsFor(image, place));
  }, [image, columns, rows, depth, graphics]);
  const noImage = broken(steady(loaded?.noImage ?? ""), columns - 2).map((line) => ` ${line}`);
  const lines = image === undefined ? noImage : [...drawn, paint(terminal, "dim", captionOf(loaded, terminal))];
  return (
    // A picture does not become stale
    <StaleContext value={undefined}>
      <Box width={columns} height={rows + 1}>
        <Lines width={columns} height={rows + 1} lines={lines} />
      </Box>
    </StaleContext>
  );
}
