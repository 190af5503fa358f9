/** A box of the model before it is moved and scaled, in shares of the region. */
export interface Anchor {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Sizes of the six grids of the model at 300 x 300 pixels, from fine to coarse. */
const grids = [19, 10, 5, 3, 2, 1];
/** Size of the anchors of each grid, as a share of the region. The last one only serves for the one in between. */
const scales = [0.2, 0.35, 0.5, 0.65, 0.8, 0.95, 1];

/** Returns the anchors in the order of the model's rows: 1,917 for 300 x 300 pixels. */
export function ssdAnchors(): readonly Anchor[] {
  return grids.flatMap((cells, grid) => {
    const shapes = shapesOf(grid);
    return Array.from({ length: cells * cells }, (_, cell) => {
      const x = ((cell % cells) + 0.5) / cells;
      const y = (Math.floor(cell / cells) + 0.5) / cells;
      return shapes.map(({ size, aspect }) => ({ x, y, width: size * Math.sqrt(aspect), height: size / Math.sqrt(aspect) }));
    }).flat();
  });
}

function shapesOf(grid: number): readonly { readonly size: number; readonly aspect: number }[] {
  const [size = 0, next = 0] = scales.slice(grid);
  if (grid === 0) {
    return [
      { size: size / 2, aspect: 1 },
      { size, aspect: 2 },
      { size, aspect: 1 / 2 },
    ];
  }
  const aspects = [1, 2, 1 / 2, 3, 1 / 3].map((aspect) => ({ size, aspect }));
  return [...aspects, { size: Math.sqrt(size * next), aspect: 1 }];
}
