// Runs one of homesec's decoders on a picture in a separate process and prints its time and memory: `node decode.mjs DECODER FILE`.
import { readFileSync } from "node:fs";

const [decoder, file] = process.argv.slice(2);
const decoders = {
  inspect: async () => {
    const [{ inspect }, { bufferSource }] = await Promise.all([
      import("../../src/monitoring/images/picture.ts"),
      import("../../src/monitoring/images/byte-source.ts"),
    ]);
    const { state, detail } = await inspect(bufferSource(readFileSync(file)), 60_000);
    if (state !== "complete") throw new Error(detail);
  },
  thumbnail: async () => (await import("../../src/monitoring/detections/thumbnail.ts")).drawThumbnail(file, { box: null, label: "person" }),
  frame: async () => (await import("../../src/monitoring/scenes/frame.ts")).readFrame(file),
  detector: async () =>
    (await import("../../daemon/builtin/detector/decode.ts")).decodeColour(readFileSync(file), () => ({ width: 540, height: 300 })),
  enrichment: async () => (await import("../../daemon/builtin/enrichment/picture.ts")).openPicture(readFileSync(file)),
};
const startedAt = performance.now();
let refusal = null;
try {
  await decoders[decoder]();
} catch (error) {
  refusal = String(error.message);
}
const { maxRSS } = process.resourceUsage();
process.stdout.write(JSON.stringify({ refusal, mib: Math.round(maxRSS / 1_024), ms: Math.round(performance.now() - startedAt) }));
