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
      ["↑ ↓ j k", "to the next row"],
      ["page ↑ ↓", "by a screenful"],
      ["g G", "to the top, where new rows appear, and to the end"],
      ["tab", "to the next list of the overview"],
      ["enter", "details of the row; ← → shows its other pictures"],
      ["esc", "back: closes details, ends the filter, goes to the overview"],
    ],
  ],
  [
    "do",
    [
      ["a", "acknowledge the alert, or those of the event or camera"],
      ["d", "dismiss it: nothing has to be done"],
      ["r", "mark the event as reviewed, or take that back"],
      ["s", "silence the camera for a while, with a reason"],
    ],
  ],
  [
    "look",
    [
      ["/", "filter: words that all occur, camera:yard, level:high+, -word"],
      [":", "views: overview cameras events alerts system log help"],
      ["ctrl-l", "draw the screen anew"],
      ["q", "quit; homesec goes on without this view"],
    ],
  ],
] as const;

/** The keys. */
export function Help({ terminal, width, height }: Props) {
  const lines = topics.flatMap(([title, keys]) => [
    ` ${paint(terminal, "bold", title)}`,
    ...keys.map(([key, what]) => `   ${paint(terminal, "cyan", fitted(key, 10))} ${what}`),
  ]);
  return <Panel {...{ terminal, width, height, lines }} focused title="help" />;
}
