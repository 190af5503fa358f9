import { execFileSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { inflateRawSync } from "node:zlib";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { zip } from "../../../src/platform/archive/zip.ts";
import type { Cell } from "../../../src/platform/spreadsheet/csv.ts";
import { xlsxFile } from "../../../src/platform/spreadsheet/xlsx.ts";
import { temporaryFolder } from "../../support/temporary.ts";

const folder = temporaryFolder("xlsx");
afterAll(() => folder.remove());

const columns = [
  { title: "A", width: 10 },
  { title: "B & C", width: 20 },
];

async function* cursorBatches(rows: readonly (readonly Cell[])[], size: number) {
  for (let at = 0; at < rows.length; at += size) yield rows.slice(at, at + size);
}

async function bytesOf(parts: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const part of parts) all.push(part);
  return Buffer.concat(all);
}

/** Returns the files of an archive, found by the directory at its end. */
function unzip(archive: Buffer): Map<string, string> {
  const end = archive.lastIndexOf(Buffer.from([0x50, 0x4b, 5, 6]));
  const files = new Map<string, string>();
  let at = archive.readUInt32LE(end + 16);
  for (let left = archive.readUInt16LE(end + 10); left > 0; left -= 1) {
    const [packed, name, extra] = [archive.readUInt32LE(at + 20), archive.readUInt16LE(at + 28), archive.readUInt16LE(at + 30)];
    const start = archive.readUInt32LE(at + 42);
    const data = start + 30 + archive.readUInt16LE(start + 26) + archive.readUInt16LE(start + 28);
    const content = inflateRawSync(archive.subarray(data, data + packed)).toString();
    expect(Buffer.byteLength(content)).toBe(archive.readUInt32LE(at + 24));
    files.set(archive.subarray(at + 46, at + 46 + name).toString(), content);
    at += 46 + name + extra;
  }
  return files;
}

/** Reads the texts of a sheet as a spreadsheet does. */
function textsOf(sheet: string): string[][] {
  return [...sheet.matchAll(/<row>(.*?)<\/row>/gs)].map(([, row = ""]) =>
    [...row.matchAll(/<c\/>|<c[^>]*>(.*?)<\/c>/gs)].map(([, cell = ""]) =>
      cell
        .replace(/<[^>]*>/g, "")
        .replace(/&lt;/g, "<")
        .replace(/&gt;/g, ">")
        .replace(/&amp;/g, "&")
        .replace(/_x([0-9A-F]{4})_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))),
    ),
  );
}

const workbook = async (rows: readonly (readonly Cell[])[], options: { readonly rowsPerSheet?: number; readonly batch?: number } = {}) =>
  unzip(await bytesOf(xlsxFile({ name: "Events", columns, rows: cursorBatches(rows, options.batch ?? 3), ...options })));

