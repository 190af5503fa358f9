// A detector that sees one person on each picture, a language model that gives each event 42 points, and the services that enrich: all answer at once.
import { createServer } from "node:http";
import { answering } from "./answering.mjs";

const detected = JSON.stringify({
  detections: [{ class: "person", confidence: 0.9, bbox: { x: 10, y: 20, width: 60, height: 120 } }],
  inference_time_ms: 1,
  image_width: 768,
  image_height: 576,
});
const verdict = { risk_score: 42, summary: "Somebody walked by.", reasoning: "It was one person.", risk_factors: [] };
const judged = JSON.stringify({ content: JSON.stringify(verdict), model: "instant" });
// the same person for a program that speaks the API of DeepStack
const predicted = JSON.stringify({
  success: true,
  predictions: [{ label: "person", confidence: 0.9, x_min: 10, y_min: 20, x_max: 70, y_max: 140 }],
});
const extracted = JSON.stringify({ attributes: {}, ocr: [], caption: null });
const embedded = JSON.stringify({ embedding: [0.6, 0.8] });
const enriched = JSON.stringify({ attributes: {} });
const answers = {
  "/completion": judged,
  "/v1/vision/detection": predicted,
  "/extract": extracted,
  "/embed": embedded,
  "/enrich": enriched,
};
const healthy = JSON.stringify({ status: "healthy", model_loaded: true, device: "cpu", cuda_available: false, vram_used_gb: 0 });

const server = createServer((request, response) => {
  const body = request.method === "GET" ? healthy : (answers[request.url] ?? detected);
  request.resume();
  request.on("end", () => {
    response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(body) });
    response.end(body);
  });
});

answering(async () => {
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${server.address().port}`;
});
