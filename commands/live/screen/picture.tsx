import { Box } from "ink";
import { useMemo } from "react";
import { paint, type TerminalFormat } from "../../output/terminal-format.ts";
import type { Display } from "../display.ts";
import { halfBlocks } from "../picture/half-blocks.ts";
import { broken, steady } from "../text.ts";
import type { Loaded, Size } from "../ui/ui.ts";
import { Lines } from "./lines.tsx";
import { age } from "./words.ts";

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
  const drawn = useMemo(() => (image ? halfBlocks(image, { columns, rows }, display.depth) : []), [image, columns, rows, display.depth]);
  const noImage = broken(steady(loaded?.noImage ?? ""), columns - 2).map((line) => ` ${line}`);
  const lines = image === undefined ? noImage : [...drawn, captionOf(terminal, loaded)];
  return (
    <Box width={columns} height={rows + 1}>
      <Lines width={columns} height={rows + 1} lines={lines} />
    </Box>
  );
}

function captionOf(terminal: TerminalFormat, loaded: Loaded | undefined): string {
  const detections = loaded?.event?.detections ?? [];
  const detection = detections[loaded?.picture ?? 0];
  if (detection === undefined) return "";
  const which = detections.length > 1 ? `  ${(loaded?.picture ?? 0) + 1} of ${detections.length}, ← →` : "";
  const confidence = `${Math.round(detection.confidence * 100)} %`;
  return paint(terminal, "dim", `${steady(detection.object_type)} ${confidence}, ${age(detection.detected_at, terminal.now)} ago${which}`);
}
