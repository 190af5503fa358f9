import { typable } from "../src/base/text/format.ts";
import type { ReplyOf } from "../src/contract/routes/index.ts";
import { localTime, type Paint, paint, plain, type TerminalFormat } from "./output/terminal-format.ts";
import { fieldsOf, type View } from "./output/view.ts";
import { wrapped } from "./output/wrap.ts";

type Explanation = ReplyOf<"explainEvent">;
type Step = Explanation["steps"][number];

const marks: Readonly<Record<Step["status"], readonly [mark: string, colour: Paint]>> = {
  done: ["+", "green"],
  waiting: ["~", "yellow"],
  stopped: ["x", "yellow"],
  failed: ["!", "red"],
  note: ["-", "dim"],
};

/** Width of a local time such as `22:15:03.120`; the date is above the first step of each day. */
const clockWidth = "22:15:03.120".length;

export const explanationView: View<Explanation> = {
  plural: "explanations",
  fields: fieldsOf("explainEvent"),
  id: ({ subject }) => subject.id,
  columns: [],
  details: ({ subject, outcome, trace }) => [
    [subject.type, { text: subject.id, paint: "bold" }],
    ["answer", { text: localized(outcome) }],
    ...(trace === null ? [] : [["trace", { text: trace, paint: "dim" }] as const]),
  ],
  more: ({ steps }, terminal) => {
    let day = "";
    const lines = steps.map((step) => {
      const today = step.at === null ? day : localTime(step.at).slice(0, 10);
      const heading = today === day ? "" : `${paint(terminal, "dim", today)}\n`;
      day = today;
      return heading + line(step, terminal);
    });
    const legend = Object.entries(marks).map(([status, [mark]]) => `${mark} ${status}`);
    return `${lines.join("")}\n${paint(terminal, "dim", legend.join("  "))}\n`;
  },
};

function line({ at, status, text }: Step, terminal: TerminalFormat): string {
  const [mark, colour] = marks[status];
  const time =
    at === null
      ? ""
      : localTime(at)
          .slice(11)
          .replace(/^\S+/, `$&.${String(at.getMilliseconds()).padStart(3, "0")}`);
  const indent = clockWidth + 4;
  const lines = wrapped(plain(typable(localized(text), terminal.called)), terminal.width - indent);
  return `${paint(terminal, "dim", time.padEnd(clockWidth))} ${paint(terminal, colour, mark)}  ${lines.join(`\n${" ".repeat(indent)}`)}\n`;
}

/** Replaces UTC times in sentences with local ones. */
function localized(text: string): string {
  return text.replace(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, (time) => localTime(new Date(time)));
}
