import type { TextSink } from "../host.ts";
import { displayWidth } from "./terminal-format.ts";

/** Wraps a text at `width` columns. Longer words, such as paths to copy, stay whole. */
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

/** Does not wrap text in a column narrower than this. */
const narrowest = 20;

/** A sink that wraps long lines on a terminal, indented to the last column of the line. */
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
  // A column begins after two spaces, or after the dash of a list
  const last = [...line.matchAll(/ {2,}(?:- )?(?=\S)/g)].at(-1);
  const indent = last === undefined ? 0 : last.index + last[0].length;
  if (displayWidth(line) <= width || width - indent < narrowest) return line;
  return line.slice(0, indent) + wrapped(line.slice(indent), width - indent).join(`\n${" ".repeat(indent)}`);
}
