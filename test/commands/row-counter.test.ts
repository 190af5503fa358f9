import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { rowCounter } from "../../commands/output/row-counter.ts";
import { csvFile } from "../../src/platform/spreadsheet/csv.ts";
import { xlsxFile } from "../../src/platform/spreadsheet/xlsx.ts";

/** The bytes of a file, cut into parts of these sizes. */
async function* cut(file: AsyncIterable<Uint8Array>, size: number): AsyncGenerator<Uint8Array> {
  const parts: Uint8Array[] = [];
  for await (const part of file) parts.push(part);
  const bytes = Buffer.concat(parts);
  for (let begin = 0; begin < bytes.length; begin += size) yield bytes.subarray(begin, begin + size);
}

async function* batches(rows: readonly (readonly string[])[]): AsyncGenerator<readonly (readonly string[])[]> {
  yield rows;
}

const texts = fc.oneof(fc.string(), fc.constantFrom('a "quoted" word', "two\nlines", "a\r\nb", '"', "<row>", "", "x".repeat(5000)));

describe("row counter", () => {
  it.each(["csv", "xlsx"] as const)("row counter: counts the records of %s, whatever the texts and the parts", async (format) => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(texts, texts), { maxLength: 40 }), fc.integer({ min: 1, max: 400 }), async (rows, size) => {
        const titles = ["id", "summary"];
        const file =
          format === "csv"
            ? csvFile(titles, batches(rows))
            : xlsxFile({ name: "Events", columns: titles.map((title) => ({ title, width: 9 })), rows: batches(rows) });
        const counter = rowCounter(format);
        for await (const part of cut(file, size)) await counter.take(part);
        expect(counter.count()).toBe(rows.length);
      }),
      { numRuns: 60 },
    );
  });

  it("row counter: a workbook that cannot be read has no number", async () => {
    const counter = rowCounter("xlsx");
    await counter.take(Buffer.alloc(200, 255));
    await counter.take(Buffer.alloc(70_000, 255));
    expect(counter.count()).toBeUndefined();
  });

  it("row counter: NDJSON has one record per line", async () => {
    const counter = rowCounter("ndjson");
    await counter.take(Buffer.from('{"summary":"\\"a\\n"}\n{"id"'));
    await counter.take(Buffer.from(":2}\n"));
    expect(counter.count()).toBe(2);
  });
});
