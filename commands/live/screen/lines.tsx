import { Box, Text, Transform } from "ink";
import { useContext } from "react";
import { fitted, greyed } from "../text.ts";
import { StaleContext } from "./stale.tsx";

interface LinesProps {
  readonly width: number;
  readonly height: number;
  /** Steady texts, with or without colours; cut or padded to the size. */
  readonly lines: readonly string[];
}

/** A rectangle of text, in grey if it is stale. */
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
  const isGrey = useContext(StaleContext)?.colour === true;
  const line = fitted(text, width);
  const shown = isGrey ? greyed(line) : line;
  return (
    <Transform transform={() => shown}>
      <Text>{" ".repeat(width)}</Text>
    </Transform>
  );
}
