import { Box } from "ink";
import { memo, useContext } from "react";
import type { TerminalFormat } from "../../output/terminal-format.ts";
import type { LiveData } from "../data/data.ts";
import { Lines } from "./lines.tsx";
import { Panel } from "./panel.tsx";
import { StaleContext } from "./stale.tsx";
import { systemLines, systemPlaces } from "./system-lines.ts";

interface Props {
  readonly terminal: TerminalFormat;
  readonly width: number;
  readonly height: number;
  readonly focused: boolean;
  readonly data: LiveData;
  /** Lines scrolled off the top. */
  readonly scroll: number;
}

/** Services, breakers, queues, latencies and workers, in as many columns as fit. */
export const SystemPanel = memo(
  function SystemPanel({ terminal, width, height, focused, data, scroll }: Props) {
    const { columns, width: each } = systemPlaces(width);
    const lines = systemLines(terminal, data, each).slice(scroll);
    const rows = height - 1;
    const more = lines.length - columns * rows;
    const is = useContext(StaleContext) === undefined ? "" : " was";
    const title = `system${data.health === undefined ? "" : `${is} ${data.health.status}`}`;
    return (
      <Box flexDirection="column" width={width} height={height}>
        <Panel {...{ terminal, width, focused, title }} more={focused ? more : 0} height={1} lines={[]} />
        <Box>
          {Array.from({ length: columns }, (_, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a column is its place on the screen
            <Lines key={at} width={each} height={rows} lines={lines.slice(at * rows, (at + 1) * rows)} />
          ))}
        </Box>
      </Box>
    );
  },
  (before, after) =>
    before.terminal === after.terminal &&
    before.focused === after.focused &&
    before.scroll === after.scroll &&
    before.width === after.width &&
    before.height === after.height &&
    before.data.health === after.data.health &&
    before.data.pipeline === after.data.pipeline &&
    before.data.telemetry === after.data.telemetry,
);
