import { Box, Text } from "ink";
import { type ReactNode, useMemo, useSyncExternalStore } from "react";
import type { TerminalFormat } from "../../output/terminal-format.ts";
import { staleSince } from "../data/freshness.ts";
import type { Display } from "../display.ts";
import type { Store } from "../store.ts";
import { bodyHeight, smallest } from "../ui/layout.ts";
import type { State } from "../ui/ui.ts";
import { Body } from "./body.tsx";
import { DetailsPanel } from "./details-panel.tsx";
import { Footer } from "./footer.tsx";
import { Header } from "./header.tsx";
import { Help } from "./help.tsx";
import { Overview } from "./overview.tsx";
import { StaleArea } from "./stale.tsx";

interface Props {
  readonly store: Store;
  readonly display: Display;
}

/** The whole screen, one line shorter than the terminal. */
export function App({ store, display }: Props) {
  const state = useSyncExternalStore(store.subscribe, store.shown);
  const { columns, rows } = state.ui.size;
  const seconds = Math.floor(state.now.getTime() / 1000);
  // Ages are in whole seconds, so that unchanged lists are not redrawn in between
  const terminal = useMemo<TerminalFormat>(
    () => ({ now: new Date(seconds * 1000), colour: display.colour, width: columns, called: display.called }),
    [seconds, display.colour, columns, display.called],
  );
  if (columns < smallest.columns || rows < smallest.rows) return <TooSmall {...state.ui.size} />;
  return (
    <Box flexDirection="column" width={columns} height={rows - 1}>
      <Header {...{ terminal, display, state }} />
      <View {...{ terminal, display, state }} />
      <Footer {...{ terminal, state }} />
    </Box>
  );
}

interface ViewProps {
  readonly terminal: TerminalFormat;
  readonly display: Display;
  readonly state: State;
}

function View({ terminal, display, state }: ViewProps) {
  const { details, view, size } = state.ui;
  const place = { terminal, width: size.columns, height: bodyHeight(size) };
  const panels = (): ReactNode => {
    if (details !== undefined) return <DetailsPanel {...place} {...{ display, state }} {...details} focused />;
    if (view === "overview") return <Overview {...{ terminal, display, state }} />;
    return view === "help" ? <Help {...place} /> : <Body {...place} {...{ display, state }} name={view} focused />;
  };
  const since = view === "help" ? undefined : staleSince(state.data);
  return <StaleArea {...{ terminal, since }}>{panels()}</StaleArea>;
}

function TooSmall({ columns, rows }: { readonly columns: number; readonly rows: number }) {
  const text = `Too small: ${columns}x${rows}, needs ${smallest.columns}x${smallest.rows}; q quits`;
  return <Text>{text.slice(0, Math.max(1, columns - 1))}</Text>;
}
