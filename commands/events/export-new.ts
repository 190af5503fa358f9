import type { Reply } from "../../src/contract/route.ts";
import type { Routes } from "../../src/contract/routes/index.ts";
import { csvLine } from "../../src/platform/spreadsheet/csv.ts";
import type { Io } from "../io.ts";
import { pages } from "../output/pages.ts";
import { streamNew } from "../output/save.ts";
import { watched } from "./export-progress.ts";
import type { filterQuery } from "./filter.ts";
import { eventView } from "./view.ts";
import { readWatermark, writeWatermark } from "./watermark.ts";

type Event = Reply<Routes["listEvents"]>["items"][number];
type Filter = ReturnType<typeof filterQuery>;

/** What is still being stored while a run looks is left for the next run. */
const settledAfterMs = 60_000;

interface Task {
  readonly format: "csv" | "ndjson";
  readonly file: string;
  readonly filter: Filter;
  readonly watermark: string;
}

/** Saves what was stored since the last run, then moves the watermark. Resolves to whether there was anything. */
export async function exportNew(io: Io, { format, file, filter, watermark }: Task): Promise<boolean> {
  const from = await readWatermark(watermark);
  const settled = new Date(io.host.clock.now().getTime() - settledAfterMs);
  const judged = asksForJudgement(filter) ? await judgedBefore(io, filter, from, settled) : undefined;
  const until = judged?.until ?? settled;
  let someSettle = false;
  // not the time of this machine, whose clock may be ahead of the daemon's: what is stored from now on has to be after it
  let mark = judged?.newest;
  const isNew = ({ created_at }: Event): boolean => {
    if (created_at > settled) someSettle = true;
    if (created_at > until || (from !== undefined && created_at <= from)) return false;
    if (mark === undefined || created_at > mark) mark = created_at;
    return true;
  };
  const found = only(isNew, eventPages(io, { ...filter, created_since: from }));
  const first = await found.next();
  if (judged && judged.pending > 0) io.output.note(pendingNote(judged.pending));
  if (first.done !== true)
    await streamNew(file, watched(io, eventFile(format, following(first.value, found)), format, undefined), io.host.signal);
  else io.output.note(someSettle ? "no new events but those of the last minute, which the next run saves" : "no new events");
  if (mark) await writeWatermark(watermark, mark);
  return first.done !== true;
}

const asksForJudgement = ({ risk_level, min_risk_score }: Filter): boolean => risk_level !== undefined || min_risk_score !== undefined;

const pendingNote = (count: number): string =>
  count === 1
    ? "an event waits for its analysis; it and what was stored after it are saved by a later run"
    : `${count} events wait for their analysis; they and what was stored after them are saved by a later run`;

interface Judged {
  /** Up to then every event that was stored has its risk score, or gets none. */
  readonly until: Date;
  /** When the newest of them was stored. */
  readonly newest: Date | undefined;
  /** How many after it wait for their score. */
  readonly pending: number;
}

/** How far one can tell which events have the risk that is asked for: what is judged later must not be left out for good. */
async function judgedBefore(io: Io, filter: Filter, from: Date | undefined, settled: Date): Promise<Judged> {
  const all = { ...filter, risk_level: undefined, min_risk_score: undefined, created_since: from };
  const stored: number[] = [];
  let until = settled.getTime();
  let pending = 0;
  for await (const events of eventPages(io, all)) {
    for (const { analysis_status, created_at } of events) {
      const at = created_at.getTime();
      if (at > settled.getTime() || (from !== undefined && created_at <= from)) continue;
      stored.push(at);
      if (analysis_status !== "pending") continue;
      pending += 1;
      until = Math.min(until, at - 1);
    }
  }
  const newest = stored.reduce((last, at) => (at <= until ? Math.max(last, at) : last), Number.NEGATIVE_INFINITY);
  return { until: new Date(until), newest: Number.isFinite(newest) ? new Date(newest) : undefined, pending };
}

/** The events that match, page by page, newest first. */
export async function* eventPages(
  io: Io,
  filter: Filter & { readonly created_since?: Date | undefined },
): AsyncGenerator<readonly Event[]> {
  const bodies = pages(Number.MAX_SAFE_INTEGER, (page) => io.call("listEvents", { query: { ...filter, ...page } }));
  for await (const { items } of bodies) yield items;
}

/** The bytes of a file with these events: CSV with the columns of `events list -o csv`, or one JSON object a line. */
export async function* eventFile(format: "csv" | "ndjson", batches: AsyncIterable<readonly Event[]>): AsyncGenerator<Uint8Array> {
  if (format === "csv") yield Buffer.from(csvLine(eventView.fields));
  for await (const events of batches) {
    const lines = events.map((event) =>
      format === "csv" ? csvLine(eventView.fields.map((field) => event[field])) : `${JSON.stringify(event)}\n`,
    );
    yield Buffer.from(lines.join(""));
  }
}

/** Of each page only what matches, without pages where nothing does. */
async function* only(matches: (event: Event) => boolean, batches: AsyncIterable<readonly Event[]>): AsyncGenerator<readonly Event[]> {
  for await (const events of batches) {
    const some = events.filter(matches);
    if (some.length > 0) yield some;
  }
}

async function* following(first: readonly Event[], rest: AsyncIterable<readonly Event[]>): AsyncGenerator<readonly Event[]> {
  yield first;
  yield* rest;
}
