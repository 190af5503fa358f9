import { describe, expect, it } from "vitest";
import { csvFile, csvLine } from "../../../src/platform/spreadsheet/csv.ts";

describe("a line of CSV", () => {
  it.each([
    [["a", 1, true, null, new Date("2026-03-01T12:00:00Z")], "a,1,true,,2026-03-01T12:00:00.000Z"],
    [['say "hi"', "a,b", "two\nlines", "cr\rhere"], '"say ""hi""","a,b","two\nlines","cr\rhere"'],
    [["", " ", "äöü 日本"], ", ,äöü 日本"],
    [[-1, 0, 2.5], "-1,0,2.5"],
  ])("%#", (values, line) => {
    expect(csvLine(values)).toBe(`${line}\r\n`);
  });

  it.each(["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", '=HYPERLINK("http://x","y")', "＝1"])(
    "keeps %j from being run",
    (text) => {
      const line = csvLine([text]);
      const cell = line.startsWith('"') ? line.slice(1) : line;
      expect(cell.startsWith("'")).toBe(true);
      expect(line).toContain(text.replaceAll('"', '""'));
    },
  );

  it("keeps what follows a semicolon or a tab from being run where they end a cell", () => {
    expect(csvLine(['yard;=HYPERLINK("x")', "a; -1;b\t@c", "a;b = c"])).toBe(`"yard;'=HYPERLINK(""x"")",a; '-1;b\t'@c,a;b = c\r\n`);
  });

  it.each(["1+1", "a=b", " =1", "person@gate", "'quoted"])("leaves %j alone", (text) => {
    expect(csvLine([text])).toBe(`${text}\r\n`);
  });
});

describe("a CSV file", () => {
  const made = async (batches: AsyncIterable<readonly (readonly string[])[]>) => {
    const parts: string[] = [];
    for await (const part of csvFile(["a", "b"], batches)) parts.push(Buffer.from(part).toString());
    return parts;
  };

  it("has titles, then rows as they come", async () => {
    const parts = await made(
      (async function* () {
        yield [["1", "2"]];
        yield [
          ["3", "4"],
          ["5", "6"],
        ];
      })(),
    );
    expect(parts).toEqual(["a,b\r\n1,2\r\n", "3,4\r\n5,6\r\n"]);
  });

  it("has its titles when there are no rows", async () => {
    expect((await made((async function* () {})())).join("")).toBe("a,b\r\n");
  });

  it("makes nothing of a failure before the first row", async () => {
    const failing = async function* (): AsyncGenerator<string[][]> {
      yield* [];
      throw new Error("no database");
    };
    await expect(csvFile(["a"], failing()).next()).rejects.toThrow("no database");
  });
});
