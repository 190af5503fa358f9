import { z } from "zod";
import { Problem } from "../../src/contract/problem.ts";

const EventId = z.int();
const Entry = z.union([
  EventId.transform((id) => ({ event_id: id, matches: true })),
  z.object({ event_id: EventId, matches: z.boolean().default(true) }),
]);
const Entries = z.array(Entry);
/** The reply of a rule test, which lists its entries under `results`. */
const Results = z.object({ results: Entries }).transform(({ results }) => results);
const Lists = z
  .strictObject({ match: z.array(EventId).default([]), no_match: z.array(EventId).default([]) })
  .transform(({ match, no_match }) => [
    ...match.map((id) => ({ event_id: id, matches: true })),
    ...no_match.map((id) => ({ event_id: id, matches: false })),
  ]);
const File = z.union([Entries, Results, Lists, Entry.transform((entry) => [entry])]);

/** An event that does not match as expected. `matches` is null if the event does not exist or is deleted. */
export interface Unmet {
  readonly event_id: number;
  readonly expected: boolean;
  readonly matches: boolean | null;
  readonly failed_conditions: readonly string[];
}

/**
 * Parses which events must match (true) or not (false). The text is JSON, or one JSON value per line: ids, `{event_id, matches}`,
 * `{match: [ids], no_match: [ids]}`, or the reply of a rule test. Throws `Problem("invalid")` naming the file and line.
 */
export function parseExpectations(text: string, file: string): ReadonlyMap<number, boolean> {
  const expected = new Map<number, boolean>();
  for (const { value, place } of valuesOf(text, file)) {
    const entries = File.safeParse(value);
    if (!entries.success) throw new Problem("invalid", `${place} is not a list of events; write ${form}`, { cause: entries.error });
    for (const { event_id: id, matches } of entries.data) {
      if (expected.has(id) && expected.get(id) !== matches) {
        throw new Problem("invalid", `${place} expects event ${id} both to match and not to match; remove one of them`);
      }
      expected.set(id, matches);
    }
  }
  if (expected.size === 0) throw new Problem("invalid", `${file} lists no events; write ${form}`);
  return expected;
}

const form = 'ids such as [41, 42], or {"match": [41], "no_match": [42]}, or one {"event_id": 41, "matches": true} per line';

function valuesOf(text: string, file: string): readonly { readonly value: unknown; readonly place: string }[] {
  const whole = parsed(text);
  if (whole !== undefined) return [{ value: whole, place: file }];
  return text.split("\n").flatMap((line, index) => {
    if (line.trim() === "") return [];
    const value = parsed(line);
    const place = `${file}, line ${index + 1},`;
    if (value === undefined) throw new Problem("invalid", `${place} is not JSON; write ${form}`);
    return [{ value, place }];
  });
}

/** Returns undefined for invalid JSON; no JSON value is undefined. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
