import { conditionText } from "../../src/alerting/rules/condition-words.ts";
import { describeSchedule } from "../../src/alerting/rules/schedule.ts";
import { pluralize } from "../../src/base/text/format.ts";
import type { ReplyOf } from "../../src/contract/routes/index.ts";
import type { Rule } from "../input/find.ts";
import { exactly, localTime, paint, plain, type TerminalFormat } from "../output/terminal-format.ts";
import { fieldsOf, type View } from "../output/view.ts";
import type { Unmet } from "./expectations.ts";

type Backtest = ReplyOf<"backtestRule"> & {
  readonly expectations?: { readonly checked: number; readonly unmet: readonly Unmet[] };
};
type Replay = Backtest["tested"];

const channelsText = ({ channels }: Rule): string => channels?.join(", ") || "none";

export const ruleView: View<Rule> = {
  plural: "rules",
  fields: fieldsOf("getRule"),
  id: (rule) => rule.id,
  columns: [
    { title: "ID", keep: true, isId: true, cell: (rule) => ({ text: rule.id }) },
    { title: "NAME", keep: true, cell: (rule) => ({ text: rule.name }) },
    { title: "SEVERITY", cell: (rule) => ({ text: rule.severity }) },
    { title: "STATE", cell: ({ enabled }) => ({ text: enabled ? "on" : "off", paint: enabled ? "green" : "yellow" }) },
    { title: "CONDITIONS", cell: (rule) => ({ text: conditionsText(rule) }) },
    { title: "CHANNELS", cell: (rule) => ({ text: channelsText(rule) }) },
  ],
  details: (rule, terminal) => [
    ["rule", { text: rule.id, paint: "bold" }],
    ["name", { text: rule.name }],
    ["state", { text: rule.enabled ? "on" : "off", paint: rule.enabled ? "green" : "yellow" }],
    ["severity", { text: rule.severity }],
    ["conditions", { text: conditionsText(rule) }],
    ["channels", { text: channelsText(rule) }],
    ["cooldown", { text: `${rule.cooldown_seconds} s for ${rule.dedup_key_template}` }],
    ["escalate", { text: rule.escalate ? "yes" : "no" }],
    ["digest", { text: rule.digest ? "yes" : "no" }],
    ["immediate", { text: rule.immediate ? "yes, during the visit" : "no, when the visit is over" }],
    ["version", { text: String(rule.version) }],
    ["changed", { text: exactly(terminal, rule.updated_at) }],
  ],
};

function conditionsText(rule: Rule): string {
  const conditions = [
    rule.kind === "camera_health" && "camera incident",
    rule.risk_threshold !== null && `risk score >= ${rule.risk_threshold}`,
    rule.object_types && `${rule.object_types.join(" or ")}`,
    rule.zones && `in ${rule.zones.join(" or ")}`,
    rule.not_zones && `not in ${rule.not_zones.join(" or ")}`,
    rule.min_size !== null && `size >= ${rule.min_size}`,
    rule.min_confidence !== null && `confidence >= ${rule.min_confidence}`,
    rule.camera_ids && `at ${rule.camera_ids.join(" or ")}`,
    rule.schedule && describeSchedule(rule.schedule),
    rule.modes && `in mode ${rule.modes.join(" or ")}`,
  ];
  return conditions.filter(Boolean).join(", ") || "every event";
}

export const backtestView: View<Backtest> = {
  plural: "tests",
  fields: () => ["rule_id", "rule_name", "start_date", "end_date", "timezone", "events_tested", "tested", "against", "difference"],
  id: ({ rule_id }) => rule_id,
  columns: [],
  details: (report, terminal) => [
    ["rule", { text: report.rule_name, paint: "bold" }],
    ["from", { text: exactly(terminal, report.start_date) }],
    ["to", { text: exactly(terminal, report.end_date) }],
    ["events", { text: String(report.events_tested) }],
    [versionText(report.tested), { text: countsText(report.tested) }],
    ...(report.against ? [[versionText(report.against), { text: countsText(report.against) }] as const] : []),
    ...differenceLines(report),
    ...(report.expectations ? [["expected", expectedCell(report.expectations)] as const] : []),
  ],
  more: (report, terminal) =>
    [daysText(report), eventsText(report, terminal), unmetText(report, terminal)].filter((part) => part !== "").join("\n"),
};

const versionText = ({ version }: Replay): string => `version ${version ?? "?"}`;
const countsText = (replay: Replay): string =>
  `${replay.events_matched} match (${(replay.match_rate * 100).toFixed(1)} %), ${pluralize(replay.alerts_after_cooldown, "alert")} after the cooldown`;

function differenceLines({ difference, tested, against }: Backtest) {
  if (!difference || !against) return [];
  const line = ({ count, event_ids: ids }: { count: number; event_ids: readonly number[] }) => ({
    text: count === 0 ? "none" : `${count}: ${count > ids.length ? "... " : ""}${ids.join(", ")}`,
  });
  return [
    [`only ${versionText(tested)}`, line(difference.only_tested)] as const,
    [`only ${versionText(against)}`, line(difference.only_against)] as const,
    ["both alert", { text: String(difference.both) }] as const,
  ];
}

function expectedCell({ checked, unmet }: NonNullable<Backtest["expectations"]>) {
  if (unmet.length === 0)
    return { text: checked === 1 ? "the event matches as expected" : `all ${checked} events match as expected`, paint: "green" as const };
  return { text: `${unmet.length} of ${checked} events do not match as expected`, paint: "red" as const };
}

/** The days with matches, and the alerts of the compared version. */
function daysText({ tested, against }: Backtest): string {
  const others = new Map(against?.days.map((day) => [day.date, day.alerts]));
  const own = new Map(tested.days.map((day) => [day.date, day]));
  const dates = [...new Set([...own.keys(), ...others.keys()])].toSorted();
  return dates
    .map((date) => {
      const day = own.get(date);
      const compared = against ? `, ${others.get(date) ?? 0} by ${versionText(against)}` : "";
      return `${date}  ${pluralize(day?.alerts ?? 0, "alert")} of ${pluralize(day?.events_matched ?? 0, "match", "matches")}${compared}\n`;
    })
    .join("");
}

function eventsText({ events }: Backtest, terminal: TerminalFormat): string {
  return events
    .map((event) => {
      const line = `${localTime(event.raised_at)}  event ${event.event_id} at ${plain(event.camera_id)}`;
      return event.alert ? `${line}\n` : `${paint(terminal, "dim", `${line}, suppressed by the cooldown`)}\n`;
    })
    .join("");
}

function unmetText({ expectations }: Backtest, terminal: TerminalFormat): string {
  const lines = expectations?.unmet.map(({ event_id: id, expected, matches, failed_conditions: failed }) => {
    const why = failed.length > 0 ? `: ${plain(failed.map(conditionText).join("; "))}` : "";
    const found = matches === null ? "does not exist" : matches ? "matches" : `does not match${why}`;
    return `${paint(terminal, "red", `event ${id} should ${expected ? "" : "not "}match, but ${found}`)}\n`;
  });
  return lines?.join("") ?? "";
}
