import type { TextSink } from "../host.ts";
import { displayWidth } from "./terminal-format.ts";

/** The lines of a text, at most `width` columns wide where words allow it; a word that is longer stays whole, such as a path to copy. */
export function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const piece of text.match(/ *[^ ]+/g) ?? []) {
    if (line.trim() !== "" && displayWidth(line + piece) > width) {
      lines.push(line);
      line = piece.trimStart();
    } else line += piece;
  }
  return [...lines, line];
}

/** Narrower than this, text in a column is left to the terminal. */
const narrowest = 20;

/** A sink that breaks long lines between words on a terminal; what follows a break stands under the last column of its line. */
export function wrapping(sink: TextSink): TextSink {
  const { isTTY, columns } = sink;
  if (isTTY !== true) return sink;
  return {
    isTTY,
    columns,
    write: (text, onEnd) =>
      sink.write(
        text
          .split("\n")
          .map((line) => hanging(line, sink.columns || 80))
          .join("\n"),
        onEnd,
      ),
  };
}

function hanging(line: string, width: number): string {
  // a column begins after two spaces, and behind the dash of a list
  const last = [...line.matchAll(/ {2,}(?:- )?(?=\S)/g)].at(-1);
  const indent = last === undefined ? 0 : last.index + last[0].length;
  if (displayWidth(line) <= width || width - indent < narrowest) return line;
  return line.slice(0, indent) + wrapped(line.slice(indent), width - indent).join(`\n${" ".repeat(indent)}`);
}
