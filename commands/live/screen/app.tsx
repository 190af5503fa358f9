import { Box, Text } from "ink";
import { useMemo, useSyncExternalStore } from "react";
import type { TerminalFormat } from "../../output/terminal-format.ts";
import type { Look } from "../look.ts";
import type { Store } from "../store.ts";
import { bodyHeight, smallest } from "../ui/layout.ts";
import type { State } from "../ui/ui.ts";
import { Body } from "./body.tsx";
import { DetailsPanel } from "./details-panel.tsx";
import { Footer } from "./footer.tsx";
import { Header } from "./header.tsx";
import { Help } from "./help.tsx";
import { Overview } from "./overview.tsx";

interface Props {
  readonly store: Store;
  readonly look: Look;
}

/** The whole screen, one line less than the terminal has. */
export function App({ store, look }: Props) {
  const state = useSyncExternalStore(store.subscribe, store.shown);
  const { columns, rows } = state.ui.size;
  const seconds = Math.floor(state.now.getTime() / 1000);
  // ages are shown in seconds: what does not change between two of them is not drawn anew
  const terminal = useMemo<TerminalFormat>(
    () => ({ now: new Date(seconds * 1000), colour: look.colour, width: columns }),
    [seconds, look.colour, columns],
  );
  if (columns < smallest.columns || rows < smallest.rows) return <TooSmall {...state.ui.size} />;
  return (
    <Box flexDirection="column" width={columns} height={rows - 1}>
      <Header {...{ terminal, look, state }} />
      <View {...{ terminal, look, state }} />
      <Footer {...{ terminal, state }} />
    </Box>
  );
}

interface ViewProps {
  readonly terminal: TerminalFormat;
  readonly look: Look;
  readonly state: State;
}

function View({ terminal, look, state }: ViewProps) {
  const { details, view, size } = state.ui;
  const place = { terminal, width: size.columns, height: bodyHeight(size) };
  if (details !== undefined) return <DetailsPanel {...place} {...{ look, state }} {...details} focused />;
  if (view === "overview") return <Overview {...{ terminal, look, state }} />;
  if (view === "help") return <Help {...place} />;
  return <Body {...place} {...{ look, state }} name={view} focused />;
}

function TooSmall({ columns, rows }: { readonly columns: number; readonly rows: number }) {
  const text = `${columns}x${rows} is too small: ${smallest.columns}x${smallest.rows} at least; q quits`;
  return <Text>{text.slice(0, Math.max(1, columns - 1))}</Text>;
}
