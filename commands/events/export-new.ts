import type { ReplyOf } from "../../src/contract/routes/index.ts";
import { byteOrderMark, csvLine, type ExcelDialect, zonedTitle } from "../../src/platform/spreadsheet/csv.ts";
import type { Io } from "../io.ts";
import { chosen } from "../output/fields.ts";
import { pages } from "../output/pages.ts";
import { streamNew } from "../output/save.ts";
import { counted } from "./export-progress.ts";
import type { EventFilter } from "./filter.ts";
import { eventView } from "./view.ts";
import { readWatermark, writeWatermark } from "./watermark.ts";

type Event = ReplyOf<"listEvents">["items"][number];

/** Leaves events that may still be in the middle of being stored to the next run. */
const settledAfterMs = 60_000;

interface Task {
  readonly format: "csv" | "ndjson";
  readonly file: string;
  readonly filter: EventFilter;
  readonly watermark: string;
  readonly excel: ExcelDialect | undefined;
}

/** Saves the events stored since the last run and moves the watermark. Resolves to their number; undefined if there were none and no file. */
export async function exportNew(io: Io, { format, file, filter, watermark, excel }: Task): Promise<number | undefined> {
  const from = await readWatermark(watermark);
  const settled = new Date(io.host.clock.now().getTime() - settledAfterMs);
  const analysed = needsAnalysis(filter) ? await analysedBefore(io, filter, from, settled) : undefined;
  const until = analysed?.until ?? settled;
  let hasRecent = false;
  // Uses times of stored events: the clock of this machine may be ahead of the daemon's
  let mark = analysed?.newest;
  const isNew = ({ created_at }: Event): boolean => {
    if (created_at > settled) hasRecent = true;
    if (created_at > until || (from !== undefined && created_at <= from)) return false;
    if (mark === undefined || created_at > mark) mark = created_at;
    return true;
  };
  const found = only(isNew, eventPages(io, { ...filter, created_since: from }));
  const first = await found.next();
  if (analysed && analysed.pending > 0) io.output.note(pendingNote(analysed.pending));
  let count: number | undefined;
  if (first.done === true)
    io.output.note(hasRecent ? "no new events except those of the last minute; the next run saves them" : "no new events");
  else {
    const content = counted(io, eventFile(format, following(first.value, found), excel), format, undefined);
    await streamNew(file, content.parts, io.host.signal);
    count = content.count();
  }
  if (mark) await writeWatermark(watermark, mark);
  return count;
}

const needsAnalysis = ({ risk_level, min_risk_score }: EventFilter): boolean => risk_level !== undefined || min_risk_score !== undefined;

const pendingNote = (count: number): string =>
  count === 1
    ? "1 event waits for analysis; a later run saves it and all events after it"
    : `${count} events wait for analysis; a later run saves them and all events after them`;

interface Analysed {
  /** All events stored up to this time have a risk score, or will never get one. */
  readonly until: Date;
  /** The storage time of the newest of them. */
  readonly newest: Date | undefined;
  /** Number of later events that wait for their score. */
  readonly pending: number;
}

/** The end of the period with reliable risk scores. Events scored later must not be skipped for good. */
async function analysedBefore(io: Io, filter: EventFilter, from: Date | undefined, settled: Date): Promise<Analysed> {
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

/** The matching events, page by page, newest first. */
export async function* eventPages(
  io: Io,
  filter: EventFilter & { readonly created_since?: Date | undefined },
): AsyncGenerator<readonly Event[]> {
  const bodies = pages(Number.MAX_SAFE_INTEGER, (page) => io.call("listEvents", { query: { ...filter, ...page } }));
  for await (const { items } of bodies) yield items;
}

/** The bytes of a file with these events: CSV with the columns of `events list -o csv`, or one JSON object per line. */
export async function* eventFile(
  format: "csv" | "ndjson",
  batches: AsyncIterable<readonly Event[]>,
  excel?: ExcelDialect,
): AsyncGenerator<Uint8Array> {
  const columns = await eventView.fields();
  const titles = excel ? columns.map((title) => zonedTitle(title, excel.timeZone)) : columns;
  if (format === "csv") yield Buffer.from(`${excel ? byteOrderMark : ""}${csvLine(titles, excel)}`);
  for await (const events of batches) {
    const lines = events.map((event) =>
      format === "csv" ? csvLine(Object.values(chosen(event, columns)), excel) : `${JSON.stringify(event)}\n`,
    );
    yield Buffer.from(lines.join(""));
  }
}

/** The matching events of each page; pages without a match are skipped. */
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
