// Runs one of homesec's decoders on a picture in a separate process and prints its time and memory: `node decode.mjs DECODER FILE`.
import { readFileSync } from "node:fs";

const [decoder, file] = process.argv.slice(2);
const built = new URL("../../dist/", import.meta.url);
const load = (path) => import(new URL(path, built).href);
const decoders = {
  inspect: async () => {
    const [{ inspect }, { bufferSource }] = await Promise.all([
      load("src/monitoring/images/picture.js"),
      load("src/monitoring/images/byte-source.js"),
    ]);
    const { state, detail } = await inspect(bufferSource(readFileSync(file)), 60_000);
    if (state !== "complete") throw new Error(detail);
  },
  thumbnail: async () => (await load("src/monitoring/detections/thumbnail.js")).drawThumbnail(file, { box: null, label: "person" }),
  frame: async () => (await load("src/monitoring/scenes/frame.js")).readFrame(file),
  detector: async () =>
    (await load("daemon/builtin/detector/decode.js")).decodeColour(readFileSync(file), () => ({ width: 540, height: 300 })),
  enrichment: async () => (await load("daemon/builtin/enrichment/picture.js")).openPicture(readFileSync(file)),
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
