import { daySections, summaryHeadline } from "../src/alerting/summaries/text.ts";
import { localTimeZone } from "../src/base/clock/time-zone.ts";
import type { ReplyOf } from "../src/contract/routes/index.ts";
import { recordCommand } from "./command-shapes.ts";
import { dayOption } from "./input/time-options.ts";
import { fieldsOf, type View } from "./output/view.ts";

const view: View<ReplyOf<"getSummary">> = {
  plural: "summaries",
  fields: fieldsOf("getSummary"),
  id: ({ date }) => date,
  columns: [],
  details: (day) => [
    ["Day", { text: summaryHeadline(day), paint: "bold" }],
    ...daySections(day, localTimeZone()).flatMap(({ title, rows }) =>
      rows.map(({ name, value }, at) => [at === 0 ? title : "", { text: name === null ? value : `${name}: ${value}` }] as const),
    ),
  ],
};

export const summary = recordCommand({
  name: "summary",
  summary: "Summarise a day",
  description:
    "Shows what was seen per camera, what raised alerts, what was hidden, which cameras had problems and what waits, for one day. DAILY_SUMMARY_AT sends the same every day.",
  options: { date: { ...dayOption("Day such as yesterday or 2026-01-31 (default today)"), flag: "day" } },
  examples: [
    { command: "homesec summary", note: "today so far" },
    { command: "homesec summary --day yesterday", note: "the day before" },
    { command: "homesec summary --day 2026-03-01 -o json", note: "a day for a script" },
  ],
  view,
  record: (io, { options: { date } }) => io.call("getSummary", { query: { date } }),
});
