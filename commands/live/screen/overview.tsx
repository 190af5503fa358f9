import { Box } from "ink";
import type { TerminalFormat } from "../../output/terminal-format.ts";
import type { Display } from "../display.ts";
import { bodyHeight, overviewColumns, type PanelPlace } from "../ui/layout.ts";
import type { State } from "../ui/ui.ts";
import { Body } from "./body.tsx";

interface Props {
  readonly terminal: TerminalFormat;
  readonly display: Display;
  readonly state: State;
}

/** The panels of the overview, in as many columns as fit. */
export function Overview({ terminal, display, state }: Props) {
  const { data, ui } = state;
  const columns = overviewColumns(ui.size, { cameras: data.cameras.size, alerts: data.alerts.length });
  return (
    <Box width={ui.size.columns} height={bodyHeight(ui.size)} gap={1}>
      {columns.map(({ width, panels }) => (
        <Box key={panels[0]?.name ?? ""} flexDirection="column" width={width}>
          {panels.map(({ name, height }: PanelPlace) => (
            <Body key={name} {...{ terminal, display, state, name, width, height }} focused={name === ui.focus} />
          ))}
        </Box>
      ))}
    </Box>
  );
}
