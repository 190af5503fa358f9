import { dayMs } from "../../base/clock/clock.ts";
import { largestEntry, type ZipEntry, zip } from "../archive/zip.ts";
import { type Cell, looksLikeFormula, type RowBatches } from "./csv.ts";

/** Maximum number of rows below the titles: the format's limit is 2^20 with them. */
const maxRows = 2 ** 20 - 1;
/** Maximum number of characters in a cell. */
const maxCharacters = 32_767;
/** A sheet ends before its file exceeds the limit of archives; another batch of rows still fits. */
const largestSheet = largestEntry - 0x1000_0000;

export interface Column {
  readonly title: string;
  /** In characters. */
  readonly width: number;
}

export interface Workbook {
  /** Name of the sheets; further ones get a number. At most 25 characters, none of []:*?/\ */
  readonly name: string;
  readonly columns: readonly Column[];
  readonly rows: RowBatches;
  readonly rowsPerSheet?: number;
}

/**
 * Yields a workbook as XLSX while it is read, in constant memory. Rows beyond one sheet continue on further ones. Texts stay texts: those
 * that look like a formula are marked, and text beyond the limit of a cell is cut off. Times are in UTC.
 */
export async function* xlsxFile(workbook: Workbook): AsyncGenerator<Uint8Array> {
  const batches = workbook.rows[Symbol.asyncIterator]();
  try {
    yield* zip(entriesOf(workbook, batches));
  } finally {
    await batches.return?.();
  }
}

/** The remaining rows while sheets are filled. */
interface Supply {
  next(): Promise<readonly (readonly Cell[])[]>;
  /** Returns rows that did not fit into a sheet. */
  putBack(rows: readonly (readonly Cell[])[]): void;
}

async function* entriesOf(workbook: Workbook, batches: AsyncIterator<readonly (readonly Cell[])[]>): AsyncGenerator<ZipEntry> {
  const supply = supplyOf(batches);
  let sheets = 0;
  // Nothing is written before the first rows arrive, so that a failure can still be reported
  await hasMore(supply);
  do {
    sheets += 1;
    yield { name: `xl/worksheets/sheet${sheets}.xml`, parts: sheet(workbook, supply) };
  } while (await hasMore(supply));
  const files = { ...fixedFiles, ...filesOf(workbook.name, sheets) };
  for (const [name, content] of Object.entries(files)) yield { name, parts: [Buffer.from(content)] };
}

function supplyOf(batches: AsyncIterator<readonly (readonly Cell[])[]>): Supply {
  let back: readonly (readonly Cell[])[] = [];
  return {
    async next() {
      if (back.length > 0) {
        const rows = back;
        back = [];
        return rows;
      }
      for (let batch = await batches.next(); !batch.done; batch = await batches.next()) if (batch.value.length > 0) return batch.value;
      return [];
    },
    putBack(rows) {
      back = rows;
    },
  };
}

async function hasMore(supply: Supply): Promise<boolean> {
  const rows = await supply.next();
  supply.putBack(rows);
  return rows.length > 0;
}

async function* sheet({ columns, rowsPerSheet = maxRows }: Workbook, supply: Supply): AsyncGenerator<Uint8Array> {
  const widths = columns.map(({ width }, at) => `<col min="${at + 1}" max="${at + 1}" width="${width}" customWidth="1"/>`).join("");
  const titles = columns.map(({ title }) => textCell(title, styles.title)).join("");
  let xml = `${declaration}<worksheet xmlns="${mainNamespace}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><cols>${widths}</cols><sheetData><row>${titles}</row>`;
  let size = 0;
  let room = rowsPerSheet;
  while (room > 0 && size < largestSheet) {
    const rows = await supply.next();
    if (rows.length === 0) break;
    if (rows.length > room) supply.putBack(rows.slice(room));
    for (const row of rows.slice(0, room)) xml += `<row>${row.map(cellXml).join("")}</row>`;
    room -= Math.min(room, rows.length);
    const part = Buffer.from(xml);
    size += part.length;
    yield part;
    xml = "";
  }
  yield Buffer.from(`${xml}</sheetData></worksheet>`);
}

