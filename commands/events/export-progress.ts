import type { Io } from "../io.ts";
import { progressLine } from "../output/progress.ts";
import type { EventFilter } from "./filter.ts";

const lineEnd = 10;

/** Passes the parts of a file on and shows progress on the terminal. Without a filter the total is unknown. */
export async function* withProgress(
  io: Io,
  parts: AsyncIterable<Uint8Array>,
  format: "csv" | "xlsx" | "ndjson",
  filter: EventFilter | undefined,
): AsyncGenerator<Uint8Array> {
  const line = await progressLine(io);
  if (!line.isVisible) return yield* parts;
  // A workbook is compressed: its lines cannot be counted
  const isText = format !== "xlsx";
  const total = isText && filter ? (await io.call("listEvents", { query: { ...filter, limit: 1 } })).pagination.total : undefined;
  let count = 0;
  try {
    for await (const part of parts) {
      count += isText ? part.reduce((sum, byte) => (byte === lineEnd ? sum + 1 : sum), 0) : part.length;
      line.show({ doing: "exporting", count: Math.min(count, total ?? count), total, unit: isText ? "events" : "bytes" });
      yield part;
    }
  } finally {
    line.clear();
  }
}
