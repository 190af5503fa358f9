import type { Io } from "../io.ts";
import { progressLine } from "../output/progress.ts";
import { rowCounter } from "../output/row-counter.ts";
import type { EventFilter } from "./filter.ts";

/** The parts of an export on their way to the file. */
export interface CountedParts {
  readonly parts: AsyncIterable<Uint8Array>;
  /** The number of events that have passed; undefined if it cannot be known. */
  count(): number | undefined;
}

/** Counts the events in the parts of a file and shows progress on the terminal. Without a filter the total is unknown. */
export function counted(
  io: Io,
  parts: AsyncIterable<Uint8Array>,
  format: "csv" | "xlsx" | "ndjson",
  filter: EventFilter | undefined,
): CountedParts {
  const counter = rowCounter(format);
  async function* passing(): AsyncGenerator<Uint8Array> {
    const line = await progressLine(io);
    const total = line.isVisible && filter ? (await io.call("listEvents", { query: { ...filter, limit: 1 } })).pagination.total : undefined;
    try {
      for await (const part of parts) {
        await counter.take(part);
        const count = counter.count() ?? 0;
        line.show({ doing: "exporting", count: Math.min(count, total ?? count), total, unit: "events" });
        yield part;
      }
    } finally {
      line.clear();
    }
  }
  return { parts: passing(), count: counter.count };
}
