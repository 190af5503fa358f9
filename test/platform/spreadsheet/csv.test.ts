import { describe, expect, it } from "vitest";
import { csvFile, csvLine } from "../../../src/platform/spreadsheet/csv.ts";

describe("CSV line", () => {
  it.each([
    [["a", 1, true, null, new Date("2026-03-01T12:00:00Z")], "a,1,true,,2026-03-01T12:00:00.000Z"],
    [['say "hi"', "a,b", "two\nlines", "cr\rhere"], '"say ""hi""","a,b","two\nlines","cr\rhere"'],
    [["", " ", "äöü 日本"], ", ,äöü 日本"],
    [[-1, 0, 2.5], "-1,0,2.5"],
  ])("CSV line: %#", (values, line) => {
    expect(csvLine(values)).toBe(`${line}\r\n`);
  });

  it.each(["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", '=HYPERLINK("http://x","y")', "＝1"])(
    "CSV line: %j does not run as a formula",
    (text) => {
      const line = csvLine([text]);
      const cell = line.startsWith('"') ? line.slice(1) : line;
      expect(cell.startsWith("'")).toBe(true);
      expect(line).toContain(text.replaceAll('"', '""'));
    },
  );

  it("CSV line: text after a semicolon or tab does not run where these end a cell", () => {
    expect(csvLine(['yard;=HYPERLINK("x")', "a; -1;b\t@c", "a;b = c"])).toBe(`"yard;'=HYPERLINK(""x"")",a; '-1;b\t'@c,a;b = c\r\n`);
  });

  it.each(["1+1", "a=b", " =1", "person@gate", "'quoted"])("CSV line: %j stays unchanged", (text) => {
    expect(csvLine([text])).toBe(`${text}\r\n`);
  });
});

describe("CSV for Excel", () => {
  const at = new Date("2026-07-01T21:30:15.250Z");

  it.each([
    [",", "Europe/Berlin", '7,2026-07-01 23:30:15,"a;b","a,b",Größe\r\n'],
    [";", "America/New_York", '7;2026-07-01 17:30:15;"a;b";"a,b";Größe\r\n'],
  ] as const)("CSV for Excel: the separator %s and times in %s", (separator, timeZone, line) => {
    expect(csvLine([7, at, "a;b", "a,b", "Größe"], { separator, timeZone })).toBe(line);
  });

  it("CSV for Excel: the file begins with a byte order mark", async () => {
    const file = csvFile(["a", "b"], (async function* () {})(), { separator: ";", timeZone: "UTC" });
    const parts: Uint8Array[] = [];
    for await (const part of file) parts.push(part);
    expect(Buffer.concat(parts)).toEqual(Buffer.from([0xef, 0xbb, 0xbf, ...Buffer.from("a;b\r\n")]));
  });

  it("CSV for Excel: a text that is a formula stays one cell of text", () => {
    expect(csvLine(['=1;"x"'], { separator: ";", timeZone: "UTC" })).toBe('"\'=1;""x"""\r\n');
  });
});

it("CSV line: characters that a terminal would obey are written as in JSON", () => {
  expect(csvLine(["a\u001b[2Jb", "\u202egpj.exe", "x\u009by", "tab\tand\nline"])).toBe(
    'a\\u001b[2Jb,\\u202egpj.exe,x\\u009by,"tab\tand\nline"\r\n',
  );
});

describe("CSV file", () => {
  const made = async (batches: AsyncIterable<readonly (readonly string[])[]>) => {
    const parts: string[] = [];
    for await (const part of csvFile(["a", "b"], batches)) parts.push(Buffer.from(part).toString());
    return parts;
  };

  it("CSV file: contains titles, then rows as they arrive", async () => {
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

  it("CSV file: contains its titles even without rows", async () => {
    expect((await made((async function* () {})())).join("")).toBe("a,b\r\n");
  });

  it("CSV file: writes nothing if it fails before the first row", async () => {
    const failing = async function* (): AsyncGenerator<string[][]> {
      yield* [];
      throw new Error("no database");
    };
    await expect(csvFile(["a"], failing()).next()).rejects.toThrow("no database");
  });
});
