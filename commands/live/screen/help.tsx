import { paint, type TerminalFormat } from "../../output/terminal-format.ts";
import { fitted } from "../text.ts";
import { Panel } from "./panel.tsx";

interface Props {
  readonly terminal: TerminalFormat;
  readonly width: number;
  readonly height: number;
}

const topics = [
  [
    "move",
    [
      ["↑ ↓ j k", "next row"],
      ["page ↑ ↓", "one page"],
      ["g G", "first row, where new rows appear, and last row"],
      ["tab", "next list of the overview"],
      ["enter", "details of the row; ← → for its other pictures"],
      ["esc", "back: close details, clear the filter, go to the overview"],
    ],
  ],
  [
    "actions",
    [
      ["a", "acknowledge the alert, or all alerts of the event or camera"],
      ["d", "dismiss it: no action needed"],
      ["r", "mark the event as reviewed, or undo that"],
      ["s", "silence the camera for a while, with a reason"],
    ],
  ],
  [
    "view",
    [
      ["/", "filter: words that must all occur, camera:yard, level:high+, -word"],
      [":", "views: overview cameras events alerts system log help"],
      ["ctrl-l", "redraw the screen"],
      ["q", "quit; the daemon keeps running"],
    ],
  ],
] as const;

/** The keys of the view. */
export function Help({ terminal, width, height }: Props) {
  const lines = topics.flatMap(([title, keys]) => [
    ` ${paint(terminal, "bold", title)}`,
    ...keys.map(([key, what]) => `   ${paint(terminal, "cyan", fitted(key, 10))} ${what}`),
  ]);
  return <Panel {...{ terminal, width, height, lines }} focused title="help" />;
}
