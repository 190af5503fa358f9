import { createInflateRaw, type InflateRaw } from "node:zlib";

/** Counts the records of a file while its parts pass. */
export interface RowCounter {
  take(part: Uint8Array): Promise<void>;
  /** The number so far, without titles; undefined if it cannot be known. */
  count(): number | undefined;
}

/** Creates the counter for a file as homesec writes it. */
export function rowCounter(format: "csv" | "ndjson" | "xlsx"): RowCounter {
  if (format === "xlsx") return workbookCounter();
  return format === "csv" ? lineCounter({ quoted: true, titles: 1 }) : lineCounter({ quoted: false, titles: 0 });
}

const lineEnd = 10;
const quote = 34;

/** Counts line ends. Between quotes they belong to a text; a doubled quote closes the text and opens it again. */
function lineCounter({ quoted, titles }: { readonly quoted: boolean; readonly titles: number }): RowCounter {
  let lines = 0;
  let isText = false;
  return {
    async take(part) {
      for (const byte of part) {
        if (quoted && byte === quote) isText = !isText;
        else if (byte === lineEnd && !isText) lines += 1;
      }
    },
    count: () => Math.max(0, lines - titles),
  };
}

/** Bytes before the name of an entry in an archive. */
const headerLength = 30;
/** A full sheet may continue on another one, which is not counted. */
const fullSheet = 2 ** 20 - 1;

/** Counts the rows of the first sheet, which is the first entry of a workbook and compressed. */
function workbookCounter(): RowCounter {
  let head = Buffer.alloc(0);
  let sheet: SheetCounter | undefined;
  return {
    async take(part) {
      if (sheet !== undefined) return await sheet.take(part);
      head = Buffer.concat([head, part]);
      if (head.length < headerLength) return;
      const begin = headerLength + head.readUInt16LE(26) + head.readUInt16LE(28);
      if (head.length < begin) return;
      sheet = createSheetCounter();
      await sheet.take(head.subarray(begin));
    },
    count() {
      const rows = sheet?.rows() ?? Number.NaN;
      return rows > 0 && rows <= fullSheet ? rows - 1 : undefined;
    },
  };
}

interface SheetCounter {
  take(part: Uint8Array): Promise<void>;
  /** Rows with the titles; NaN if the archive cannot be read. */
  rows(): number;
}

function createSheetCounter(): SheetCounter {
  const tag = "<row>";
  const inflate: InflateRaw = createInflateRaw();
  let rows = 0;
  let carried = "";
  let isOver = false;
  inflate.on("data", (part: Buffer) => {
    const text = carried + part.toString("latin1");
    rows += text.split(tag).length - 1;
    // A tag may be cut in two
    carried = text.slice(1 - tag.length);
  });
  const over = new Promise<void>((resolve) => {
    const end = (): void => {
      isOver = true;
      resolve();
    };
    inflate.once("end", end);
    inflate.once("error", () => {
      rows = Number.NaN;
      end();
    });
  });
  return {
    async take(part) {
      if (isOver) return;
      const written = new Promise<void>((resolve) => inflate.write(part, () => resolve()));
      // At the end of the sheet the rest of the part is not taken
      await Promise.race([written, over]);
    },
    rows: () => rows,
  };
}
