import sharp from "sharp";

/** The size of the demo pictures. */
export const width = 768;
export const height = 576;

/** The picture of a camera turned by a share of the width. */
export function shifted(bytes: Buffer, share: number): Promise<Buffer> {
  const by = Math.round(width * share);
  return sharp(bytes)
    .extract({ left: by, top: 0, width: width - by, height })
    .extend({ right: by, extendWith: "mirror" })
    .jpeg()
    .toBuffer();
}

/** The picture with a share of its width covered. */
export function coveredBy(bytes: Buffer, share: number): Promise<Buffer> {
  const cover = { create: { width: Math.round(width * share), height, channels: 3, background: "#222222" } } as const;
  return sharp(bytes)
    .composite([{ input: cover, left: 0, top: 0 }])
    .jpeg()
    .toBuffer();
}

/** A hand in front of the lens, with sensor noise. */
export function hand(sigma: number): Promise<Buffer> {
  const noise = { type: "gaussian", mean: 40, sigma } as const;
  return sharp({ create: { width, height, channels: 3, background: "#2a2420", noise } })
    .jpeg()
    .toBuffer();
}

/** Pictures of a camera with a dead sensor: black, but each one different. */
export function black(): Promise<Buffer> {
  const noise = { type: "gaussian", mean: 1 + Math.random(), sigma: 2 } as const;
  return sharp({ create: { width, height, channels: 3, background: "#000000", noise } })
    .jpeg()
    .toBuffer();
}
