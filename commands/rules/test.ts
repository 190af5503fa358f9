import { localTimeZone } from "../../src/base/clock/time-zone.ts";
import { recordCommand } from "../command-shapes.ts";
import { exitCodes } from "../exit-codes.ts";
import { textArgument } from "../input/arguments.ts";
import { idOf, integer, text, withDefault } from "../input/options.ts";
import { readText } from "../input/read-text.ts";
import { periodSince } from "../input/time-options.ts";
import type { Io } from "../io.ts";
import { activeSilences } from "../silence/active.ts";
import { parseExpectations, type Unmet } from "./expectations.ts";
import { backtestView } from "./view.ts";

/** Ids per request of the test endpoint. */
const idsPerRequest = 1000;

export const testRule = recordCommand({
  name: "rules test",
  summary: "Test a rule against stored events without raising alerts",
  description:
    'Runs stored events through a rule and shows how many match, and how many alerts remain after the cooldown, per day. Silences are ignored. With --expect it exits with 8 if an event does not match as expected. The file is JSON, or one JSON value per line: event ids that must match, or objects such as {"event_id": 42, "matches": false}.',
  arguments: { rule: idOf("rule", textArgument("Rule id, its start, or name")) },
  options: {
    ...periodSince("30d"),
    against: integer("version", 1, 1_000_000_000, "Rule version to compare with"),
    mode: text("mode", "As if the home had always been in this mode"),
    expect: text("file", "File with events that must match or not"),
    limit: withDefault(integer("n", 0, 1000, "Maximum number of listed events"), 20),
  },
  examples: [
    { command: "homesec rules test 'Person at night'", note: "the last 30 days" },
    { command: "homesec rules test 'Person at night' --since 90d --against 1", note: "compare with its first version" },
    { command: "homesec rules test 'Person outside' --mode away", note: "as if the home had been in mode away" },
    { command: "homesec rules test 'Person at night' --expect wanted.json", note: "exits with 8 if an expectation fails" },
  ],
  view: backtestView,
  async record(io, { arguments: { rule: id }, options: { expect, ...options } }) {
    const expected = expect === undefined ? undefined : parseExpectations(await readText(io.host, "--expect", expect), expect);
    const rule = await io.call("getRule", { params: { id } });
    const body = { ...options, version: rule.version, timezone: localTimeZone() };
    const report = await io.call("backtestRule", { params: { id: rule.id }, body });
    const isSilenced = (await activeSilences(io, ({ rule_id }) => rule_id === null || rule_id === rule.id)).length > 0;
    if (isSilenced) io.output.note("a silence is active, but this test ignores silences (`homesec silence list`)");
    return { ...report, ...(expected && { expectations: await check(io, rule.id, expected, options.mode) }) };
  },
  exitCode: ({ expectations }) => (expectations && expectations.unmet.length > 0 ? exitCodes.unmet : exitCodes.ok),
});

async function check(io: Io, ruleId: string, expected: ReadonlyMap<number, boolean>, mode: string | undefined) {
  const ids = [...expected.keys()];
  const unmet: Unmet[] = [];
  for (let begin = 0; begin < ids.length; begin += idsPerRequest) {
    const some = ids.slice(begin, begin + idsPerRequest);
    const { results } = await io.call("testRule", { params: { id: ruleId }, body: { event_ids: some, limit: idsPerRequest, mode } });
    const judged = new Map(results.map((result) => [result.event_id, result]));
    for (const id of some) {
      const result = judged.get(id);
      const wanted = expected.get(id) === true;
      if (result?.matches === wanted) continue;
      unmet.push({
        event_id: id,
        expected: wanted,
        matches: result?.matches ?? null,
        failed_conditions: result?.failed_conditions ?? [],
      });
    }
  }
  return { checked: ids.length, unmet };
}
