import { Box, Text, Transform } from "ink";
import { fitted } from "../text.ts";

interface LinesProps {
  readonly width: number;
  readonly height: number;
  /** Steady texts, with or without colours; cut or padded to the size. */
  readonly lines: readonly string[];
}

/** A rectangle of text. */
export function Lines({ width, height, lines }: LinesProps) {
  return (
    <Box flexDirection="column" width={width} height={height}>
      {Array.from({ length: height }, (_, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a line is its place on the screen
        <Line key={at} width={width} text={lines[at] ?? ""} />
      ))}
    </Box>
  );
}

/**
 * One line. Ink only measures spaces, which the text then replaces: Ink caches every measured text, which would fill the memory
 * within weeks.
 */
function Line({ width, text }: { readonly width: number; readonly text: string }) {
  const shown = fitted(text, width);
  return (
    <Transform transform={() => shown}>
      <Text>{" ".repeat(width)}</Text>
    </Transform>
  );
}
