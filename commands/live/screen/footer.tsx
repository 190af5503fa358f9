import { paint, type TerminalFormat } from "../../output/terminal-format.ts";
import { cellWidth, fitted, steady, tailOf } from "../text.ts";
import { silenceSpans, viewsLike } from "../ui/prompts.ts";
import type { Prompt, State } from "../ui/ui.ts";
import { Lines } from "./lines.tsx";

interface Props {
  readonly terminal: TerminalFormat;
  readonly state: State;
}

const keys = [
  ["/", "filter"],
  [":", "views"],
  ["enter", "details"],
  ["esc", "back"],
  ["a", "ack"],
  ["d", "dismiss"],
  ["r", "review"],
  ["s", "silence"],
  ["?", "help"],
  ["q", "quit"],
] as const;

/** The last line: a prompt, a note, or the keys. */
export function Footer({ terminal, state: { ui } }: Props) {
  const { columns } = ui.size;
  const text = ui.prompt !== undefined ? promptText(terminal, ui.prompt, columns) : restText(terminal, ui, columns);
  return <Lines width={columns} height={1} lines={[text]} />;
}

function promptText(terminal: TerminalFormat, prompt: Prompt, columns: number): string {
  const typed = (before: string, text: string, after = ""): string => {
    const shown = tailOf(steady(text), Math.max(4, columns - cellWidth(before) - cellWidth(after) - 2));
    return `${before}${paint(terminal, "bold", shown)}▏${after}`;
  };
  switch (prompt.kind) {
    case "filter":
      return typed(" / ", prompt.text, prompt.text === "" ? paint(terminal, "dim", "  words, camera:yard, level:high+, -word") : "");
    case "view":
      return typed(" : ", prompt.text, paint(terminal, "dim", `  ${viewsLike(prompt.text).join("  ")}`));
    case "confirm": {
      const answer = " y/N ";
      return ` ${paint(terminal, "yellow", fitted(steady(prompt.question), Math.min(cellWidth(steady(prompt.question)), columns - answer.length - 1)))}${answer}`;
    }
    case "silence": {
      const spans = silenceSpans.map(({ label }, at) => (at === prompt.span ? paint(terminal, "bold", `[${label}]`) : label));
      const name = fitted(steady(prompt.cameraId), Math.min(20, prompt.cameraId.length));
      return typed(
        ` silence ${name} for ${spans.join(" ")}, reason: `,
        prompt.reason,
        prompt.reason === "" ? paint(terminal, "dim", " required") : "",
      );
    }
    default:
      return prompt satisfies never;
  }
}

function restText(terminal: TerminalFormat, { note, filter }: State["ui"], columns: number): string {
  if (note !== undefined) return ` ${paint(terminal, note.paint ?? "bold", steady(note.text))}`;
  const narrowed = filter === "" ? "" : `${paint(terminal, "yellow", `/${steady(filter)}`)}  `;
  const hints = keys.map(([key, what]) => `${paint(terminal, "bold", key)} ${what}`).join("  ");
  const short = keys
    .filter(([key]) => key.length === 1)
    .map(([key, what]) => `${paint(terminal, "bold", key)} ${what.slice(0, 7)}`)
    .join("  ");
  return ` ${narrowed}${cellWidth(hints) + cellWidth(narrowed) < columns ? hints : short}`;
}