/** Indexes in the list of formats in styles.xml. */
const styles = { plain: 0, time: 1, title: 2, notAFormula: 3 } as const;

function cellXml(cell: Cell): string {
  if (cell === null || cell === "") return "<c/>";
  if (typeof cell === "string") return textCell(cell, looksLikeFormula(cell) ? styles.notAFormula : styles.plain);
  if (typeof cell === "number") return `<c><v>${cell}</v></c>`;
  if (typeof cell === "boolean") return `<c t="b"><v>${cell ? 1 : 0}</v></c>`;
  const day = cell.getTime() / dayMs + daysBefore1970;
  // The calendar of spreadsheets begins with 1900, and its first two months are a day off
  return day < 61 ? textCell(cell.toISOString(), styles.plain) : `<c s="${styles.time}"><v>${day}</v></c>`;
}

const daysBefore1970 = 25_569;

function textCell(text: string, style: number): string {
  const cut = text.length > maxCharacters ? `${text.slice(0, maxCharacters - 1)}…` : text;
  return `<c t="inlineStr"${style === styles.plain ? "" : ` s="${style}"`}><is><t xml:space="preserve">${escaped(cut)}</t></is></c>`;
}

/** Escapes characters that XML cannot contain in the format's notation, `_x0007_`; a text that already looks like that is marked. */
function escaped(text: string): string {
  if (!/[&<>"_\p{Cc}\p{Surrogate}\ufffe\uffff]/u.test(text)) return text;
  return text
    .replace(/_(?=x[0-9A-Fa-f]{4}_)/g, "_x005F_")
    .replace(/[&<>]/g, (character) => entities[character] ?? character)
    .replace(/(?![\t\n])\p{Cc}|[\ufffe\uffff]|\p{Surrogate}/gu, codeOf);
}

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

function codeOf(character: string): string {
  return `_x${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}_`;
}

const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const mainNamespace = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const relations = "http://schemas.openxmlformats.org/package/2006/relationships";
const officeRelations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const sheetType = "application/vnd.openxmlformats-officedocument.spreadsheetml";

const fixedFiles: Readonly<Record<string, string>> = {
  "_rels/.rels": `${declaration}<Relationships xmlns="${relations}"><Relationship Id="rId1" Type="${officeRelations}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  "xl/styles.xml": `${declaration}<styleSheet xmlns="${mainNamespace}"><numFmts count="1"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/></numFmts><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="4"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/><xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/><xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1"/><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0" quotePrefix="1"/></cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`,
};

/** Returns the files that depend on the number of sheets. */
function filesOf(name: string, sheets: number): Readonly<Record<string, string>> {
  const numbers = Array.from({ length: sheets }, (_, at) => at + 1);
  const tags = (tag: (number: number) => string): string => numbers.map(tag).join("");
  return {
    "xl/workbook.xml": `${declaration}<workbook xmlns="${mainNamespace}" xmlns:r="${officeRelations}"><sheets>${tags((n) => `<sheet name="${escaped(n === 1 ? name : `${name} ${n}`)}" sheetId="${n}" r:id="rId${n}"/>`)}</sheets></workbook>`,
    "xl/_rels/workbook.xml.rels": `${declaration}<Relationships xmlns="${relations}">${tags((n) => `<Relationship Id="rId${n}" Type="${officeRelations}/worksheet" Target="worksheets/sheet${n}.xml"/>`)}<Relationship Id="rId${sheets + 1}" Type="${officeRelations}/styles" Target="styles.xml"/></Relationships>`,
    "[Content_Types].xml": `${declaration}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${sheetType}.sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="${sheetType}.styles+xml"/>${tags((n) => `<Override PartName="/xl/worksheets/sheet${n}.xml" ContentType="${sheetType}.worksheet+xml"/>`)}</Types>`,
  };
}
