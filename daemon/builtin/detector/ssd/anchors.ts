/** A box of the model before it is moved and scaled, in shares of the picture. */
export interface Anchor {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Width and height of the model's usual input in pixels. Its anchors have sizes in shares of it. */
export const inputSide = 300;
/** Pixels between two anchors of the finest grid: the model halves its input four times. */
const halvings = 4;
/** Sizes of the five coarse grids of a square input. */
const coarseGrids = [10, 5, 3, 2, 1];
/** Size of the anchors of each grid, from the finest on. The last one only serves for the one in between. */
const scales = [0.2, 0.35, 0.5, 0.65, 0.8, 0.95, 1];

/** Returns the anchors of the finest grid for an input of this size in pixels, in the order of the model's rows: 1,083 for a square one. */
export function fineAnchors({ width, height }: { readonly width: number; readonly height: number }): readonly Anchor[] {
  const [size = 0] = scales;
  const shapes = [
    { size: size / 2, aspect: 1 },
    { size, aspect: 2 },
    { size, aspect: 1 / 2 },
  ];
  const inShares = { width: inputSide / width, height: inputSide / height };
  return gridAnchors(cellsOf(width), cellsOf(height), shapes).map((anchor) => ({
    ...anchor,
    width: anchor.width * inShares.width,
    height: anchor.height * inShares.height,
  }));
}

/** Returns the anchors of the coarse grids of a square input, in the order of the model's rows: 834. */
export function coarseAnchors(): readonly Anchor[] {
  return coarseGrids.flatMap((cells, index) => {
    const [size = 0, next = 0] = scales.slice(index + 1);
    const aspects = [1, 2, 1 / 2, 3, 1 / 3].map((aspect) => ({ size, aspect }));
    return gridAnchors(cells, cells, [...aspects, { size: Math.sqrt(size * next), aspect: 1 }]);
  });
}

/** The model rounds up each time it halves its input. */
function cellsOf(pixels: number): number {
  let cells = pixels;
  for (let n = 0; n < halvings; n += 1) cells = Math.ceil(cells / 2);
  return cells;
}

function gridAnchors(
  columns: number,
  rows: number,
  shapes: readonly { readonly size: number; readonly aspect: number }[],
): readonly Anchor[] {
  return Array.from({ length: rows * columns }, (_, cell) => {
    const x = ((cell % columns) + 0.5) / columns;
    const y = (Math.floor(cell / columns) + 0.5) / rows;
    return shapes.map(({ size, aspect }) => ({ x, y, width: size * Math.sqrt(aspect), height: size / Math.sqrt(aspect) }));
  }).flat();
}
