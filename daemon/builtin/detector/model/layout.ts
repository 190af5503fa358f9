/**
 * How a model's output is laid out. `objectness`: a row has centre, size, objectness and class scores (YOLOv5, v7);
 * `classes`: centre, size and class scores (YOLOv8, v9, v11); `end_to_end`: corners, score and class, overlaps
 * removed already (YOLOv10 and later).
 */
export type LayoutKind = "objectness" | "classes" | "end_to_end";

export interface Layout {
  readonly kind: LayoutKind;
  /** How many boxes. */
  readonly rows: number;
  /** Numbers of one box. */
  readonly columns: number;
  /** The numbers of one box stand in a column of their own: first all lefts, then all tops and so on. */
  readonly transposed: boolean;
}

export interface LayoutClues {
  /** How many classes the model has. */
  readonly classes: number;
  /** Nobody said so: it is a guess. */
  readonly classesAssumed: boolean;
  /** Of the input, in pixels. */
  readonly width: number;
  readonly height: number;
}

const before = { objectness: 5, classes: 4 } as const;
const endToEndColumns = 6;

/** The layout of an output with these dimensions, or undefined when it is none of those known. */
export function layoutOf(dims: readonly number[], clues: LayoutClues): Layout | undefined {
  const { classes } = clues;
  const [first, second] = plain(dims);
  if (first === undefined || second === undefined) return undefined;
  const upright = (kind: LayoutKind): Layout => ({ kind, rows: first, columns: second, transposed: false });
  const lying = (kind: LayoutKind): Layout => ({ kind, rows: second, columns: first, transposed: true });
  const fitting = (["objectness", "classes"] as const).flatMap((kind) => [
    ...(second === before[kind] + classes ? [upright(kind)] : []),
    ...(first === before[kind] + classes ? [lying(kind)] : []),
  ]);
  // few classes: six numbers a box can also be corners, score and class; the number of boxes tells
  const raw = fitting.find(({ rows }) => isGrid(rows, clues)) ?? (second === endToEndColumns ? undefined : fitting[0]);
  if (raw) return raw;
  return second === endToEndColumns ? upright("end_to_end") : undefined;
}

/** What an output of these dimensions would need, for people. */
export function describeMismatch(dims: readonly number[], { classes, classesAssumed }: LayoutClues): string {
  const shape = `[${dims.join(", ")}]`;
  const columns = Math.min(...plain(dims).filter((side) => side >= endToEndColumns));
  if (!Number.isFinite(columns)) return `${shape} is not the output of a YOLO detector`;
  const known = classesAssumed
    ? "the file names no classes, and COCO has 80"
    : `${classes} ${classes === 1 ? "class is" : "classes are"} named`;
  return `${shape} is that of ${columns - 4} classes (YOLOv8) or ${columns - 5} (YOLOv5), but ${known}`;
}

/** The two dimensions that say something. */
function plain(dims: readonly number[]): readonly number[] {
  let rest = dims;
  while (rest.length > 2 && rest[0] === 1) rest = rest.slice(1);
  return rest.length === 2 ? rest : [];
}

/** Models of one pass look at each cell of three or four grids once or three times. */
function isGrid(rows: number, { width, height }: LayoutClues): boolean {
  const cells = (strides: readonly number[]): number =>
    strides.reduce((sum, stride) => sum + Math.ceil(width / stride) * Math.ceil(height / stride), 0);
  const grids = [cells([8, 16, 32]), cells([8, 16, 32, 64]), cells([4, 8, 16, 32]), cells([16, 32])];
  return grids.some((count) => rows === count || rows === 3 * count);
}
