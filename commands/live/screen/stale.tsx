import { createContext, type ReactNode } from "react";
import type { TerminalFormat } from "../../output/terminal-format.ts";

/** Marks what is below as stale. */
export interface Stale {
  /** The time that the values are from. */
  readonly since: Date;
  readonly colour: boolean;
}

/** Whether the lines below are stale; undefined while they are fresh. */
export const StaleContext = createContext<Stale | undefined>(undefined);

interface Props {
  readonly terminal: TerminalFormat;
  /** The time that the values are from; undefined while they are fresh. */
  readonly since: Date | undefined;
  readonly children: ReactNode;
}

/** Shows its panels in grey, with their age in the titles, if their values are stale. */
export function StaleArea({ terminal, since, children }: Props) {
  return <StaleContext value={since && { since, colour: terminal.colour }}>{children}</StaleContext>;
}
