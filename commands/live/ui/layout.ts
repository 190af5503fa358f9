import type { Size } from "../../picture/terminal.ts";

/** Lines above and below the body. */
const headerHeight = 2;
const footerHeight = 1;
/** The smallest supported size. */
export const smallest: Size = { columns: 40, rows: 10 };
/** The least widths for two and three columns. */
const twoColumns = 120;
const threeColumns = 200;
const gap = 1;

export type PanelName = "cameras" | "alerts" | "events" | "system" | "log" | "preview";

export interface PanelPlace {
  readonly name: PanelName;
  /** Includes the title. */
  readonly height: number;
}

export interface Column {
  readonly width: number;
  readonly panels: readonly PanelPlace[];
}

/** Lines between header and footer. The last line of the screen stays free, since writing to it would scroll the terminal. */
export function bodyHeight({ rows }: Size): number {
  return rows - 1 - headerHeight - footerHeight;
}

export interface Counts {
  readonly cameras: number;
  readonly alerts: number;
}

/** The layout of the overview. A free column separates its columns. */
export function overviewColumns(size: Size, counts: Counts): readonly Column[] {
  const { columns } = size;
  const height = bodyHeight(size);
  if (columns < twoColumns) return [{ width: columns, panels: singleColumn(height, counts) }];
  const system: PanelPlace = { name: "system", height: Math.min(17, Math.max(8, Math.floor(height * 0.5))) };
  const left = (width: number): Column => ({ width, panels: [{ name: "cameras", height: height - system.height }, system] });
  const alerts = listHeight(counts.alerts, Math.floor(height * 0.3));
  if (columns < threeColumns) {
    const width = Math.max(50, Math.floor(columns * 0.38));
    const events: Column = {
      width: columns - width - gap,
      panels: [
        { name: "alerts", height: alerts },
        { name: "events", height: height - alerts },
      ],
    };
    return [left(width), events];
  }
  const width = Math.max(56, Math.floor(columns * 0.24));
  const preview = Math.min(120, Math.floor(columns * 0.36));
  const log = height >= 30 ? Math.floor(height * 0.25) : 0;
  const middle: Column = {
    width: columns - width - preview - 2 * gap,
    panels: [
      { name: "alerts", height: alerts },
      { name: "events", height: height - alerts - log },
      ...(log > 0 ? [{ name: "log", height: log } as const] : []),
    ],
  };
  return [left(width), middle, { width: preview, panels: [{ name: "preview", height }] }];
}

/** All lists in one column; short lists leave their lines to the events. */
function singleColumn(height: number, counts: Counts): readonly PanelPlace[] {
  if (height < 9) return [{ name: "events", height }];
  const cameras = listHeight(counts.cameras, Math.floor(height * 0.35));
  // The header says that there are no open alerts
  const alerts = counts.alerts === 0 ? 1 : listHeight(counts.alerts, Math.floor(height * 0.35));
  return [
    { name: "cameras", height: cameras },
    { name: "alerts", height: alerts },
    { name: "events", height: height - cameras - alerts },
  ];
}

/** The height of a title, the titles of the columns and the rows, up to `most`. */
function listHeight(rows: number, most: number): number {
  return Math.max(2, Math.min(rows + (rows === 0 ? 1 : 2), most));
}

/** Whether the overview has room for the details of the selected row. */
export function hasPreview({ ui: { size, view } }: { readonly ui: { readonly size: Size; readonly view: string } }): boolean {
  return view === "overview" && size.columns >= threeColumns;
}

export interface DetailsLayout {
  /** The place of the picture, on the left or above; undefined if it would be too small to recognise anything. */
  readonly picture: Size | undefined;
  readonly beside: boolean;
  readonly text: Size;
}

/** The least size of a picture: in fewer pixels than 48 x 34, a person is a blur. A cell shows one pixel above another. */
const leastPicture: Size = { columns: 48, rows: 17 };

/** Divides a place between picture and text. The picture has one more line for its caption. */
export function detailsLayout({ columns, rows }: Size): DetailsLayout {
  const pictureColumns = Math.min(Math.floor(columns * 0.45), Math.floor(((rows - 1) * 2 * 4) / 3));
  if (columns >= 150 || (columns >= 70 && columns / rows > 2.4)) {
    const picture = { columns: pictureColumns, rows: rows - 1 };
    if (isTooSmall(picture)) return { picture: undefined, beside: false, text: { columns, rows } };
    return { picture, beside: true, text: { columns: columns - pictureColumns - 2, rows } };
  }
  const pictureRows = Math.floor(rows * 0.4);
  const picture = { columns, rows: pictureRows - 1 };
  if (isTooSmall(picture)) return { picture: undefined, beside: false, text: { columns, rows } };
  return { picture, beside: false, text: { columns, rows: rows - pictureRows } };
}

function isTooSmall({ columns, rows }: Size): boolean {
  return columns < leastPicture.columns || rows < leastPicture.rows;
}
