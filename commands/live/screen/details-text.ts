import { cameraView } from "../../cameras/view.ts";
import { eventView } from "../../events/view.ts";
import { explanationView } from "../../explain-view.ts";
import type { Cell } from "../../output/table.ts";
import { exactly, type People, paint, plain, riskPaint } from "../../output/terminal-format.ts";
import { silenceFacts } from "../../silence/active.ts";
import { silencesAbout } from "../data/silenced.ts";
import type { Alert, Event } from "../records.ts";
import { broken, steady } from "../text.ts";
import { chosenOf } from "../ui/selection.ts";
import type { State, Subject } from "../ui/ui.ts";
import { riskText, shortTime } from "./words.ts";

/** What there is to say of a subject, in lines of that width: facts, reasons, alerts, and how it came about. */
export function detailsText(state: State, subject: Subject, people: People, width: number): string[] {
  const narrow = { ...people, width };
  const loaded = isOf(state, subject) ? state.ui.loaded : undefined;
  if (loaded?.trouble !== undefined) return broken(steady(loaded.trouble), width);
  const lines = subject.kind === "camera" ? cameraText(state, subject.id, narrow) : eventText(state, subject, narrow);
  return lines.flatMap((line) => broken(line, width));
}

/** Whether what was loaded is of this subject. */
export function isOf({ ui: { loaded } }: State, { kind, id }: Subject): boolean {
  return loaded?.subject.kind === kind && loaded.subject.id === id;
}

function eventText(state: State, subject: Subject, people: People): string[] {
  const loaded = isOf(state, subject) ? state.ui.loaded : undefined;
  const chosen = chosenOf({ ...state, ui: { ...state.ui, details: { subject, scroll: 0, picture: 0 } } });
  const event = chosen?.event ?? loaded?.event;
  if (event === undefined) return [paint(people, "dim", "loading ...")];
  return [
    ...factLines(eventView.details(event, people), people),
    ...factorLines(event, people),
    ...alertLines(chosen?.alerts ?? [], people),
    ...explanationLines(state, subject, people),
  ];
}

function cameraText(state: State, id: string, people: People): string[] {
  const camera = state.data.cameras.get(id);
  if (camera === undefined) return [paint(people, "dim", "there is no such camera any more")];
  const events = state.data.events.filter(({ camera_id }) => camera_id === id).slice(0, 20);
  return [
    ...factLines(
      [...cameraView.details(camera, people), ...silenceFacts(silencesAbout(state.data.silences, id, people.now), people)],
      people,
    ),
    ...alertLines(
      chosenOf({ ...state, ui: { ...state.ui, details: { subject: { kind: "camera", id }, scroll: 0, picture: 0 } } })?.alerts ?? [],
      people,
    ),
    ...section(
      people,
      "last events",
      events.map((event) => {
        const risk = riskText(event);
        return `${shortTime(event.started_at, people.now)} ${paint(people, risk.paint, risk.text)} ${steady(event.summary)}`;
      }),
    ),
  ];
}

/** Label and value; what is longer goes on under the value. Empty values are left out. */
function factLines(facts: readonly (readonly [string, Cell])[], people: People): string[] {
  const said = facts.filter(([, { text }]) => text !== "");
  const labelWidth = Math.max(...said.map(([label]) => label.length)) + 2;
  return said.flatMap(([label, { text, paint: colour }]) =>
    broken(steady(text), people.width - labelWidth).map(
      (line, at) => `${paint(people, "dim", (at === 0 ? label : "").padEnd(labelWidth))}${paint(people, colour, line)}`,
    ),
  );
}

function factorLines({ risk_factors }: Event, people: People): string[] {
  const lines = risk_factors.map(
    ({ name, contribution, detail }) =>
      `${String(contribution).padStart(5)}  ${steady(name)}${detail === undefined ? "" : `  ${steady(detail)}`}`,
  );
  return section(people, "reasons", lines);
}

function alertLines(alerts: readonly Alert[], people: People): string[] {
  const lines = alerts.map(({ severity, status, created_at, alert_metadata: { rule_name, reason } }) => {
    const why = reason === null ? "" : `: ${plain(reason)}`;
    return `${paint(people, riskPaint(severity), severity)} ${steady(rule_name)}, ${status}${steady(why)}, ${exactly(people, created_at)}`;
  });
  return section(people, "open alerts", lines);
}

/** The chain from the file to the person who was told. */
function explanationLines(state: State, subject: Subject, people: People): string[] {
  const explanation = isOf(state, subject) ? state.ui.loaded?.explanation : undefined;
  if (explanation === undefined) return [];
  const chain = explanationView.more?.(explanation, people).trimEnd().split("\n") ?? [];
  return section(people, "how it came about", [steady(explanation.outcome), ...chain]);
}

function section(people: People, title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ["", paint(people, "bold", title), ...lines];
}
