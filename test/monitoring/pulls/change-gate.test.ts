import sharp from "sharp";
import { beforeAll, describe, expect, it } from "vitest";
import { ChangeGate } from "../../../src/monitoring/pulls/change-gate.ts";

/** A noisy street; a person of 20 x 56 pixels stands at `x`, and the light changes by `light`. */
async function scene({
  x,
  light = 0,
  seed = 1,
}: {
  readonly x?: number;
  readonly light?: number;
  readonly seed?: number;
}): Promise<Buffer> {
  const [width, height] = [640, 480];
  const pixels = Buffer.alloc(width * height);
  let random = seed;
  for (let at = 0; at < pixels.length; at += 1) {
    random = (random * 1_103_515_245 + 12_345) % 2_147_483_648;
    const [column, row] = [at % width, Math.floor(at / width)];
    const isPerson = x !== undefined && column >= x && column < x + 20 && row >= 200 && row < 256;
    pixels[at] = Math.max(0, Math.min(255, (isPerson ? 30 : 90 + row / 8) + light + ((random >> 16) % 17) - 8));
  }
  return await sharp(pixels, { raw: { width, height, channels: 1 } })
    .jpeg({ quality: 70 })
    .toBuffer();
}

describe("change gate", () => {
  let street: Buffer;
  beforeAll(async () => {
    street = await scene({});
  });

  /** Sends pictures, one a second, and returns what is kept: the second of the picture and why. */
  async function kept(gate: ChangeGate, pictures: readonly Buffer[]): Promise<readonly string[]> {
    const found: string[] = [];
    for (const [second, bytes] of pictures.entries()) {
      const taken = await gate.take({ bytes, ending: "jpg", at: new Date(second * 1_000) }, second * 1_000);
      found.push(...taken.map(({ picture, reason }) => `${picture.at.getTime() / 1_000} ${reason}`));
    }
    return found;
  }

  it("change gate: keeps a person who comes, with the picture before, and a person who goes", async () => {
    const person = await scene({ x: 300, seed: 7 });
    const pictures = [street, await scene({ seed: 2 }), await scene({ seed: 3 }), person, await scene({ x: 300, seed: 4 }), street];
    expect(await kept(new ChangeGate({ thresholdPercent: 0.3 }), pictures)).toEqual([
      "0 first",
      "2 before_change",
      "3 change",
      "4 before_change",
      "5 change",
    ]);
  });

  it("change gate: passes over noise and a cloud, and keeps one picture a minute", async () => {
    const pictures = await Promise.all(Array.from({ length: 62 }, (_, second) => scene({ seed: second, light: second % 30 })));
    expect(await kept(new ChangeGate({ thresholdPercent: 0.3 }), pictures)).toEqual(["0 first", "60 sign_of_life"]);
  });

  it("change gate: keeps everything with a threshold of 0, and less with a higher one", async () => {
    const pictures = [street, street, await scene({ x: 100 }), street];
    expect(await kept(new ChangeGate({ thresholdPercent: 0 }), pictures)).toEqual(["0 first", "1 change", "2 change", "3 change"]);
    expect(await kept(new ChangeGate({ thresholdPercent: 5 }), pictures)).toEqual(["0 first"]);
  });
});
