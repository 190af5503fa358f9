import { typable } from "../../../src/base/text/format.ts";
import { cameraView } from "../../cameras/view.ts";
import { eventView } from "../../events/view.ts";
import { explanationView } from "../../explain-view.ts";
import type { Cell } from "../../output/table.ts";
import { exactly, paint, plain, riskPaint, type TerminalFormat } from "../../output/terminal-format.ts";
import { silenceLines } from "../../silence/active.ts";
import { type Alert, type Event, silencesAbout } from "../records.ts";
import { broken, steady } from "../text.ts";
import type { DetailsLayout } from "../ui/layout.ts";
import { selectedRecords } from "../ui/selection.ts";
import type { Loaded, State, Subject } from "../ui/ui.ts";
import { captionOf, riskText, shortTime } from "./words.ts";

/** The details of a subject as lines: facts, risk factors, alerts and explanation; without room for the picture, the way to see it. */
export function detailsText(
  state: State,
  subject: Subject,
  terminal: TerminalFormat,
  { picture, text: { columns: width } }: DetailsLayout,
): string[] {
  const narrow = { ...terminal, width };
  const loaded = isOf(state, subject) ? state.ui.loaded : undefined;
  if (loaded?.trouble !== undefined) return broken(steady(loaded.trouble), width);
  const facts = subject.kind === "camera" ? cameraText(state, subject.id, narrow) : eventText(state, subject, narrow);
  const lines = picture === undefined && loaded ? [...pictureLines(loaded, narrow), ...facts] : facts;
  return lines.flatMap((line) => broken(line, width));
}

/** Whether the loaded details belong to this subject. */
export function isOf({ ui: { loaded } }: State, { kind, id }: Subject): boolean {
  return loaded?.subject.kind === kind && loaded.subject.id === id;
}

function eventText(state: State, subject: Subject, terminal: TerminalFormat): string[] {
  const loaded = isOf(state, subject) ? state.ui.loaded : undefined;
  const selected = selectedRecords({ ...state, ui: { ...state.ui, details: { subject, scroll: 0, picture: 0 } } });
  const event = selected?.event ?? loaded?.event;
  if (event === undefined) return [paint(terminal, "dim", "loading ...")];
  return [
    ...factLines(eventView.details(event, terminal), terminal),
    ...factorLines(event, terminal),
    ...alertLines(selected?.alerts ?? [], terminal),
    ...explanationLines(state, subject, terminal),
  ];
}

function cameraText(state: State, id: string, terminal: TerminalFormat): string[] {
  const camera = state.data.cameras.get(id);
  if (camera === undefined) return [paint(terminal, "dim", "this camera no longer exists")];
  const events = state.data.events.filter(({ camera_id }) => camera_id === id).slice(0, 20);
  return [
    ...factLines(
      [...cameraView.details(camera, terminal), ...silenceLines(silencesAbout(state.data.silences, id, terminal.now), terminal)],
      terminal,
    ),
    ...alertLines(
      selectedRecords({ ...state, ui: { ...state.ui, details: { subject: { kind: "camera", id }, scroll: 0, picture: 0 } } })?.alerts ?? [],
      terminal,
    ),
    ...section(
      terminal,
      "last events",
      events.map((event) => {
        const risk = riskText(event);
        return `${shortTime(event.started_at, terminal.now)} ${paint(terminal, risk.paint, risk.text)} ${steady(event.summary)}`;
      }),
    ),
  ];
}

/** Lines of label and value, wrapped below the value. Skips empty values. */
function factLines(facts: readonly (readonly [string, Cell])[], terminal: TerminalFormat): string[] {
  const shown = facts.filter(([, { text }]) => text !== "");
  const labelWidth = Math.max(...shown.map(([label]) => label.length)) + 2;
  return shown.flatMap(([label, { text, paint: colour }]) =>
    broken(steady(text), terminal.width - labelWidth).map(
      (line, at) => `${paint(terminal, "dim", (at === 0 ? label : "").padEnd(labelWidth))}${paint(terminal, colour, line)}`,
    ),
  );
}

/** The detection of the chosen picture, and the command that saves the picture. */
function pictureLines(loaded: Loaded, terminal: TerminalFormat): string[] {
  const detection = loaded.event?.detections[loaded.picture];
  if (detection === undefined) return [];
  return factLines(
    [["picture", { text: typable(`${captionOf(loaded, terminal)}; homesec detections image ${detection.id}`, terminal.called) }]],
    terminal,
  );
}

function factorLines({ risk_factors }: Event, terminal: TerminalFormat): string[] {
  const lines = risk_factors.map(
    ({ name, contribution, detail }) =>
      `${String(contribution).padStart(5)}  ${steady(name)}${detail === undefined ? "" : `  ${steady(detail)}`}`,
  );
  return section(terminal, "risk factors", lines);
}

function alertLines(alerts: readonly Alert[], terminal: TerminalFormat): string[] {
  const lines = alerts.map(({ severity, status, created_at, alert_metadata: { rule_name, reason } }) => {
    const why = reason === null ? "" : `: ${plain(reason)}`;
    return `${paint(terminal, riskPaint(severity), severity)} ${steady(rule_name)}, ${status}${steady(why)}, ${exactly(terminal, created_at)}`;
  });
  return section(terminal, "open alerts", lines);
}

/** The chain from the picture file to the recipients. */
function explanationLines(state: State, subject: Subject, terminal: TerminalFormat): string[] {
  const explanation = isOf(state, subject) ? state.ui.loaded?.explanation : undefined;
  if (explanation === undefined) return [];
  const chain = explanationView.more?.(explanation, terminal).trimEnd().split("\n") ?? [];
  return section(terminal, "explanation", [steady(explanation.outcome), ...chain]);
}

function section(terminal: TerminalFormat, title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ["", paint(terminal, "bold", title), ...lines];
}
