/**
 * Layout of a model's output. `objectness` rows hold centre, size, objectness and class scores (YOLOv5, v7). `classes` rows hold centre,
 * size and class scores (YOLOv8, v9, v11). `end_to_end` rows hold corners, score and class, with overlaps already removed (YOLOv10 and
 * later).
 */
export type LayoutKind = "objectness" | "classes" | "end_to_end";

export interface Layout {
  readonly kind: LayoutKind;
  /** Number of boxes. */
  readonly rows: number;
  /** Number of values per box. */
  readonly columns: number;
  /** Whether the values of a box form a column: all left edges first, then all top edges, and so on. */
  readonly transposed: boolean;
}

export interface LayoutHints {
  /** Number of classes of the model. */
  readonly classes: number;
  /** Whether the model does not name its classes, so that their number is assumed. */
  readonly classesAssumed: boolean;
  /** Size of the input, in pixels. */
  readonly width: number;
  readonly height: number;
}

const scoreOffset = { objectness: 5, classes: 4 } as const;
const endToEndColumns = 6;

/** Returns the layout of an output with these dimensions, or undefined if it matches no known layout. */
export function layoutOf(dims: readonly number[], hints: LayoutHints): Layout | undefined {
  const { classes } = hints;
  const [first, second] = squeeze(dims);
  if (first === undefined || second === undefined) return undefined;
  const rowMajor = (kind: LayoutKind): Layout => ({ kind, rows: first, columns: second, transposed: false });
  const columnMajor = (kind: LayoutKind): Layout => ({ kind, rows: second, columns: first, transposed: true });
  const matches = (["objectness", "classes"] as const).flatMap((kind) => [
    ...(second === scoreOffset[kind] + classes ? [rowMajor(kind)] : []),
    ...(first === scoreOffset[kind] + classes ? [columnMajor(kind)] : []),
  ]);
  // With few classes, six values per box can also be corners, score and class. The number of boxes decides.
  const match = matches.find(({ rows }) => isGrid(rows, hints)) ?? (second === endToEndColumns ? undefined : matches[0]);
  if (match) return match;
  return second === endToEndColumns ? rowMajor("end_to_end") : undefined;
}

/** Describes what an output with these dimensions would need, for an error message. */
export function describeMismatch(dims: readonly number[], { classes, classesAssumed }: LayoutHints): string {
  const shape = `[${dims.join(", ")}]`;
  const columns = Math.min(...squeeze(dims).filter((side) => side >= endToEndColumns));
  if (!Number.isFinite(columns)) return `${shape} is not the output of a YOLO detector`;
  const known = classesAssumed
    ? "the file names no classes, and COCO has 80"
    : `${classes} ${classes === 1 ? "class is" : "classes are"} named`;
  return `${shape} fits ${columns - 4} classes (YOLOv8) or ${columns - 5} (YOLOv5), but ${known}`;
}

/** Strips leading dimensions of 1. Returns two dimensions, or none if more or fewer are left. */
function squeeze(dims: readonly number[]): readonly number[] {
  let rest = dims;
  while (rest.length > 2 && rest[0] === 1) rest = rest.slice(1);
  return rest.length === 2 ? rest : [];
}

/** Single-pass models predict one or three boxes per cell of two to four grids. */
function isGrid(rows: number, { width, height }: LayoutHints): boolean {
  const cells = (strides: readonly number[]): number =>
    strides.reduce((sum, stride) => sum + Math.ceil(width / stride) * Math.ceil(height / stride), 0);
  const grids = [cells([8, 16, 32]), cells([8, 16, 32, 64]), cells([4, 8, 16, 32]), cells([16, 32])];
  return grids.some((count) => rows === count || rows === 3 * count);
}
