import type { Reply } from "../../src/contract/route.ts";
import type { Routes } from "../../src/contract/routes/index.ts";
import { csvLine } from "../../src/spreadsheet/csv.ts";
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
  const until = new Date(io.host.clock.now().getTime() - settledAfterMs);
  let someSettle = false;
  const isNew = ({ created_at }: Event): boolean => {
    if (created_at > until) someSettle = true;
    return created_at <= until && (from === undefined || created_at > from);
  };
  const found = only(isNew, eventPages(io, { ...filter, created_since: from }));
  const first = await found.next();
  if (first.done === true)
    io.output.note(someSettle ? "no new events but those of the last minute, which the next run saves" : "no new events");
  else await streamNew(file, watched(io, eventFile(format, following(first.value, found)), format, undefined), io.host.signal);
  await writeWatermark(watermark, until);
  return first.done !== true;
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