describe("XLSX workbook", () => {
  it("XLSX workbook: contains all files of the format, each named where required", async () => {
    const files = await workbook([["x", 1]]);
    expect([...files.keys()].sort()).toEqual([
      "[Content_Types].xml",
      "_rels/.rels",
      "xl/_rels/workbook.xml.rels",
      "xl/styles.xml",
      "xl/workbook.xml",
      "xl/worksheets/sheet1.xml",
    ]);
    expect(files.get("xl/workbook.xml")).toContain('<sheet name="Events" sheetId="1" r:id="rId1"/>');
    expect(files.get("[Content_Types].xml")).toContain('PartName="/xl/worksheets/sheet1.xml"');
  });

  it("XLSX workbook: numbers, times, booleans and texts retain their types", async () => {
    const sheet =
      (
        await workbook([
          [1.5, new Date("2026-03-01T12:00:00Z")],
          [true, null],
          ["=1+1", "5"],
          [new Date("1850-01-01"), ""],
        ])
      ).get("xl/worksheets/sheet1.xml") ?? "";
    expect(sheet).toContain('<row><c><v>1.5</v></c><c s="1"><v>46082.5</v></c></row>');
    expect(sheet).toContain('<row><c t="b"><v>1</v></c><c/></row>');
    // Marked as no formula, and without one
    expect(sheet).toContain(
      '<c t="inlineStr" s="3"><is><t xml:space="preserve">=1+1</t></is></c><c t="inlineStr"><is><t xml:space="preserve">5</t></is></c>',
    );
    expect(sheet).not.toContain("<f>");
    expect(textsOf(sheet).at(-1)).toEqual(["1850-01-01T00:00:00.000Z", ""]);
  });

  it("XLSX workbook: any text is read back unchanged", async () => {
    const text = fc.oneof(
      fc.string({ unit: "binary", maxLength: 20 }),
      fc.constantFrom("_x0041_", "a_x000D_b", "<&>\"'", "\r\n\t", "]]>", "\ufffe\uffff", "\ud800", "=x"),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(text, { minLength: 1, maxLength: 5 }), async (texts) => {
        const sheet = (await workbook(texts.map((each) => [each]))).get("xl/worksheets/sheet1.xml") ?? "";
        expect(
          textsOf(sheet)
            .slice(1)
            .map(([cell]) => cell),
        ).toEqual(texts.map((each) => each));
      }),
    );
  });

  it("XLSX workbook: cuts off text beyond the limit of a cell", async () => {
    const sheet = (await workbook([["x".repeat(40_000)]])).get("xl/worksheets/sheet1.xml") ?? "";
    expect(textsOf(sheet)[1]?.[0]).toBe(`${"x".repeat(32_766)}…`);
  });

  it.each([
    [0, 4, 3, [0]],
    [4, 4, 3, [4]],
    [5, 4, 3, [4, 1]],
    [12, 4, 5, [4, 4, 4]],
    [13, 4, 50, [4, 4, 4, 1]],
  ])("XLSX workbook: %d rows, %d a sheet, %d at a time, result in sheets of %j", async (rows, rowsPerSheet, batch, sizes) => {
    const files = await workbook(
      Array.from({ length: rows }, (_, at) => [at]),
      { rowsPerSheet, batch },
    );
    const sheets = sizes.map((_, at) => textsOf(files.get(`xl/worksheets/sheet${at + 1}.xml`) ?? ""));
    expect(sheets.map((sheet) => sheet.length - 1)).toEqual(sizes);
    for (const sheet of sheets) expect(sheet[0]).toEqual(["A", "B & C"]);
    expect(sheets.flatMap((sheet) => sheet.slice(1).map(([cell]) => Number(cell)))).toEqual(Array.from({ length: rows }, (_, at) => at));
    expect(files.has(`xl/worksheets/sheet${sizes.length + 1}.xml`)).toBe(false);
    expect(files.get("xl/workbook.xml")?.match(/<sheet /g)).toHaveLength(sizes.length);
  });

  it("XLSX workbook: ends its source when the reader stops, and when it fails", async () => {
    let ended = 0;
    const endless = async function* (): AsyncGenerator<string[][]> {
      try {
        for (;;) yield [["x".repeat(10_000)]];
      } finally {
        ended += 1;
      }
    };
    const file = xlsxFile({ name: "Events", columns, rows: endless() });
    for (let parts = 0; parts < 5; parts += 1) await file.next();
    await file.return(undefined);
    expect(ended).toBe(1);

    const failing = async function* (): AsyncGenerator<string[][]> {
      yield [["x"]];
      throw new Error("the database went away");
    };
    await expect(bytesOf(xlsxFile({ name: "Events", columns, rows: failing() }))).rejects.toThrow("the database went away");
  });

  const python = (() => {
    try {
      return execFileSync("python3", ["-c", "import zipfile, xml.dom.minidom; print('there')"]).toString().trim() === "there";
    } catch {
      return false;
    }
  })();
  it.runIf(python)("XLSX workbook: another program can read it", async () => {
    const path = join(folder.path, "a.xlsx");
    const rows = Array.from({ length: 3000 }, (_, at) => [`=row ${at} \0 <b> & é 日本`, new Date()]);
    await writeFile(path, xlsxFile({ name: "Events", columns, rows: cursorBatches(rows, 100), rowsPerSheet: 1000 }));
    const check = `
import sys, zipfile, xml.dom.minidom
archive = zipfile.ZipFile(sys.argv[1])
assert archive.testzip() is None
for name in archive.namelist(): xml.dom.minidom.parseString(archive.read(name))
sheet = xml.dom.minidom.parseString(archive.read("xl/worksheets/sheet3.xml"))
print(len(archive.namelist()), len(sheet.getElementsByTagName("row")))`;
    expect(execFileSync("python3", ["-c", check, path]).toString().trim()).toBe("8 1001");
  });
});

describe("ZIP archive", () => {
  it("ZIP archive: is the same for the same content", async () => {
    const make = () => bytesOf(zip([{ name: "a", parts: [Buffer.from("x")] }]));
    expect((await make()).equals(await make())).toBe(true);
  });
});
